"""Start the command line, with Go's garbage collector set for work that is soon over."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from contextlib import suppress
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import NoReturn

_INTERRUPTED = 130

# Go's own names, and values that were measured: docs/adr/0022-go-collects-less.md. An evaluation
# is one thread of work: a second one would only look for work, which costs a twentieth more CPU.
_COLLECTOR = {"GOGC": "400", "GODEBUG": "gcstoptheworld=1", "GOMAXPROCS": "1"}
_RESTARTED, _MOVED = "_COMMODORE_RESTARTED", "_COMMODORE_ENVIRONMENT_MOVED"
_PROGRAMS = {"commodore", "__main__.py"}
_GROUPS = {"catalog", "component", "package"}
_VERBS = {"compile", "test"}
_WORKING_DIR = {"-d", "--working-dir"}
_NO_WORK = {"-h", "--help", "--version"}
# What Python looks for is garbage in cycles, of which hardly any is made here; each look goes
# through a hierarchy that is kept to the end. Python's own are 700, 10, 10.
_COLLECTIONS = (100_000, 20, 100)


def main() -> None:
    """Run the command line, and end the process with its exit code."""
    gc.set_threshold(*_COLLECTIONS)
    try:
        _tune()
        # Imported here, so that an interruption while modules are loaded is none of Python's news.
        from commodore_py.cli import run  # noqa: PLC0415

        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        code = _INTERRUPTED
    if code == _INTERRUPTED:
        _leave()
    _end(code)


def _end(code: int) -> NoReturn:
    """End without taking down each module and value: that is a tenth of a run with nothing to do.

    Everything that is to happen at the end does happen. Where it goes wrong, Python says so, as
    it does where it has been given other work around us.
    """
    threads = sys.modules.get("threading")
    if _is_program() and (threads is None or threads.active_count() == 1):
        with suppress(Exception):
            atexit._run_exitfuncs()  # noqa: SLF001 - what Python itself calls at the end
            for stream in (sys.stdout, sys.stderr):
                if stream is not None:
                    stream.flush()
            os._exit(code)
    sys.exit(code)


def _leave() -> None:
    """End at once: an evaluation may still go on, and Python must not be taken down around it."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):
            stream.flush()
    os._exit(_INTERRUPTED)


def _tune() -> None:
    """Have Go's runtime, which evaluates Jsonnet, collect garbage less often.

    Once it is loaded it listens to nobody, and it reads what the process was started with: so this
    process starts once more, as itself.
    """
    restarted, _, ours = os.environ.get(_RESTARTED, "").partition(":")
    if restarted == str(os.getpid()):
        # A further variable makes the C library copy the environment. Go still reads what is left
        # behind; no program that we start gets to see it.
        os.environ[_MOVED] = "1"
        for name in (_MOVED, _RESTARTED, *ours.split(",")):
            os.environ.pop(name, None)
    elif (
        "GOGC" not in os.environ
        and _is_program()
        and evaluates_jsonnet(sys.argv[1:])
        and not may_rest(sys.argv[1:])
    ):
        changes = {name: value for name, value in _COLLECTOR.items() if name not in os.environ}
        mark = {_RESTARTED: f"{os.getpid()}:{','.join(changes)}"}
        # Whatever forbids it: we are here already, and only slower.
        with suppress(OSError):
            os.execve(  # noqa: S606 - ourselves, with the very same words
                sys.executable,
                [sys.executable, *sys.orig_argv[1:]],
                {**os.environ, **changes, **mark},
            )


def _is_program() -> bool:
    """Whether this is the program itself; not where Python was given other work around it."""
    words = sys.argv[1:]
    return (
        bool(sys.executable)
        and sys.argv[0].rpartition("/")[2] in _PROGRAMS
        and sys.orig_argv[-len(words) :] == words
    )


def evaluates_jsonnet(words: list[str]) -> bool:
    """Whether it looks like a command that does; being wrong costs a moment and nothing else."""
    said = set(words)
    return bool(said & _GROUPS and said & _VERBS and not said & _NO_WORK)


def may_rest(words: list[str]) -> bool:
    """Whether there may be nothing to do, or little: a run has left a note about itself."""
    folder = os.environ.get("COMMODORE_WORKING_DIR") or "."
    for word, following in pairwise([*words, ""]):
        if word in _WORKING_DIR:
            folder = following
        elif word.startswith("--working-dir="):
            folder = word.partition("=")[2]
    return "catalog" in words and os.path.exists(f"{folder}/.commodore/unchanged")  # noqa: PTH110 - quick


if __name__ == "__main__":
    main()
