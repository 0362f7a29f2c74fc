"""Topics: parameters shared under a name, for targets that say they read them (pure)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from commodore_py.cache.questions.base import TargetViews


def topics(views: TargetViews, target: str, name: object) -> object:
    """One topic, or all; only what the target declares to consume."""
    found = _shared(views)
    consumed = {
        topic
        for topic, values in _declared(views, target).items()
        if isinstance(values, Mapping) and values.get("consume") is True
    }
    undeclared = sorted(({name} if name else set(found)) - consumed, key=str)
    if undeclared:
        raise CommodoreError(
            f"{target} does not say that it reads {', '.join(map(str, undeclared))}",
            hint=f"set parameters.kapitan.topics.{undeclared[0]}.consume to true",
        )
    return found.get(str(name), {"parameters": {"targets": {}}}) if name else found


def _shared(views: TargetViews) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for target in views.names():
        for topic, values in _declared(views, target).items():
            given = values.get("parameters") if isinstance(values, Mapping) else None
            if given is not None:
                empty: dict[str, Any] = {"parameters": {"targets": {}}}
                found.setdefault(topic, empty)["parameters"]["targets"][target] = given
    return found


def _declared(views: TargetViews, target: str) -> Mapping[str, Any]:
    kapitan = views.of(target)["parameters"].get("kapitan")
    declared = kapitan.get("topics") if isinstance(kapitan, Mapping) else None
    return declared if isinstance(declared, Mapping) else {}
