"""What is done for speed alone, each with what it saves, and what only `ctypes` can do.

`COMMODORE_TUNING=off` turns all of it off; results are the same.

`blake2`        BLAKE2 digests without OpenSSL
`exchange`      two files exchange their names in one step
`frames`        Python's frames lie in one piece of memory
`garbage`       Python looks for garbage rarely
`go_collector`  Go, which evaluates Jsonnet, collects garbage less often
`jsonnet`       one evaluator for many Jsonnet files
`jsonnet_formats`  formats of Jsonnet code are evaluated as sums
`named_tuples`  named tuples are made without compiling annotations and constructors
`orphans`       processes that a program has detached are ended with the run
`paths`         paths of one text are put together at once
`real_paths`    real paths by the system
`signals`       signals without Python's enumerations of them
`terminal`      the width of the terminal without `shutil`
"""

from __future__ import annotations

import os


class StaleImport(Exception):
    """An import has another content than the one that a shared evaluator has parsed."""


def enabled() -> bool:
    """Whether the environment leaves tuning on."""
    return os.environ.get("COMMODORE_TUNING", "") != "off"


def replaces(function: object, *parameters: str) -> bool:
    """Whether to replace a function of Python's library: it is the known one, by its parameters."""
    code = getattr(function, "__code__", None)
    if not enabled() or code is None:
        return False
    known: tuple[str, ...] = code.co_varnames[: code.co_argcount]
    return known == parameters
