"""Results of the engine: nodes of targets, and targets that cannot be resolved."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from commodore_py.errors import CommodoreError, SeveralErrors
from commodore_py.model.inventory import CLASSES, Node, NodeFields

if TYPE_CHECKING:
    from collections.abc import Mapping


class ResolvedTarget(NamedTuple):
    """The part of a node that depends on the hierarchy alone."""

    parameters: dict[Any, Any]
    applications: tuple[str, ...]
    included: tuple[tuple[str, ...], ...]
    """Lists of classes: one tuple for all targets, so that they are stored once."""

    def node(self, name: str, uri: str) -> Node:
        """The node of a target, with the time of this run."""
        fields = {
            "__reclass__": {
                "node": name,
                "name": name,
                "uri": uri,
                "environment": "base",
                "timestamp": datetime.now(UTC).astimezone().strftime("%c"),
            },
            "applications": list(self.applications),
            CLASSES: self.included,
            "environment": "base",
            "exports": {},
            "parameters": self.parameters,
        }
        return Node(name, self.parameters, self.applications, self.included, NodeFields(fields))


class TargetsFailed(SeveralErrors):
    """Targets that cannot be resolved, each with its errors."""

    by_target: Mapping[str, CommodoreError]

    @classmethod
    def of(cls, failed: Mapping[str, CommodoreError]) -> TargetsFailed:
        """Keep the error of each target."""
        error = cls(
            f"the hierarchy cannot be resolved for {len(failed)} targets", errors=failed.values()
        )
        error.by_target = failed
        return error
