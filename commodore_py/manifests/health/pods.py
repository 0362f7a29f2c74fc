"""Health of Pods (pure)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.manifests.order.hooks import hook_facts

from .status import Verdict, degraded, healthy, progressing, unknown
from .workloads import first_condition

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .decoding import Fields

IGNORE_RESTART_POLICY = "argocd.argoproj.io/ignore-restart-policy"


def pod(fields: Fields) -> Verdict:  # noqa: PLR0911 - a line per phase
    """Its phase; pods that last are healthy when ready, others when they have succeeded."""
    policy, message = fields.text("spec", "restartPolicy"), fields.text("status", "message")
    ignores = fields.texts("metadata", "annotations").get(IGNORE_RESTART_POLICY) == "true"
    lasting = policy == "Always" or (ignores and not hook_facts(fields.value).is_hook)
    containers = fields.each("status", "containerStatuses")
    failing = [container for container in containers if lasting and _waits_in_vain(container)]
    if failing:
        return degraded(
            ", ".join(container.text("state", "waiting", "message") for container in failing)
        )
    match fields.text("status", "phase"):
        case "Pending":
            return progressing(message)
        case "Succeeded":
            return healthy(message)
        case "Failed":
            every = (*fields.each("status", "initContainerStatuses"), *containers)
            return degraded(message or next(filter(None, map(_end, every)), ""))
        case "Running" if lasting:
            return _running(fields, containers, message)
        case "Running" if policy in ("OnFailure", "Never"):
            return progressing(message)
    return unknown(message)


def _waits_in_vain(container: Fields) -> bool:
    reason = container.text("state", "waiting", "reason")
    return reason.startswith("Err") or reason.endswith(("Error", "BackOff"))


def _running(fields: Fields, containers: Iterable[Fields], message: str) -> Verdict:
    ready = first_condition(fields, "Ready")
    if ready is not None and ready.text("status") == "True":
        return healthy(message)
    has_ended = any(container.below("lastState", "terminated") for container in containers)
    return (degraded if has_ended else progressing)(message)


def _end(container: Fields) -> str:
    end = container.below("state", "terminated")
    if end is None:
        return ""
    if end.text("message"):
        return end.text("message")
    if end.text("reason") == "OOMKilled":
        return "OOMKilled"
    code = end.number("exitCode")
    return f"container {container.text('name')} exited with {code}" if code else ""
