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

if TYPE_CHECKING:
    from collections.abc import Iterator

_STDERR = 2
_TRACE = re.compile(rb"^TRACE: .*\n?", re.MULTILINE)
_ESCAPE = b"\x1b"
_DRAWN = re.compile("(\r?\x1b\\[[\\d;]*[mJK]|\r)")


@contextmanager
def captured(traces: list[bytes]) -> Iterator[None]:
    """Collect Jsonnet's traces; all output is printed at the end."""
    try:
        before = os.dup(_STDERR)
    except OSError:  # there is no stderr
        yield
        return
    output = b""
    sys.stderr.flush()
    try:
        # In memory where there is such a file (on Linux): a full disk must not cause a failure.
        in_memory = getattr(os, "memfd_create", None)
        with os.fdopen(in_memory("stderr"), "w+b") if in_memory else TemporaryFile() as file:
            os.dup2(file.fileno(), _STDERR)
            try:
                yield
            finally:
                sys.stderr.flush()
                os.dup2(before, _STDERR)
                file.seek(0)
                output = file.read()
    finally:
        os.close(before)
        repeat(output)
        traces += _traces(output)


def repeat(text: bytes) -> None:
    """Print something as the library did, which does not care whether it can be printed."""
    output = _shown(text)
    with suppress(OSError):
        while output:
            output = output[os.write(_STDERR, output) :]


def _shown(output: bytes) -> bytes:
    """Traces hold texts of components."""
    if not output:
        return output
    text = REDACTOR.masked(output.decode(errors="replace"))
    if not os.isatty(_STDERR):
        return escaping.lines(text).encode()
    # Our own progress may have been drawn in between: erased lines and colours.
    parts = _DRAWN.split(text)
    parts[::2] = map(escaping.lines, parts[::2])
    return "".join(parts).encode()


def _traces(output: bytes) -> Iterator[bytes]:
    start = output.find(b"TRACE: ")
    if start >= 0 and _ESCAPE not in output:
        # A message may have several lines.
        yield output[start:]
    elif start >= 0:
        # A terminal shows progress between the lines.
        yield from _TRACE.findall(output)
