"""Readiness of instances, by objects of a back end in a cluster (pure)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from commodore_py.manifests.health.kstatus import conditions_of
from commodore_py.manifests.objects import value_in

from .algebra import DONE, Result

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@dataclass(frozen=True, slots=True)
class Expected:
    """Conditions of readiness."""

    allow_degraded: bool = False
    fail_fast: bool = False
    """Whether what may pass by itself is an error."""


@dataclass(frozen=True, slots=True)
class BackEnd:
    """The kind of object that a driver writes for an instance."""

    group: str
    kind: str
    ready: Callable[[Mapping[str, Any], Expected], Result]


def result_of(back_end: BackEnd, live: Mapping[str, Any] | None, expected: Expected) -> Result:
    """The result of one object; a yield has its reason."""
    if live is None:
        return Result("yield", f"{back_end.kind} missing")
    if value_in(live, "metadata", "deletionTimestamp"):
        return Result("yield", f"{back_end.kind} is being deleted")
    return back_end.ready(live, expected)


def gone(back_end: BackEnd, live: Mapping[str, Any] | None, owner: str) -> Result:
    """The result of a deletion; `owner` is one that does not delete what leaves the catalog."""
    if live is None:
        return DONE
    if value_in(live, "metadata", "deletionTimestamp"):
        return Result("yield", f"{back_end.kind} is being deleted")
    who = f", and {owner} does not prune" if owner else ""
    return Result("yield", f"{back_end.kind} is present, and no one deletes it{who}")


def _application(live: Mapping[str, Any], expected: Expected) -> Result:
    for kind, condition in conditions_of(live).items():
        if kind == "InvalidSpecError" or (expected.fail_fast and kind.endswith("Error")):
            return Result("error", f"{kind}: {condition.get('message', '')}")
    source = value_in(live, "spec", "source") or {}
    seen = value_in(live, "status", "sync", "comparedTo", "source") or {}
    sync = value_in(live, "status", "sync", "status") or "Unknown"
    health = value_in(live, "status", "health", "status") or "Unknown"
    if any(source.get(key) != seen.get(key) for key in ("path", "targetRevision")):
        return Result("yield", "not compared with this spec yet")
    if sync != "Synced":
        return Result("yield", f"{sync}, {health}")
    if health == "Healthy" or (health == "Degraded" and expected.allow_degraded):
        return DONE
    failed = health == "Degraded" and expected.fail_fast
    message = value_in(live, "status", "health", "message") or ""
    return Result("error" if failed else "yield", f"{health}: {message}".strip(": "))


def _kustomization(live: Mapping[str, Any], expected: Expected) -> Result:
    ready = conditions_of(live).get("Ready", {})
    if ready.get("observedGeneration") != value_in(live, "metadata", "generation"):
        return Result("yield", "not reconciled to this spec yet")
    degraded = ready.get("reason") == "HealthCheckFailed"
    if ready.get("status") == "True" or (degraded and expected.allow_degraded):
        return DONE
    text = f"{ready.get('reason', 'Unknown')}: {ready.get('message', '')}".strip(": ")
    failed = expected.fail_fast and ready.get("status") == "False"
    return Result("error" if failed else "yield", text)


BACK_ENDS: Mapping[str, BackEnd] = {
    "argocd": BackEnd("argoproj.io", "Application", _application),
    "flux": BackEnd("kustomize.toolkit.fluxcd.io", "Kustomization", _kustomization),
}
"""By driver; `plain` has no objects of its own."""
