"""Health by the conventions of conditions, for kinds without a rule: kstatus (pure)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .status import Verdict, degraded, healthy, progressing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from commodore_py.manifests.objects import Content

_CRD = ("apiextensions.k8s.io", "CustomResourceDefinition")
_NAMES_CONFLICT = "its names are not accepted"


def verdict(group: str, kind: str, content: Content) -> Verdict | None:  # noqa: PLR0911 - a line per convention
    """What the conditions say; None if they say nothing."""
    status = content.get("status")
    metadata = content.get("metadata")
    if not isinstance(status, dict) or not isinstance(metadata, dict):
        return None
    observed, generation = status.get("observedGeneration"), metadata.get("generation")
    if observed is not None and observed != generation:
        return progressing("its controller has not yet observed the latest change")
    conditions = conditions_of(content)
    if is_status(conditions, "Reconciling", "True"):
        return progressing(_message(conditions["Reconciling"]))
    if is_status(conditions, "Stalled", "True"):
        return degraded(_message(conditions["Stalled"]))
    if (group, kind) == _CRD:
        return _crd(conditions)
    ready = conditions.get("Ready")
    if ready is None or ready.get("status") not in ("True", "False", "Unknown"):
        return None
    return (healthy if ready["status"] == "True" else progressing)(_message(ready))


def _crd(conditions: Mapping[str, Mapping[str, object]]) -> Verdict:
    if is_status(conditions, "NamesAccepted", "False"):
        return degraded(_message(conditions["NamesAccepted"]) or _NAMES_CONFLICT)
    established = conditions.get("Established", {})
    if established.get("status") == "False" and established.get("reason") != "Installing":
        return degraded(_message(established))
    if established.get("status") == "True":
        return healthy(_message(established))
    return progressing("it is not established yet")


def conditions_of(content: Content) -> dict[str, dict[str, object]]:
    """The conditions by type, the first of each."""
    status = content.get("status")
    found = status.get("conditions") if isinstance(status, dict) else None
    conditions: dict[str, dict[str, object]] = {}
    for one in found if isinstance(found, list) else ():
        kind = one.get("type") if isinstance(one, dict) else None
        if isinstance(kind, str):
            conditions.setdefault(kind, one)
    return conditions


def is_status(conditions: Mapping[str, Mapping[str, object]], kind: str, status: str) -> bool:
    """Whether there is that condition with that status."""
    return kind in conditions and conditions[kind].get("status") == status


def _message(condition: Mapping[str, object]) -> str:
    message = condition.get("message")
    return message if isinstance(message, str) else ""
