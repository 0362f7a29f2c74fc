"""Signals without Python's enumerations of them: the C module that `signal` is made of.

Every command handles signals. Saved instructions: --help 1.5 %, nothing changed 1 %.
"""

from __future__ import annotations

from . import enabled

__all__ = [
    "SIGHUP",
    "SIGINT",
    "SIGTERM",
    "SIG_BLOCK",
    "SIG_DFL",
    "SIG_IGN",
    "SIG_SETMASK",
    "SIG_UNBLOCK",
    "getsignal",
    "pthread_sigmask",
    "signal",
]

TYPE_CHECKING = False  # for type checkers; `typing` takes longer to import than all of this

if TYPE_CHECKING or not enabled():
    from signal import (
        SIG_BLOCK,
        SIG_DFL,
        SIG_IGN,
        SIG_SETMASK,
        SIG_UNBLOCK,
        SIGHUP,
        SIGINT,
        SIGTERM,
        getsignal,
        pthread_sigmask,
        signal,
    )
else:
    from _signal import (
        SIG_BLOCK,
        SIG_DFL,
        SIG_IGN,
        SIG_SETMASK,
        SIG_UNBLOCK,
        SIGHUP,
        SIGINT,
        SIGTERM,
        getsignal,
        pthread_sigmask,
        signal,
    )
