"""Settings of a cache: kinds, namespaces, and which objects are kept whole."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from commodore_py.live.access.discovery import Api
    from commodore_py.manifests.objects import ObjectId

_RESTLESS_KINDS = {("", "Event"), ("coordination.k8s.io", "Lease")}
_RESTLESS_GROUPS = {"events.k8s.io", "metrics.k8s.io"}
"""What changes all the time and is of no interest here."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Which objects are held, and how."""

    kinds: frozenset[tuple[str, str]] | None = None
    """Only these; None for all but those that change all the time."""
    namespaces: tuple[str, ...] = ()
    """Only these, and what is outside of namespaces; all, if there are none."""
    whole: Callable[[Api], bool] = lambda _: False
    """Kinds that are read as whole objects; of others, only metadata leaves the server."""
    keeps: Callable[[ObjectId], bool] = lambda _: True
    """Objects of these kinds whose content is kept."""
    annotations: frozenset[str] = frozenset()
    """Annotations that are kept."""
    versions: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """Versions of kinds, by group and kind, where it shall not be the preferred one."""

    def holds(self, api: Api) -> bool:
        """Return whether objects of a kind are held."""
        if self.kinds is not None:
            return api.key in self.kinds
        return api.key not in _RESTLESS_KINDS and api.group not in _RESTLESS_GROUPS
