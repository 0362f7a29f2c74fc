"""Foreign text for a terminal or a log: nothing in it is acted on (pure)."""

from __future__ import annotations

import re

# Control characters, what changes the direction of text, what has no width, and halves of
# characters: a name with these shows as another, or moves the cursor.
_HIDDEN = (
    "\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ud800-\udfff\ufeff\uffa0\ufff0-\ufffb"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_UNSAFE_IN_LINE = re.compile(f"[\x00-\x1f{_HIDDEN}]")
_UNSAFE = re.compile(f"[\x00-\x08\x0b-\x1f{_HIDDEN}]")
# Runners of GitHub, GitLab, Azure and TeamCity obey such lines, wherever they come from.
_COMMAND = re.compile(r"^([^\S\n]*)::(?=\S)|##(?=\[|vso\[|teamcity\[)", re.MULTILINE)


def one_line(text: str) -> str:
    """A name or a value within a line."""
    return without_commands(_UNSAFE_IN_LINE.sub(_escaped, text))


def lines(text: str) -> str:
    """A text that may have several lines, and tabs."""
    return without_commands(_UNSAFE.sub(_escaped, text))


def is_unsafe(text: str) -> bool:
    """Whether a text of several lines holds anything that would be escaped."""
    return _UNSAFE.search(text) is not None or _has_command(text)


def without_commands(text: str) -> str:
    """A text in which no line is a command to the runner of a pipeline."""
    return _COMMAND.sub(_broken, text) if _has_command(text) else text


def _has_command(text: str) -> bool:
    return ("::" in text or "##" in text) and _COMMAND.search(text) is not None


def _broken(found: re.Match[str]) -> str:
    return rf"{found[1]}\::" if found[1] is not None else r"#\#"


def _escaped(found: re.Match[str]) -> str:
    return ascii(found[0])[1:-1]
