"""What layers do to a value on its way, and how it is written down (pure)."""

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
    """There is no value, not even null."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Value = _Absent()


@dataclass(frozen=True, slots=True)
class Lookup:
    """A reference, and what it came to."""

    written: str
    path: ParameterPath
    value: Value
    default: bool = False
    error: ResolveError | None = None
    inner: tuple[Lookup, ...] = ()

    def below(self, part: Hashable, value: Value) -> Lookup:
        """What the same reference gives for a part of its value."""
        return replace(self, path=(*self.path, part), value=value)


@dataclass(slots=True)
class Step:
    """What one layer does to the value at a path."""

    layer: Layer
    at: ParameterPath
    """Where the layer says so: the path itself, or one above that decides for all below."""
    value: Value
    node: yaml.Node | None = None
    key: yaml.Node | None = None
    constant: bool = False
    resets: bool = False
    """Whether all that lower layers said is thrown away."""
    mark: str = ""
    """The key with the `~` that did it, if it was one."""
    lookup: Lookup | None = None
    """The reference through which the value comes, if one above the path does."""
    error: ResolveError | None = None
    within: bool = False
    """Whether the error is about a key of the mapping, and not about all of it."""
    before: Value = ABSENT
    after: Value = ABSENT

    @property
    def place(self) -> Place:
        """File and line."""
        return self.layer.place(self.key or self.node)


def written_as(reference: Reference) -> str:
    """A reference as it stands in a text."""
    parts = (part if isinstance(part, str) else written_as(part) for part in reference.parts)
    return f"${{{''.join(parts)}}}"
