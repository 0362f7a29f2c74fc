"""Foreign text for a terminal or a log: nothing in it is acted on (pure)."""

from __future__ import annotations

import re
from functools import cache

# Control characters, what changes the direction of text, what has no width, and halves of
# characters: a name with these shows as another, or moves the cursor.
_HIDDEN = (
    "\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ud800-\udfff\ufeff\uffa0\ufff0-\ufffb"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
# Compiled when they are used: every command imports this.
_UNSAFE_IN_LINE = f"[\x00-\x1f{_HIDDEN}]"
_UNSAFE = f"[\x00-\x08\x0b-\x1f{_HIDDEN}]"
# Runners of GitHub, GitLab, Azure and TeamCity obey such lines, wherever they come from.
_COMMAND = r"^([^\S\n]*)::(?=\S)|##(?=\[|vso\[|teamcity\[)"


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.MULTILINE)


def one_line(text: str) -> str:
    """A name or a value within a line."""
    if text.isascii() and text.isprintable():
        return without_commands(text)
    return without_commands(_compiled(_UNSAFE_IN_LINE).sub(_escaped, text))


def lines(text: str) -> str:
    """A text that may have several lines, and tabs."""
    if _is_plain(text):
        return without_commands(text)
    return without_commands(_compiled(_UNSAFE).sub(_escaped, text))


def is_unsafe(text: str) -> bool:
    """Return whether a text of several lines holds anything that would be escaped."""
    return _has_command(text) or not (_is_plain(text) or _compiled(_UNSAFE).search(text) is None)


def without_commands(text: str) -> str:
    """A text in which no line is a command to the runner of a pipeline."""
    return _compiled(_COMMAND).sub(_broken, text) if _has_command(text) else text


def _is_plain(text: str) -> bool:
    """Return whether nothing has to be escaped: quick, and true for most texts."""
    return text.isascii() and text.replace("\n", "").replace("\t", "").isprintable()


def _has_command(text: str) -> bool:
    return ("::" in text or "##" in text) and _compiled(_COMMAND).search(text) is not None


def _broken(match: re.Match[str]) -> str:
    return rf"{match[1]}\::" if match[1] is not None else r"#\#"


def _escaped(match: re.Match[str]) -> str:
    return ascii(match[0])[1:-1]
