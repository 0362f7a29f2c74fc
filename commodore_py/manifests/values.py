"""Values of fields: equality and similarity (pure)."""

from __future__ import annotations

from collections import Counter
from typing import TypeAlias, cast

Canonical: TypeAlias = tuple[str, object]


class SecretValue:
    """A value that is compared, but never shown."""

    __slots__ = ("shown", "value")

    def __init__(self, value: object, shown: str) -> None:
        """Keep what is compared, and what is shown in its place."""
        self.value, self.shown = value, shown

    def __eq__(self, other: object) -> bool:
        """Compare the values."""
        return isinstance(other, SecretValue) and same(self.value, other.value)

    def __hash__(self) -> int:
        """Equal for equal values."""
        return hash(canonical(self.value))

    def __repr__(self) -> str:
        """Show nothing of it."""
        return self.shown


def same(old: object, new: object) -> bool:
    """Return whether two values are equal for Kubernetes; `1`, `1.0`, `"1"` and `true` are not."""
    if type(old) is not type(new):
        return False
    if isinstance(old, dict):
        other = cast("dict[object, object]", new)
        return len(old) == len(other) and all(
            key in other and same(value, other[key]) for key, value in old.items()
        )
    if isinstance(old, list):
        others = cast("list[object]", new)
        return len(old) == len(others) and all(map(same, old, others))
    # NaN equals itself here.
    return old == new or (isinstance(old, float) and repr(old) == repr(new))


def canonical(value: object) -> Canonical:
    """A hashable form: equal for equal values, whatever the order of keys."""
    kind = type(value).__name__
    if isinstance(value, dict):
        items = ((canonical(key), canonical(below)) for key, below in value.items())
        return kind, tuple(sorted(items, key=repr))
    if isinstance(value, list):
        return kind, tuple(map(canonical, value))
    if isinstance(value, SecretValue):
        return kind, canonical(value.value)
    return kind, repr(value)


def leaves(value: object, *, name: str = "") -> Counter[tuple[str, Canonical]]:
    """The scalars of a value by path; the object's own name is replaced by a placeholder."""
    counts: Counter[tuple[str, Canonical]] = Counter()
    _collect(value, "", name, counts)
    return counts


def similarity(old: Counter[tuple[str, Canonical]], new: Counter[tuple[str, Canonical]]) -> float:
    """How similar two values are, from 0 to 1."""
    total = old.total() + new.total()
    return 2 * (old & new).total() / total if total else 1.0


def _collect(value: object, path: str, name: str, counts: Counter[tuple[str, Canonical]]) -> None:
    if isinstance(value, dict) and value:
        for key, below in value.items():
            _collect(below, f"{path}.{key}", name, counts)
    elif isinstance(value, list) and value:
        for below in value:
            _collect(below, f"{path}[]", name, counts)
    elif isinstance(value, str) and name:
        counts[path, ("str", value.replace(name, "\0"))] += 1
    else:
        counts[path, canonical(value)] += 1
