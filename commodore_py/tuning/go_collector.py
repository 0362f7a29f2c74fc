"""Go, which evaluates Jsonnet, collects garbage less often in compiles from scratch.

Go reads its settings when its library is loaded, and from the memory that the process was started
with: so the command starts again, as itself, with `GOGC` and two more variables, and removes them
from the environment before anything else runs. Saves 19 % of the instructions of a cold compile (M)
and costs a start of Python, 15 ms. Where an earlier run left a note, or a job of CI has a result
cache, little will be evaluated, and nothing is started again (docs/adr/0022-go-collects-less.md).
"""

from __future__ import annotations

import os
import sys
from itertools import pairwise

from . import enabled, signals

# Measured, see the ADR. An evaluation is one thread of work: a second one would only look for work.
_SETTINGS = {"GOGC": "400", "GODEBUG": "gcstoptheworld=1", "GOMAXPROCS": "1"}
_RESTARTED, _MOVED = "_COMMODORE_RESTARTED", "_COMMODORE_ENVIRONMENT_MOVED"
_PROGRAMS = {"commodore", "__main__.py"}
_GROUPS = {"catalog", "component", "package"}
_VERBS = {"compile", "test"}
_WORKING_DIR = {"-d", "--working-dir"}
_NO_WORK = {"-h", "--help", "--version"}
_HELD_BACK = {signals.SIGINT, signals.SIGTERM, signals.SIGHUP}
_NOTE = ".commodore/unchanged"
_RESULTS, _UNUSED = "commodore/results", "--no-cache"
_NO = {"", "0", "false"}


def restart_to_compile() -> None:
    """Start again if this is a compile from scratch; before anything is imported for good."""
    if _is_restarted() or not enabled() or "GOGC" in os.environ or not is_program():
        return
    if not is_long(sys.argv[1:]):
        return
    added = {name: value for name, value in _SETTINGS.items() if name not in os.environ}
    mark = {_RESTARTED: f"{os.getpid()}:{','.join(added)}"}
    # A signal waits until the other start is ready: Python itself would show a traceback.
    held_back = signals.pthread_sigmask(signals.SIG_BLOCK, _HELD_BACK)
    try:
        os.execve(  # noqa: S606 - this program, with the same arguments
            sys.executable,
            [sys.executable, *sys.orig_argv[1:]],
            {**os.environ, **added, **mark},
        )
    except OSError:  # it is not permitted: this process goes on, only slower
        signals.pthread_sigmask(signals.SIG_SETMASK, held_back)


def take_signals() -> None:
    """After a start for the second time: take signals, and remove what the first one has set."""
    if _is_restarted():
        ours = os.environ[_RESTARTED].partition(":")[2]
        # One more variable makes the C library copy the environment. Go still reads the original;
        # programs that we start see the copy.
        os.environ[_MOVED] = "1"
        for name in (_MOVED, _RESTARTED, *ours.split(",")):
            os.environ.pop(name, None)
        signals.pthread_sigmask(signals.SIG_UNBLOCK, _HELD_BACK)


def _is_restarted() -> bool:
    return os.environ.get(_RESTARTED, "").partition(":")[0] == str(os.getpid())


def is_long(words: list[str]) -> bool:
    """Whether a command probably evaluates much; a wrong guess costs a moment and nothing else."""
    given = set(words)
    compiles = bool(given & _GROUPS and given & _VERBS and not given & _NO_WORK)
    return compiles and not ("catalog" in given and (_has_note(words) or _has_results(given)))


def _has_note(words: list[str]) -> bool:
    """Whether an earlier run left a note in the working directory."""
    folder = os.environ.get("COMMODORE_WORKING_DIR") or "."
    for word, following in pairwise([*words, ""]):
        if word in _WORKING_DIR:
            folder = following
        elif word.startswith("--working-dir="):
            folder = word.partition("=")[2]
    return os.path.exists(f"{folder}/{_NOTE}")  # noqa: PTH110 - pathlib is not imported yet


def _has_results(given: set[str]) -> bool:
    """Whether this is a job of CI that begins with the results of an earlier one."""
    if os.environ.get("CI", "").lower() in _NO or _UNUSED in given:
        return False
    caches = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111 - as below
    return os.path.exists(f"{caches}/{_RESULTS}")  # noqa: PTH110 - pathlib is not imported yet


def is_program() -> bool:
    """Whether this process is the command itself, and not a script or a test that imports it."""
    words = sys.argv[1:]
    return (
        bool(sys.executable)
        and sys.argv[0].rpartition("/")[2] in _PROGRAMS
        and sys.orig_argv[len(sys.orig_argv) - len(words) :] == words
    )
