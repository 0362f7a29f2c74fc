"""Results by the content of files, cached in memory as long as their owner lives."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Callable

Made = TypeVar("Made")

_MOST_BYTES = 16 * 2**20


class Memo:
    """Results by kind and content. They are shared and must not be changed."""

    def __init__(self) -> None:
        self._made: dict[tuple[str, bytes], object] = {}
        self._kept = 0

    def once(self, kind: str, content: bytes, make: Callable[[], Made]) -> Made:
        """What was made before of this content, else what is made now."""
        key = (kind, content)
        if key not in self._made:
            made = make()
            self._make_room(content)
            self._made[key] = made
        return cast("Made", self._made[key])

    def _make_room(self, content: bytes) -> None:
        """Forget everything rather than grow: most files are read by one component."""
        self._kept += len(content)
        if self._kept > _MOST_BYTES:
            self._made.clear()
            self._kept = len(content)
