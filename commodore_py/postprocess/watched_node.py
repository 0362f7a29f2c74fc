"""The node of an instance as filters look at it, and a record of what they looked at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from commodore_py.results import Marks, Reads

VALUE = "I"
"""The kind of questions about the node: the way to a value, or to a mapping of which the keys."""

_KEYS = "keys of "
_LAZY = "parameters"


class WatchedNode(Mapping[str, Any]):
    """The same mapping; each value that is looked at is noted, and parameters one by one."""

    def __init__(
        self, plain: Mapping[str, Any], marks: Marks, reads: Reads, way: tuple[str, ...] = ()
    ) -> None:
        self._plain = plain
        self._marks = marks
        self._reads = reads
        self._way = way

    def __getitem__(self, key: str) -> Any:  # noqa: ANN401 - a value of the hierarchy
        value = self._plain[key]
        way = (*self._way, key)
        if way == (_LAZY,) and isinstance(value, dict):
            return WatchedNode(value, self._marks, self._reads, way)
        self._reads.note(VALUE, ".".join(map(str, way)), self._marks.of(value))
        return value

    def __iter__(self) -> Iterator[str]:
        self._note_keys()
        return iter(self._plain)

    def __len__(self) -> int:
        self._note_keys()
        return len(self._plain)

    def _note_keys(self) -> None:
        name = _KEYS + ".".join(self._way)
        self._reads.note(VALUE, name, self._marks.of(tuple(self._plain)))


def value_mark(node: Mapping[str, Any], marks: Marks, about: str) -> bytes:
    """The mark that a question about the node would get now."""
    keys = about.startswith(_KEYS)
    value: Any = node
    way = about.removeprefix(_KEYS)
    # The name of a parameter may hold dots: there is only one level below.
    for key in filter(None, way.split(".", 1) if way.startswith(f"{_LAZY}.") else [way]):
        if not isinstance(value, Mapping) or key not in value:
            return b""
        value = value[key]
    if keys:
        return marks.of(tuple(value)) if isinstance(value, Mapping) else b""
    return marks.of(value)
