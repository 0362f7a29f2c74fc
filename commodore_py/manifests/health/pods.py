"""Health of Pods (pure)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .decoding import Each, Optional, Texts
from .status import Verdict, degraded, healthy, progressing, unknown
from .workloads import CONDITIONS, first_condition

if TYPE_CHECKING:
    from .decoding import Decoded

IGNORE_RESTART_POLICY = "argocd.argoproj.io/ignore-restart-policy"

_TERMINATED = Optional({"exitCode": int, "reason": str, "message": str})
_CONTAINERS = Each(
    {
        "name": str,
        "state": {"waiting": Optional({"reason": str, "message": str}), "terminated": _TERMINATED},
        "lastState": {"terminated": _TERMINATED},
    }
)
POD = {
    "metadata": {"annotations": Texts()},
    "spec": {"restartPolicy": str},
    "status": {
        "phase": str,
        "message": str,
        "conditions": CONDITIONS,
        "initContainerStatuses": _CONTAINERS,
        "containerStatuses": _CONTAINERS,
    },
}


def pod(fields: Decoded, *, is_hook: bool) -> Verdict:  # noqa: PLR0911 - a line per phase
    """Its phase; pods that last are healthy when ready, others when they have succeeded."""
    status, policy = fields["status"], fields["spec"]["restartPolicy"]
    ignores = fields["metadata"]["annotations"].get(IGNORE_RESTART_POLICY) == "true"
    lasting = policy == "Always" or (ignores and not is_hook)
    failing = (
        [container for container in status["containerStatuses"] if _waits_in_vain(container)]
        if lasting
        else []
    )
    if failing:
        return degraded(
            ", ".join(container["state"]["waiting"]["message"] for container in failing)
        )
    message = status["message"]
    match status["phase"]:
        case "Pending":
            return progressing(message)
        case "Succeeded":
            return healthy(message)
        case "Failed":
            containers = [*status["initContainerStatuses"], *status["containerStatuses"]]
            return degraded(message or next(filter(None, map(_end, containers)), ""))
        case "Running" if lasting:
            return _running(status)
        case "Running" if policy in ("OnFailure", "Never"):
            return progressing(message)
    return unknown(message)


def _waits_in_vain(container: Decoded) -> bool:
    waiting = container["state"]["waiting"]
    reason = waiting["reason"] if waiting is not None else ""
    return reason.startswith("Err") or reason.endswith(("Error", "BackOff"))


def _running(status: Decoded) -> Verdict:
    ready = first_condition(status, "Ready")
    if ready is not None and ready["status"] == "True":
        return healthy(status["message"])
    if any(
        container["lastState"]["terminated"] is not None
        for container in status["containerStatuses"]
    ):
        return degraded(status["message"])
    return progressing(status["message"])


def _end(container: Decoded) -> str:
    end = container["state"]["terminated"]
    if end is None:
        return ""
    if end["message"]:
        return str(end["message"])
    if end["reason"] == "OOMKilled":
        return "OOMKilled"
    return f"container {container['name']} exited with {end['exitCode']}" if end["exitCode"] else ""
