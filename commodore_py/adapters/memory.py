"""Memory that runs out: told in words, also where Go would end the process without any."""

from __future__ import annotations

import errno
import functools
import os
import resource
import sys

from commodore_py.errors import CommodoreError

_NO_THREAD = "can't start new thread"
_NONE_LEFT = {errno.ENOMEM, errno.EAGAIN}
_ROOM = 256 << 20  # for what is evaluated
_HINT = "give it more; with --processes 1 less is needed"


class OutOfMemory(CommodoreError):
    """The system gives no more memory, or no more threads and processes."""


def out_of_memory(error: BaseException) -> OutOfMemory | None:
    """What an error says about memory, if it does."""
    none_left = isinstance(error, OSError) and error.errno in _NONE_LEFT and not error.filename
    no_thread = isinstance(error, RuntimeError) and str(error) == _NO_THREAD
    if not (none_left or no_thread or isinstance(error, MemoryError)):
        return None
    return OutOfMemory(f"there is not enough memory{_limit()}", hint=_HINT)


@functools.cache
def require_for_go() -> None:
    """Raise where Go's runtime cannot be loaded, as it would end this process with a trace.

    It reserves more than a gigabyte of addresses: too much for some limits, but none of memory.
    """
    if _address_space() is None or "_gojsonnet" in sys.modules:
        return
    child = os.fork()
    if not child:
        _load_go()
    if os.waitpid(child, 0)[1]:
        raise OutOfMemory(
            f"there is not enough memory to evaluate Jsonnet{_limit()}",
            hint="set `ulimit -v unlimited`: it limits addresses, most of which are never used",
        )


def is_limited() -> bool:
    """Whether Go may end the process that uses it."""
    return _address_space() is not None


def _load_go() -> None:
    """In a process of its own: whether it survives is the result."""
    code = 1
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        import mmap  # for limited processes only

        import _gojsonnet

        room = mmap.mmap(-1, _ROOM)
        _gojsonnet.evaluate_snippet("", "1")
        room.close()
        code = 0
    finally:
        os._exit(code)


def _limit() -> str:
    space = _address_space()
    return "" if space is None else f": `ulimit -v` allows {space >> 20} MiB"


def _address_space() -> int | None:
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if soft == resource.RLIM_INFINITY else soft
