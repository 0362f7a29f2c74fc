"""What the hierarchy says about targets, and which of them it says nothing sensible about."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from commodore_py.errors import CommodoreError, SeveralErrors
from commodore_py.model.inventory import Node

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Answer:
    """What the hierarchy says about a target, wherever and whenever that is asked."""

    parameters: dict[Any, Any]
    applications: tuple[str, ...]
    classes: tuple[str, ...]

    def node(self, name: str, uri: str) -> Node:
        """As the node of one target, resolved now."""
        raw = {
            "__reclass__": {
                "node": name,
                "name": name,
                "uri": uri,
                "environment": "base",
                "timestamp": datetime.now(UTC).astimezone().strftime("%c"),
            },
            "applications": list(self.applications),
            "classes": list(self.classes),
            "environment": "base",
            "exports": {},
            "parameters": self.parameters,
        }
        return Node(name, self.parameters, self.applications, self.classes, raw)


class TargetsFailed(SeveralErrors):
    """Targets that cannot be resolved, each for reasons of its own."""

    by_target: Mapping[str, CommodoreError]

    @classmethod
    def of(cls, failed: Mapping[str, CommodoreError]) -> TargetsFailed:
        """Keep who failed for what."""
        error = cls(
            f"the hierarchy cannot be resolved for {len(failed)} targets", errors=failed.values()
        )
        error.by_target = failed
        return error
