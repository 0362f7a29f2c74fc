"""Paths of parameters as users write them: `a.b[0]."key.with.dots"` (pure)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from commodore_py.model.spot import ParameterPath

_PARAMETERS = "parameters"
_PART = re.compile(
    r'(?:^|(?<=[^.])\.)(?:"(?P<quoted>[^"]*)"|(?P<key>[^.\[\]"]+))|\[(?P<index>\d+)\]'
)


class Index(int):
    """The index of a list item, as part of a path."""

    __slots__ = ()


def path_parts(path: str) -> ParameterPath:
    """The parts of a path; a leading `parameters.` is optional."""
    parts: list[Any] = []
    at = 0
    while at < len(path) and (match := _PART.match(path, at)):
        if match["index"] is not None:
            parts.append(Index(match["index"]))
        else:
            parts.append(match["key"] if match["quoted"] is None else match["quoted"])
        at = match.end()
    if at < len(path) or not parts:
        raise CommodoreError(
            f"{path!r} is not a valid path of a parameter",
            hint='write it as web_shop.replicas, list.of[0] or a."key.with.dots"',
        )
    if len(parts) > 1 and parts[0] == _PARAMETERS:
        del parts[0]
    return tuple(parts)


def dotted(path: ParameterPath) -> str:
    """A path as `path_parts` reads it."""
    text = ""
    for part in path:
        if isinstance(part, Index):
            text += f"[{part:d}]"
        else:
            key = "null" if part is None else str(part)
            key = f'"{key}"' if not key or set(key) & set('."[]') else key
            text += f".{key}" if text else key
    return text
