"""Results that hold for one target after the other, until something that they depend on changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Hashable

K = TypeVar("K")
V = TypeVar("V")


class Lasting(Generic[K, V]):
    """Results, each with the parameters that were looked up for it."""

    def __init__(self) -> None:
        self.results: dict[K, V] = {}
        self._depending: dict[tuple[str, ...], set[K]] = {}

    def add(self, key: K, result: V, looked_up: tuple[str, ...]) -> None:
        """Keep a result until one of these parameters changes."""
        self.results[key] = result
        self._depending.setdefault(looked_up, set()).add(key)

    def forget(self, changed: set[Hashable]) -> None:
        """Drop what depends on changed parameters."""
        others = [names for names in self._depending if not changed.isdisjoint(names)]
        for names in others:
            for key in self._depending.pop(names):
                self.results.pop(key, None)
