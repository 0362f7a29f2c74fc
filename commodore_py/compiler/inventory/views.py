"""What component code sees of every target, made when somebody looks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .view import view_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from commodore_py.model.inventory import Inventory


@dataclass(frozen=True, slots=True)
class Views:
    """The targets of an inventory, each completed once."""

    inventory: Inventory
    _made: dict[str, dict[str, Any]] = field(default_factory=dict)

    def of(self, target: str) -> dict[str, Any]:
        """One target; a KeyError if there is none."""
        if target not in self._made:
            self._made[target] = view_of(self.inventory.nodes[target])
        return self._made[target]

    def names(self) -> tuple[str, ...]:
        """Every target."""
        return tuple(sorted(self.inventory.nodes))

    def all(self) -> Mapping[str, dict[str, Any]]:
        """Every target's view."""
        return {name: self.of(name) for name in self.names()}

    def only(self, target: str) -> Mapping[str, dict[str, Any]]:
        """One target's view, by its name."""
        return {target: self.of(target)}
