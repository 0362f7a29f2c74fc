"""Lists of applications, from which `~name` takes one out (pure)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Applications:
    """Names in order, and removals that still wait for the name they remove, once."""

    names: tuple[str, ...] = ()
    removals: tuple[str, ...] = ()

    @classmethod
    def of(cls, written: Iterable[str]) -> Applications:
        """A list as it stands in a class."""
        return cls().with_names(written)

    def merged(self, other: Applications) -> Applications:
        """This list with the next class's: its removals first, then its names."""
        if not other.names and not other.removals:
            return self
        return self.with_names((*(f"~{name}" for name in other.removals), *other.names))

    def with_names(self, written: Iterable[str]) -> Applications:
        """This list with more names, and with removals among them."""
        names, removals = list(self.names), list(self.removals)
        for name in written:
            removed = name.removeprefix("~")
            if removed != name:
                if removed in names:
                    names.remove(removed)
                elif removed not in removals:
                    removals.append(removed)
            elif name in removals:
                removals.remove(name)
            elif name not in names:
                names.append(name)
        return Applications(tuple(names), tuple(removals))
