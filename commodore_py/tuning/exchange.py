"""Two files exchange their names in one step: only `ctypes` reaches the call of the system."""

from __future__ import annotations

import os
import sys

from . import enabled

_HERE = -100
_EXCHANGE = 2


def exchanged(one: str, other: str) -> bool:
    """Let two files exchange their names; False where the system or the file system cannot."""
    if not enabled():
        return False
    import ctypes  # for edits only

    library = ctypes.CDLL(None, use_errno=True)
    names = os.fsencode(one), os.fsencode(other)
    try:
        if sys.platform == "darwin":
            return not library.renamex_np(*names, ctypes.c_uint(_EXCHANGE))
        here = ctypes.c_int(_HERE)
        return not library.renameat2(here, names[0], here, names[1], ctypes.c_uint(_EXCHANGE))
    except AttributeError:  # a C library without it
        return False
