"""Which differences the hierarchy hides."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.manifests.ignore_rules import rules_from
from commodore_py.model.problem import Problem
from commodore_py.model.spot import Spot, nowhere

if TYPE_CHECKING:
    from commodore_py.model.difference import IgnoreRule
    from commodore_py.model.inventory import Inventory
    from commodore_py.model.spot import PlaceOf

_PATH = ("commodore", "diff", "ignore")


def ignore_rules(inventory: Inventory) -> tuple[IgnoreRule, ...]:
    """Our own rules, as `parameters.commodore.diff.ignore` changes them."""
    return rules_from(_given(inventory))[0]


def rule_problems(inventory: Inventory, place_of: PlaceOf = nowhere) -> tuple[Problem, ...]:
    """Rules that are ignored because they are invalid."""
    spot = Spot(inventory.bootstrap.name, _PATH)
    return tuple(
        Problem(
            f"a rule about differences is ignored: {problem}",
            where=spot.seen_from(place_of),
            strict=True,
            code="differences/invalid-rule",
        )
        for problem in rules_from(_given(inventory))[1]
    )


def _given(inventory: Inventory) -> object:
    value: object = inventory.bootstrap.parameters
    for key in _PATH:
        value = value.get(key) if isinstance(value, dict) else None
    return value
