"""The health of the objects of one cluster, by all rules and with their grace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.manifests.health import assess
from commodore_py.manifests.health.own import in_grace
from commodore_py.manifests.health.scripts import key_of
from commodore_py.manifests.objects import split_version

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from commodore_py.live.rules import UserRules
    from commodore_py.manifests.health.own import OwnRule
    from commodore_py.manifests.health.status import Health
    from commodore_py.manifests.objects import Content


class Judge:
    """Judges objects; those that may be degraded at first are progressing for that time."""

    def __init__(
        self, rules: UserRules, own: Mapping[str, OwnRule], now: Callable[[], float]
    ) -> None:
        self._rules, self._own, self._now = rules, own, now
        self._changes: dict[str, tuple[object, float]] = {}
        """By UID: the generation that was seen last, and since when."""

    def __call__(self, content: Content) -> Health:
        """The health of an object now."""
        group, _, kind = split_version(content)
        own = self._own.get(key_of(group, kind))
        health = assess.assess(content, self._rules)
        if own is None or not own.grace:
            return health
        return in_grace(health, self.saw(content) + own.grace - self._now())

    def saw(self, content: Content) -> float:
        """Remember the generation of an object, and since when it has it or exists."""
        metadata = content.get("metadata")
        place = metadata if isinstance(metadata, dict) else {}
        uid, generation = str(place.get("uid") or ""), place.get("generation")
        created = assess.time_of(place.get("creationTimestamp"))
        known = self._changes.get(uid)
        if known is None:
            known = generation, created.timestamp() if created is not None else 0
        elif known[0] != generation:
            known = generation, self._now()
        self._changes[uid] = known
        return known[1]
