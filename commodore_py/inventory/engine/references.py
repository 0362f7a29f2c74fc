r"""Parse `${references}` in strings (pure).

The grammar is reclass-rs's: `\${` and `\$[` are escapes, a doubled backslash counts as one only
right before a reference or its end, and a reference that is not closed is an error.
"""

from __future__ import annotations

import re
from functools import lru_cache

from .values import Part, Reference, Token, Value

DEEPEST = 64
"""The depth at which reclass-rs reports a loop."""

# What a string may continue with; outside of references it is read up to the next one, or escape.
_OUTSIDE = re.compile(
    r"(?P<backslash>\\\\)(?=\$\{|\})|\\(?P<escaped>\$[{\[])|(?P<open>\$\{)"
    r"|(?P<literal>(?:[^$\\]|(?!\\{0,2}\$\{|\\\$\[)[$\\])+)",
    re.DOTALL,
)
_INSIDE = re.compile(
    r"(?P<backslash>\\\\)(?=\$\{|\})|\\(?P<escaped>\$[{\[]|\})|(?P<open>\$\{)|(?P<close>\})"
    r"|(?P<literal>[^${}\\]+|.)",
    re.DOTALL,
)


class _Unparsable(Exception):
    """Not a valid reference."""


@lru_cache(maxsize=1 << 16)
def parse(text: str) -> Value:
    """A token, or the string itself if it has no references."""
    if "${" not in text and "$[" not in text:
        return text
    try:
        parts = _parts_of(text)
    except _Unparsable as error:
        missing = ": a } is missing" if text.count("${") > text.count("}") else ""
        why = f"{text!r} is not a valid reference{missing}"
        return Token(text, (), problem=str(error) or why)
    if parts == (text,):
        return text
    # A string with escapes only is kept as written: inside a mapping or list that is part of
    # another string, the escapes stay.
    return Token(text, parts)


def _parts_of(text: str) -> tuple[Part, ...]:
    parts: list[Part] = []
    around: list[list[Part]] = []  # the parts before each open reference, outermost first
    at = 0
    while match := (_INSIDE if around else _OUTSIDE).match(text, at):
        at = match.end()
        match match.lastgroup:
            case "open":
                around.append(parts)
                parts = []
                if len(around) > DEEPEST + 1:
                    raise _Unparsable(f"references are nested deeper than {DEEPEST} levels")
            case "close":
                if not parts:
                    raise _Unparsable
                reference = Reference(tuple(parts))
                parts = around.pop()
                parts.append(reference)
            case kind:
                literal = "\\" if kind == "backslash" else match[kind or 0]
                if parts and isinstance(parts[-1], str):
                    parts[-1] += literal
                else:
                    parts.append(literal)
    if around:
        raise _Unparsable
    return tuple(parts)
