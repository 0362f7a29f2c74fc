"""Signals without Python's enumerations of them: the C module that `signal` is made of.

Every command handles signals. Saved instructions: --help 1.5 %, nothing changed 1 %.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

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
