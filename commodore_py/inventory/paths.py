"""Paths of parameters as users write them: `a.b[0]."key.with.dots"`, `a[name=x]` (pure)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from commodore_py.model.spot import ParameterPath

_PARAMETERS = "parameters"
_PART = re.compile(
    r'(?:^|(?<=[^.])\.)(?:"(?P<quoted>[^"]*)"|(?P<key>[^.\[\]"]+))|\[(?P<index>\d+)\]'
    r"|\[(?P<field>[^\[\]=]+)=(?P<value>[^\[\]]*)\]"
)


class Index(int):
    """The index of a list item, as part of a path."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Selector:
    """A list item that is a mapping, by the value of a key that no other item has."""

    field: str
    value: str

    def __str__(self) -> str:
        return f"[{self.field}={self.value}]"

    def index_in(self, items: object) -> Index | None:
        """The index of the only item that matches."""
        numbers = [
            number
            for number, item in enumerate(items if isinstance(items, list) else ())
            if isinstance(item, dict) and str(item.get(self.field)) == self.value
        ]
        return Index(numbers[0]) if len(numbers) == 1 else None


def path_parts(path: str) -> ParameterPath:
    """The parts of a path; a leading `parameters.` is optional."""
    parts: list[Any] = []
    at = 0
    while at < len(path) and (match := _PART.match(path, at)):
        if match["index"] is not None:
            parts.append(Index(match["index"]))
        elif match["field"] is not None:
            parts.append(Selector(match["field"], match["value"]))
        else:
            parts.append(match["key"] if match["quoted"] is None else match["quoted"])
        at = match.end()
    if at < len(path) or not parts:
        raise CommodoreError(
            f"{path!r} is not a valid path of a parameter",
            hint='write it as web_shop.replicas, list.of[0], list[name=x] or a."key.with.dots"',
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
        elif isinstance(part, Selector):
            text += str(part)
        else:
            key = "null" if part is None else str(part)
            key = f'"{key}"' if not key or set(key) & set('."[]') else key
            text += f".{key}" if text else key
    return text
