"""Health of Pods, and of Deployments, StatefulSets, DaemonSets, ReplicaSets and Jobs (pure).

Rules read all their fields first: an object with a value of another type is never healthy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.manifests.order.hooks import hook_facts

from .kstatus import NOT_OBSERVED
from .status import Verdict, degraded, healthy, progressing, suspended, unknown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .decoding import Fields

IGNORE_RESTART_POLICY = "argocd.argoproj.io/ignore-restart-policy"


def deployment(fields: Fields) -> Verdict:  # noqa: PLR0911 - a line per reason
    """Paused, timed out, or waiting for its pods."""
    desired = fields.number_or_none("spec", "replicas")
    updated = fields.number("status", "updatedReplicas")
    old = fields.number("status", "replicas") - updated
    available = fields.number("status", "availableReplicas")
    condition = first_condition(fields, "Progressing")
    is_observed = _is_observed(fields)
    if fields.flag("spec", "paused"):
        return suspended("it is paused")
    if not is_observed:
        return progressing(NOT_OBSERVED)
    if condition and condition.text("reason") == "ProgressDeadlineExceeded":
        return degraded("it exceeded its progress deadline")
    if desired is not None and updated < desired:
        return progressing(f"{updated} of {desired} replicas are updated")
    if old > 0:
        return progressing(f"{old} old replicas have not ended yet")
    if available < updated:
        return progressing(f"{available} of {updated} updated replicas are available")
    return healthy()


def stateful_set(fields: Fields) -> Verdict:
    """Waiting for ready pods, a partition, or the new revision."""
    desired = fields.number_or_none("spec", "replicas")
    ready = fields.number("status", "readyReplicas")
    updated = fields.number("status", "updatedReplicas")
    strategy = fields.text("spec", "updateStrategy", "type")
    rolling = fields.below("spec", "updateStrategy", "rollingUpdate")
    partition = rolling.number_or_none("partition") if rolling is not None else None
    revision = fields.text("status", "updateRevision")
    current = fields.text("status", "currentRevision")
    is_observed = _is_observed(fields)
    if fields.number("status", "observedGeneration") == 0 or not is_observed:
        return progressing(NOT_OBSERVED)
    if desired is not None and ready < desired:
        return progressing(f"{ready} of {desired} pods are ready")
    if strategy == "RollingUpdate" and rolling is not None:
        return _partitioned(desired, partition, updated)
    if strategy == "OnDelete":
        return healthy(f"{ready} pods are ready")
    if revision != current:
        return progressing(f"{updated} pods are at revision {revision}")
    return healthy(f"all pods are at revision {revision}")


def _partitioned(desired: int | None, partition: int | None, updated: int) -> Verdict:
    if desired is not None and partition is not None and updated < desired - partition:
        return progressing(f"{updated} of {desired - partition} pods of the partition are updated")
    return healthy(f"{updated} pods are updated")


def daemon_set(fields: Fields) -> Verdict:
    """Waiting for its pods on all nodes."""
    desired = fields.number("status", "desiredNumberScheduled")
    updated = fields.number("status", "updatedNumberScheduled")
    available = fields.number("status", "numberAvailable")
    strategy = fields.text("spec", "updateStrategy", "type")
    if not _is_observed(fields):
        return progressing(NOT_OBSERVED)
    if strategy == "OnDelete":
        return healthy(f"{updated} of {desired} pods are updated")
    if updated < desired:
        return progressing(f"{updated} of {desired} pods are updated")
    if available < desired:
        return progressing(f"{available} of {desired} pods are available")
    return healthy()


def replica_set(fields: Fields) -> Verdict:
    """Unable to create pods, or waiting for them."""
    desired = fields.number_or_none("spec", "replicas")
    available = fields.number("status", "availableReplicas")
    failure = first_condition(fields, "ReplicaFailure")
    if not _is_observed(fields):
        return progressing(NOT_OBSERVED)
    if failure and failure.text("status") == "True":
        return degraded(failure.text("message"))
    if desired is not None and available < desired:
        return progressing(f"{available} of {desired} replicas are available")
    return healthy()


def job(fields: Fields) -> Verdict:
    """Return whether it has ended; a condition counts by its presence, whatever its status is."""
    conditions = fields.each("status", "conditions")
    last = {condition.text("type"): condition for condition in conditions}
    if "Failed" in last:
        return degraded(last["Failed"].text("message"))
    ended = [condition for condition in conditions if condition.text("type") in _ENDS]
    if not ended:
        return progressing()
    is_suspended = any(
        condition.text("type") == "Suspended" and condition.text("status") == "True"
        for condition in ended
    )
    return (suspended if is_suspended else healthy)(ended[-1].text("message"))


_ENDS = ("Complete", "Suspended")


def _is_observed(fields: Fields) -> bool:
    generation = fields.number("metadata", "generation")
    return generation <= fields.number("status", "observedGeneration")


def first_condition(fields: Fields, kind: str) -> Fields | None:
    """The first condition of a type, or None."""
    conditions = fields.each("status", "conditions")
    return next((condition for condition in conditions if condition.text("type") == kind), None)


def pod(fields: Fields) -> Verdict:  # noqa: PLR0911 - a line per phase
    """Its phase; pods that last are healthy when ready, others when they have succeeded."""
    policy, message = fields.text("spec", "restartPolicy"), fields.text("status", "message")
    ignores = fields.texts("metadata", "annotations").get(IGNORE_RESTART_POLICY) == "true"
    lasting = policy == "Always" or (ignores and not hook_facts(fields.value).is_hook)
    containers = fields.each("status", "containerStatuses")
    first = fields.each("status", "initContainerStatuses")
    ends = [_end(container) for container in (*first, *containers)]
    phase, ready = fields.text("status", "phase"), first_condition(fields, "Ready")
    is_ready = ready is not None and ready.text("status") == "True"
    in_vain = [container for container in containers if _waits_in_vain(container)]
    failing = in_vain if lasting else []
    if failing:
        return degraded(
            ", ".join(container.text("state", "waiting", "message") for container in failing)
        )
    match phase:
        case "Pending":
            return progressing(message)
        case "Succeeded":
            return healthy(message)
        case "Failed":
            return degraded(message or next(filter(None, ends), ""))
        case "Running" if lasting:
            return healthy(message) if is_ready else _running(containers, message)
        case "Running" if policy in ("OnFailure", "Never"):
            return progressing(message)
    return unknown(message)


def _waits_in_vain(container: Fields) -> bool:
    reason = container.text("state", "waiting", "reason")
    return reason.startswith("Err") or reason.endswith(("Error", "BackOff"))


def _running(containers: Iterable[Fields], message: str) -> Verdict:
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
