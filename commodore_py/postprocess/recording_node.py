"""The node of an instance as filters read it, with a record of what they read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from commodore_py.cache.questions.inventory import NodeValue

if TYPE_CHECKING:
    from commodore_py.cache.digests import ValueDigests
    from commodore_py.cache.recorder import Recorder

_LAZY = "parameters"


class RecordingNode(Mapping[str, Any]):
    """The same mapping; each value that is read is recorded, and parameters one by one."""

    def __init__(
        self,
        plain: Mapping[str, Any],
        values: ValueDigests,
        recorder: Recorder,
        way: tuple[str, ...] = (),
    ) -> None:
        self._plain = plain
        self._values = values
        self._recorder = recorder
        self._way = way

    def __getitem__(self, key: str) -> Any:  # noqa: ANN401 - a value of the hierarchy
        value = self._plain[key]
        way = (*self._way, key)
        if way == (_LAZY,) and isinstance(value, dict):
            return RecordingNode(value, self._values, self._recorder, way)
        self._recorder.note(NodeValue.at(way), self._values.of(value))
        return value

    def __iter__(self) -> Iterator[str]:
        self._note_keys()
        return iter(self._plain)

    def __len__(self) -> int:
        self._note_keys()
        return len(self._plain)

    def _note_keys(self) -> None:
        self._recorder.note(NodeValue.keys_at(self._way), self._values.of(tuple(self._plain)))
