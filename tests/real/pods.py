"""Pods of a real API server without nodes: set their status to running, or to done for Jobs."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from .servers import kubectl

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_MOMENT = "2026-01-01T00:00:00Z"
_CONDITIONS = ("PodScheduled", "Initialized", "ContainersReady", "Ready")


@contextmanager
def running_pods(kubeconfig: Path) -> Iterator[None]:
    """Set the status of new pods until the end of the block."""
    over = threading.Event()
    thread = threading.Thread(target=_run, args=(kubeconfig, over))
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _run(kubeconfig: Path, over: threading.Event) -> None:
    while not over.wait(0.3):
        listed = kubectl(kubeconfig, "get", "pods", "-A", "-o", "json")
        for pod in json.loads(listed)["items"] if listed else ():
            metadata, phase = pod["metadata"], pod.get("status", {}).get("phase", "Pending")
            if phase == "Pending" and "deletionTimestamp" not in metadata:
                place = (metadata["name"], "-n", metadata["namespace"], "--subresource=status")
                patch = json.dumps({"status": _status_of(pod)})
                kubectl(kubeconfig, "patch", "pod", *place, "--type=merge", "-p", patch)


def _status_of(pod: dict[str, Any]) -> dict[str, Any]:
    owners = pod["metadata"].get("ownerReferences", ())
    is_job = any(owner["kind"] == "Job" for owner in owners)
    done = {"exitCode": 0, "reason": "Completed", "startedAt": _MOMENT, "finishedAt": _MOMENT}
    state = {"terminated": done} if is_job else {"running": {"startedAt": _MOMENT}}
    ready = {kind: "False" if is_job and "ady" in kind else "True" for kind in _CONDITIONS}
    return {
        "phase": "Succeeded" if is_job else "Running",
        "startTime": _MOMENT,
        "podIP": "10.1.0.1",
        "podIPs": [{"ip": "10.1.0.1"}],
        "conditions": [
            {"type": kind, "status": status, "lastTransitionTime": _MOMENT}
            for kind, status in ready.items()
        ],
        "containerStatuses": [
            {
                "name": container["name"],
                "image": container["image"],
                "imageID": container["image"],
                "ready": not is_job,
                "started": not is_job,
                "restartCount": 0,
                "state": state,
            }
            for container in pod["spec"]["containers"]
        ],
    }
