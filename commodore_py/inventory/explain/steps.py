"""What each layer does to the value at a path (pure)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable

    import yaml

    from commodore_py.inventory.engine.values import Reference, ResolveError, Value
    from commodore_py.model.spot import ParameterPath

    from .places import Place
    from .replay import Layer


class _Absent:
    """The absence of a value; null is a value."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Value = _Absent()


@dataclass(frozen=True, slots=True)
class Lookup:
    """A reference and its value."""

    written: str
    path: ParameterPath
    value: Value
    default: bool = False
    error: ResolveError | None = None
    inner: tuple[Lookup, ...] = ()

    def below(self, part: Hashable, value: Value) -> Lookup:
        """The same reference, for a part of its value."""
        return replace(self, path=(*self.path, part), value=value)


@dataclass(slots=True)
class Step:
    """What one layer does to the value at a path."""

    layer: Layer
    at: ParameterPath
    """The path that the layer sets: the same, or one above it."""
    value: Value
    node: yaml.Node | None = None
    key: yaml.Node | None = None
    constant: bool = False
    resets: bool = False
    """Whether the values of all lower layers are discarded."""
    mark: str = ""
    """The key with the `~` that did it, if it was one."""
    lookup: Lookup | None = None
    """The reference that gives the value, if a parameter above the path is one."""
    error: ResolveError | None = None
    within: bool = False
    """Whether the error concerns one key of the mapping, not all of it."""
    before: Value = ABSENT
    after: Value = ABSENT

    @property
    def place(self) -> Place:
        """File and line."""
        return self.layer.place(self.key or self.node)


def written_as(reference: Reference) -> str:
    """A reference as it is written in a string."""
    parts = (part if isinstance(part, str) else written_as(part) for part in reference.parts)
    return f"${{{''.join(parts)}}}"
