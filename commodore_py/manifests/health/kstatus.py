"""Health by the conventions of conditions, for kinds without a rule: kstatus (pure)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.manifests.objects import mappings, text, value_in
from commodore_py.manifests.order.kinds import CRD

from .status import Verdict, degraded, healthy, progressing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from commodore_py.manifests.objects import Content

_NAMES_CONFLICT = "its names are not accepted"
NOT_OBSERVED = "its controller has not yet observed the latest change"


def verdict(group: str, kind: str, content: Content) -> Verdict | None:  # noqa: PLR0911 - a line per convention
    """Assess the conditions; None if they say nothing."""
    if not isinstance(content.get("status"), dict) or not isinstance(content.get("metadata"), dict):
        return None
    if not is_observed(content):
        return progressing(NOT_OBSERVED)
    conditions = conditions_of(content)
    if is_status(conditions, "Reconciling", "True"):
        return progressing(message_of(conditions["Reconciling"]))
    if is_status(conditions, "Stalled", "True"):
        return degraded(message_of(conditions["Stalled"]))
    if (group, kind) == CRD:
        return _crd(conditions)
    ready = conditions.get("Ready")
    if ready is None or ready.get("status") not in ("True", "False", "Unknown"):
        return None
    return (healthy if ready["status"] == "True" else progressing)(message_of(ready))


def _crd(conditions: Mapping[str, Mapping[str, object]]) -> Verdict:
    if is_status(conditions, "NamesAccepted", "False"):
        return degraded(message_of(conditions["NamesAccepted"]) or _NAMES_CONFLICT)
    established = conditions.get("Established", {})
    if established.get("status") == "False" and established.get("reason") != "Installing":
        return degraded(message_of(established))
    if established.get("status") == "True":
        return healthy(message_of(established))
    return progressing("it is not established yet")


def is_observed(content: Content) -> bool:
    """Return whether the status is of the object as it is now, as far as it says so."""
    observed = value_in(content, "status", "observedGeneration")
    return observed is None or observed == value_in(content, "metadata", "generation")


def conditions_of(content: Content) -> dict[str, dict[str, object]]:
    """The conditions by type, the first of each."""
    conditions: dict[str, dict[str, object]] = {}
    for condition in mappings(value_in(content, "status", "conditions")):
        if isinstance(kind := condition.get("type"), str):
            conditions.setdefault(kind, condition)
    return conditions


def is_status(conditions: Mapping[str, Mapping[str, object]], kind: str, status: str) -> bool:
    """Return whether there is that condition with that status."""
    return kind in conditions and conditions[kind].get("status") == status


def message_of(condition: Mapping[str, object]) -> str:
    """The message of a condition."""
    return text(condition.get("message"))
