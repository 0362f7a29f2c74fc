"""Names and values that content chooses: what no file system takes, and no reader expects."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

LONGEST_NAME = 255
"""How many bytes a name may have: the limit of all usual file systems."""
LONGEST_PATH = 3840
"""How many bytes a path below the working directory may have: systems allow 4,095 for all of it."""

_DELETE = "\x7f"
_SHOWN = 80


def problem_of_text(text: str) -> str:
    """Why a text can be neither a path nor an argument, as the end of a sentence; or nothing."""
    if text.isprintable():
        return ""
    if "\0" in text:
        return "holds a null character"
    if any(one < " " or one == _DELETE for one in text):
        return "holds a control character"
    try:
        text.encode()
    except UnicodeEncodeError:
        return "is not valid Unicode"
    return ""


def problem_of_length(path: str) -> str:
    """The same for a path, or a part of it, that no file system takes."""
    if len(path) <= LONGEST_NAME and path.isascii():
        return ""
    if any(len(os.fsencode(part)) > LONGEST_NAME for part in path.split("/")):
        return f"is longer than {LONGEST_NAME} bytes"
    if len(os.fsencode(path)) > LONGEST_PATH:
        return f"is longer than {LONGEST_PATH} bytes"
    return ""


def problem_of_path(path: str) -> str:
    """Both problems, for a path or the name of a file or folder."""
    return problem_of_text(path) or problem_of_length(path)


def shown(text: str, *, quoted: bool = False) -> str:
    """A name for messages: in quotes if it cannot be printed, and not longer than a line."""
    short = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
    return repr(short) if quoted or not short.isprintable() else short


def value_shown(value: object) -> str:
    """A value of the hierarchy for messages, on one line, whatever it is."""
    import textwrap  # for messages only

    try:
        return textwrap.shorten(repr(value), 60, placeholder="...")
    except RecursionError:
        return f"a {type(value).__name__} that is nested too deeply"
    except ValueError:  # Python does not turn integers of more digits into text
        return "a number that is too long"


def misspelled(name: str, names: Iterable[object]) -> str:
    """The first of these names that has the same letters in another order or case, if any."""
    letters = sorted(name.lower())
    same = (str(one) for one in names if sorted(str(one).lower()) == letters and one != name)
    return next(same, "")


def counted(number: int, one: str, many: str = "") -> str:
    """A number with its noun."""
    return f"{number} {one if number == 1 else many or one + 's'}"
