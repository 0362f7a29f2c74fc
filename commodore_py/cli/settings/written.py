"""Lines that `commodore init` writes into files of the user: a setting, a line of a shell."""

from __future__ import annotations

import os
import re
import tomllib
from pathlib import Path

from commodore_py.adapters.files import write_if_changed
from commodore_py.adapters.reading import text_of
from commodore_py.errors import CommodoreError

_LARGEST = 1 << 20
_TABLE = re.compile(r"^[ \t]*\[", re.MULTILINE)


def set_shared(file: Path, key: str, value: str) -> bool:
    """Write a setting to the top of the settings file; returns whether that changed anything.

    All else in the file stays as it is, comments included.
    """
    text = _read(file)
    before = tomllib.loads(text)  # it is valid: every run reads it first
    if before.get(key) == value:
        return False
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    line = f'{key} = "{escaped}"'
    top = match.start() if (match := _TABLE.search(text)) else len(text)
    head, tail = text[:top], text[top:]
    old = re.compile(rf"^[ \t]*{re.escape(key)}[ \t]*=.*$", re.MULTILINE)
    if old.search(head):
        head = old.sub(lambda _: line, head, count=1)
    else:
        head = f"{head.rstrip()}\n{line}\n".lstrip("\n") + ("\n" if tail else "")
    after = head + tail
    if not _is(after, {**before, key: value}):
        raise CommodoreError(
            f"cannot change {key} in the settings file: its form is not a simple one",
            where=str(file),
            hint=f"add this line at the top: {line}",
        )
    _write(file, after)
    return True


def has_line(file: Path, line: str) -> bool:
    """Return whether a line is in a file of the user's shell."""
    return line in (line.strip() for line in _read(file).splitlines())


def add_line(file: Path, line: str, comment: str) -> bool:
    """Add a line to a file of the user's shell, unless it is there."""
    if has_line(file, line):
        return False
    text = _read(file)
    gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
    _write(file, f"{text}{gap}# {comment}\n{line}\n")
    return True


def _read(file: Path) -> str:
    try:
        return text_of(str(file), limit=_LARGEST)
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except UnicodeDecodeError as error:
        raise CommodoreError("the file is not valid UTF-8", where=str(file)) from error


def _write(file: Path, text: str) -> None:
    # A link, as of a repository of settings, stays one.
    write_if_changed(Path(os.path.realpath(file)), text.encode())


def _is(text: str, values: dict[str, object]) -> bool:
    """Return whether the text has these values: a line may be part of a longer string."""
    try:
        return tomllib.loads(text) == values
    except ValueError:
        return False
