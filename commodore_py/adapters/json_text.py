"""JSON that others wrote: read with limits, and with places for messages."""

from __future__ import annotations

import json
import re
import sys
from typing import Any

from commodore_py.errors import CommodoreError

MOST_LEVELS = 1_000
"""How deep values may be nested; Python before 3.12 stops at about the same depth."""
_STOPS_BY_ITSELF = sys.version_info < (3, 12)

# A string, which may hold brackets, or a bracket.
_TOKENS = r'"(?:[^"\\]++|\\.)*+"?|[\[{]|[\]}]'


class JsonError(CommodoreError, ValueError):
    """A text that is not valid JSON, or exceeds a limit."""

    line: int = 0
    """From one on."""
    limit: bool = False
    """Whether it is valid, but exceeds a limit."""


def load(text: bytes | str, *, name: str, levels: int = MOST_LEVELS) -> Any:  # noqa: ANN401 - the door: callers parse
    """The value of a text; `name` is where it came from."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _problem_in(error, text, name) from error
    checked = levels < MOST_LEVELS or not _STOPS_BY_ITSELF
    if checked and _may_be_deep(text, levels) and _deepest(text)[0] > levels:
        raise _problem_in(RecursionError(), text, name)
    return value


def _may_be_deep(text: bytes | str, levels: int) -> bool:
    if isinstance(text, str):
        return text.count("[") + text.count("{") > levels
    return text.count(b"[") + text.count(b"{") > levels


def _problem_in(error: Exception, text: bytes | str, name: str) -> JsonError:
    limit = False
    match error:
        case json.JSONDecodeError():
            message, line = f"not valid JSON: {error.msg}", error.lineno
        case UnicodeDecodeError():
            message, line = "not valid JSON: not UTF-8", error.object.count(10, 0, error.start) + 1
        case RecursionError():
            limit = True
            message, line = "nested too deeply", _line(text, _deepest(text)[1])
        case _:  # Python does not make integers of more digits
            limit = True
            digits = sys.get_int_max_str_digits()
            long = re.search(rf"[0-9]{{{digits + 1}}}", _decoded(text))
            message = f"an integer of more than {digits:,} digits"
            line = _line(text, long.start() if long else 0)
    problem = JsonError(message, where=f"{name}:{line}")
    problem.line, problem.limit = line, limit
    return problem


def _deepest(text: bytes | str) -> tuple[int, int]:
    """How deep a text is nested, and where it is first; beyond the limit nothing is counted."""
    level = deepest = place = 0
    for token in re.finditer(_TOKENS, _decoded(text), re.DOTALL):
        if token[0] in ("[", "{"):
            level += 1
            if level > deepest:
                deepest, place = level, token.start()
            if level > MOST_LEVELS:
                break
        elif token[0] in ("]", "}"):
            level -= 1
    return deepest, place


def _line(text: bytes | str, position: int) -> int:
    return _decoded(text).count("\n", 0, position) + 1


def _decoded(text: bytes | str) -> str:
    return text if isinstance(text, str) else text.decode(json.detect_encoding(text), "replace")
