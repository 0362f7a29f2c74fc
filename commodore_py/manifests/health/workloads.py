"""Health of Deployments, StatefulSets, DaemonSets, ReplicaSets and Jobs (pure)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .decoding import Each, Optional
from .status import Verdict, degraded, healthy, progressing, suspended

if TYPE_CHECKING:
    from .decoding import Decoded

CONDITIONS = Each({"type": str, "status": str, "reason": str, "message": str})
METADATA = {"name": str, "generation": int}
_STRATEGY = {"type": str}

DEPLOYMENT = {
    "metadata": METADATA,
    "spec": {"paused": bool, "replicas": Optional(int)},
    "status": {
        "observedGeneration": int,
        "replicas": int,
        "updatedReplicas": int,
        "availableReplicas": int,
        "conditions": CONDITIONS,
    },
}
STATEFUL_SET = {
    "metadata": METADATA,
    "spec": {
        "replicas": Optional(int),
        "updateStrategy": {
            **_STRATEGY,
            "rollingUpdate": Optional({"partition": Optional(int)}),
        },
    },
    "status": {
        "observedGeneration": int,
        "readyReplicas": int,
        "updatedReplicas": int,
        "currentRevision": str,
        "updateRevision": str,
    },
}
DAEMON_SET = {
    "metadata": METADATA,
    "spec": {"updateStrategy": _STRATEGY},
    "status": {
        "observedGeneration": int,
        "desiredNumberScheduled": int,
        "updatedNumberScheduled": int,
        "numberAvailable": int,
    },
}
REPLICA_SET = {
    "metadata": METADATA,
    "spec": {"replicas": Optional(int)},
    "status": {"observedGeneration": int, "availableReplicas": int, "conditions": CONDITIONS},
}
JOB = {"status": {"conditions": CONDITIONS}}

_NOT_OBSERVED = "its controller has not yet observed the latest change"


def deployment(fields: Decoded) -> Verdict:  # noqa: PLR0911 - a line per reason
    """Paused, timed out, or waiting for its pods."""
    spec, status = fields["spec"], fields["status"]
    if spec["paused"]:
        return suspended("it is paused")
    if fields["metadata"]["generation"] > status["observedGeneration"]:
        return progressing(_NOT_OBSERVED)
    condition = first_condition(status, "Progressing")
    if condition and condition["reason"] == "ProgressDeadlineExceeded":
        return degraded("it exceeded its progress deadline")
    desired, updated = spec["replicas"], status["updatedReplicas"]
    if desired is not None and updated < desired:
        return progressing(f"{updated} of {desired} replicas are updated")
    if status["replicas"] > updated:
        return progressing(f"{status['replicas'] - updated} old replicas have not ended yet")
    if status["availableReplicas"] < updated:
        return progressing(
            f"{status['availableReplicas']} of {updated} updated replicas are available"
        )
    return healthy()


def stateful_set(fields: Decoded) -> Verdict:
    """Waiting for ready pods, a partition, or the new revision."""
    spec, status = fields["spec"], fields["status"]
    observed, desired = status["observedGeneration"], spec["replicas"]
    if observed == 0 or fields["metadata"]["generation"] > observed:
        return progressing(_NOT_OBSERVED)
    if desired is not None and status["readyReplicas"] < desired:
        return progressing(f"{status['readyReplicas']} of {desired} pods are ready")
    strategy = spec["updateStrategy"]
    rolling = strategy["rollingUpdate"]
    if strategy["type"] == "RollingUpdate" and rolling is not None:
        return _partitioned(desired, rolling["partition"], status["updatedReplicas"])
    if strategy["type"] == "OnDelete":
        return healthy(f"{status['readyReplicas']} pods are ready")
    if status["updateRevision"] != status["currentRevision"]:
        return progressing(
            f"{status['updatedReplicas']} pods are at revision {status['updateRevision']}"
        )
    return healthy(f"all pods are at revision {status['currentRevision']}")


def _partitioned(desired: int | None, partition: int | None, updated: int) -> Verdict:
    if desired is not None and partition is not None and updated < desired - partition:
        return progressing(f"{updated} of {desired - partition} pods of the partition are updated")
    return healthy(f"{updated} pods are updated")


def daemon_set(fields: Decoded) -> Verdict:
    """Waiting for its pods on all nodes."""
    status = fields["status"]
    if fields["metadata"]["generation"] > status["observedGeneration"]:
        return progressing(_NOT_OBSERVED)
    desired, updated = status["desiredNumberScheduled"], status["updatedNumberScheduled"]
    if fields["spec"]["updateStrategy"]["type"] == "OnDelete":
        return healthy(f"{updated} of {desired} pods are updated")
    if updated < desired:
        return progressing(f"{updated} of {desired} pods are updated")
    if status["numberAvailable"] < desired:
        return progressing(f"{status['numberAvailable']} of {desired} pods are available")
    return healthy()


def replica_set(fields: Decoded) -> Verdict:
    """Unable to create pods, or waiting for them."""
    status, desired = fields["status"], fields["spec"]["replicas"]
    if fields["metadata"]["generation"] > status["observedGeneration"]:
        return progressing(_NOT_OBSERVED)
    failure = first_condition(status, "ReplicaFailure")
    if failure and failure["status"] == "True":
        return degraded(failure["message"])
    if desired is not None and status["availableReplicas"] < desired:
        return progressing(f"{status['availableReplicas']} of {desired} replicas are available")
    return healthy()


def job(fields: Decoded) -> Verdict:
    """Return whether it has ended; a condition counts by its presence, whatever its status is."""
    last = {condition["type"]: condition for condition in fields["status"]["conditions"]}
    if "Failed" in last:
        return degraded(last["Failed"]["message"])
    ended = [
        condition for condition in fields["status"]["conditions"] if condition["type"] in _ENDS
    ]
    if not ended:
        return progressing()
    is_suspended = any(
        condition["type"] == "Suspended" and condition["status"] == "True" for condition in ended
    )
    return (suspended if is_suspended else healthy)(ended[-1]["message"])


_ENDS = ("Complete", "Suspended")


def first_condition(status: Decoded, kind: str) -> Decoded:
    """The first condition of a type, or None."""
    return next(
        (condition for condition in status["conditions"] if condition["type"] == kind), None
    )
