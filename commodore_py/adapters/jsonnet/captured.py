"""Capture what libraries in other languages print on stderr, and print it again."""

from __future__ import annotations

import os
import re
import sys
from contextlib import contextmanager, suppress
from tempfile import TemporaryFile
from typing import TYPE_CHECKING

from commodore_py.adapters import escaping
from commodore_py.adapters.masking import REDACTOR
from commodore_py.adapters.reading import write_all

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_STDERR = 2
_TRACE = re.compile(rb"^TRACE: .*\n?", re.MULTILINE)
_ESCAPE = b"\x1b"
_DRAWN = re.compile("(\r?\x1b\\[[\\d;]*[mJK]|\r)")


@contextmanager
def captured(traces: list[bytes]) -> Iterator[None]:
    """Collect Jsonnet's traces; all output is printed at the end."""
    before = os.dup(_STDERR)
    # In memory where there is such a file (on Linux): a full disk must not cause a failure.
    in_memory = getattr(os, "memfd_create", None)
    sys.stderr.flush()
    with os.fdopen(in_memory("stderr"), "w+b") if in_memory else TemporaryFile() as file:
        os.dup2(file.fileno(), _STDERR)
        try:
            yield
        finally:
            sys.stderr.flush()
            os.dup2(before, _STDERR)
            os.close(before)
            file.seek(0)
            output = file.read()
            repeat(output)
            traces += _traces(output)


def repeat(text: bytes) -> None:
    """Print what a library printed, which may hold strings of components.

    As there, it does not matter whether it can be printed.
    """
    shown = REDACTOR.masked(text.decode(errors="replace"))
    # On a terminal, our own progress may be drawn in between: erased lines and colours.
    parts = _DRAWN.split(shown) if os.isatty(_STDERR) else [shown]
    parts[::2] = map(escaping.lines, parts[::2])
    with suppress(OSError):
        write_all(_STDERR, "".join(parts).encode())


def _traces(output: bytes) -> Iterable[bytes]:
    if _ESCAPE in output:
        # A terminal shows progress between the lines.
        return _TRACE.findall(output)
    # A message may have several lines.
    start = output.find(b"TRACE: ")
    return [output[start:]] if start >= 0 else []
