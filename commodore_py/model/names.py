"""Names that content chooses: limits of file systems, forms for messages, and similar names."""

from __future__ import annotations

import difflib
import os
import re
from types import NoneType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

LONGEST_NAME = 255
"""How many bytes a name may have: the limit of all usual file systems."""
LONGEST_PATH = 3840
"""How many bytes a path below the working directory may have: systems allow 4,095 for all of it."""

_DELETE = "\x7f"
_SHOWN = 80
_MOST_MEANT = 3
_MOST_LISTED = 8
_SHORTEST_TYPO = 3
_TYPO = 0.84


def problem_of_text(text: str) -> str:
    """Why a text can be neither a path nor an argument, as the end of a sentence; or nothing."""
    if text.isprintable():
        return ""
    if "\0" in text:
        return "holds a null character"
    if any(character < " " or character == _DELETE for character in text):
        return "holds a control character"
    try:
        text.encode()
    except UnicodeEncodeError:
        return "is not valid Unicode"
    return ""


def problem_of_length(path: str) -> str:
    """Reason why no file system takes a path, or a part of it."""
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


def counted(number: int, singular: str, plural: str = "") -> str:
    """A number with its noun."""
    return f"{number} {singular if number == 1 else plural or singular + 's'}"


def nearest(name: str, names: Iterable[object]) -> list[str]:
    """Names with the same letters, otherwise those that are about as close as the closest."""
    candidates = list(dict.fromkeys(map(str, names)))
    same = [candidate for candidate in candidates if _letters(candidate) == _letters(name)]
    if same:
        return same[:_MOST_MEANT]
    close = difflib.get_close_matches(name, candidates, n=_MOST_MEANT)
    ratios = [difflib.SequenceMatcher(None, match, name).ratio() for match in close]
    return [match for match, ratio in zip(close, ratios, strict=True) if ratio > ratios[0] - 0.1]


def did_you_mean(
    name: str, names: Iterable[object], *, listed: str = "", otherwise: str = ""
) -> str:
    """A hint for a name that does not exist.

    Without a similar name, it lists some names behind the words of `listed`, or says `otherwise`.
    """
    candidates = sorted(set(map(str, names)))
    if close := nearest(name, candidates):
        return f"did you mean {' or '.join(close)}?"
    if not listed or not candidates:
        return otherwise
    more = len(candidates) - _MOST_LISTED
    some = ", ".join(candidates[:_MOST_LISTED]) + (f" and {more} more" if more > 0 else "")
    return f"{listed} {some}"


def typo_of(name: str, names: Iterable[object]) -> str:
    """The first name that is this one with a typing mistake, if any.

    For names that may be new: another number or direction is no mistake.
    """
    return next((str(other) for other in names if _is_typo(name, str(other))), "")


def _letters(name: str) -> list[str]:
    return sorted(name.lower())


def _is_typo(name: str, other: str) -> bool:
    if name == other or re.sub(r"\d+", "", name) == re.sub(r"\d+", "", other):
        return False
    if f"{name}s" == other or name == f"{other}s":
        return True
    words, other_words = re.split(r"[-_.]", name), re.split(r"[-_.]", other)
    if words[1:] and len(words) == len(other_words):  # europe-west is not europe-east
        pairs = [pair for pair in zip(words, other_words, strict=True) if pair[0] != pair[1]]
        return len(pairs) == 1 and _is_typo(*pairs[0])
    if _letters(name) == _letters(other):
        return True
    ratio = difflib.SequenceMatcher(None, name, other).ratio()
    return min(len(name), len(other)) >= _SHORTEST_TYPO and ratio >= _TYPO


def kind_of(value: object) -> str:
    """The kind of a value from YAML or JSON, for messages."""
    for kinds, name in _KINDS:
        if isinstance(value, kinds):
            return name
    return f"a {type(value).__name__}"


_KINDS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (NoneType, "nothing"),
    (bool, "true or false"),  # before numbers: a bool is an int, too
    (str, "a string"),
    ((int, float), "a number"),
    (list, "a list"),
    (dict, "a mapping"),
)
