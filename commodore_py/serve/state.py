"""State that survives a restart: the queue, and conditions of clusters."""

from __future__ import annotations

import json
import logging
import secrets
import time
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from pydantic import BaseModel, Field, ValidationError

from commodore_py.adapters import json_text
from commodore_py.adapters.files import anchored, write_if_changed
from commodore_py.adapters.reading import bytes_of
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from commodore_py.config import WorkPaths

log = logging.getLogger(__name__)

_LARGEST = 64 << 20
Kind: TypeAlias = Literal["compile", "push"]


class Job(BaseModel):
    """A compile or a push, from the request to its end."""

    id: str = Field(default_factory=lambda: secrets.token_hex(8))
    kind: Kind
    cluster: str
    by: str
    seen: str = ""
    """The version of the changes that the caller has read; any if empty."""
    state: Literal["queued", "running", "done", "failed", "cancelled", "interrupted"] = "queued"
    created: float = Field(default_factory=time.time)
    started: float | None = None
    ended: float | None = None
    result: dict[str, Any] | None = None
    error: dict[str, Any] | None = None
    events: list[dict[str, Any]] = Field(default_factory=list, exclude=True)

    @property
    def is_over(self) -> bool:
        """Return whether nothing more will happen."""
        return self.state not in ("queued", "running")

    @property
    def outcome(self) -> str:
        """The outcome of a job that is done: `pushed`, `held`, `changed` and others."""
        return str((self.result or {}).get("outcome", ""))

    def as_data(self) -> dict[str, Any]:
        """The job without its events."""
        return {"schema": "job/v1", **self.model_dump()}


class Input(BaseModel):
    """The version of a repository that a compile used."""

    url: str
    version: str
    gitSha: str  # noqa: N815 - as in reports


class Record(BaseModel):
    """The inputs of a pushed compile."""

    inputs: dict[str, Input]
    time: str = ""
    fingerprint: str = ""
    """A digest of what the API knew about the cluster; empty if it is not known."""


class Condition(BaseModel):
    """A statement about a cluster: whether it is true, and why."""

    type: Literal["Compiled", "Pushed", "Synced"]
    status: Literal["True", "False", "Unknown"]
    reason: str
    message: str = ""
    since: float = Field(default_factory=time.time)


class ClusterState(BaseModel):
    """The state of a cluster."""

    conditions: list[Condition] = []
    record: Record | None = None
    """The last push of this daemon."""
    failures: int = 0
    """Failed pushes in a row."""
    retry_at: float = 0
    moved: str = ""
    """A digest of the inputs that differed when a push was last considered."""

    def set(self, condition: Condition) -> None:
        """Set one condition; `since` is when its status changed."""
        for index, present in enumerate(self.conditions):
            if present.type == condition.type:
                if present.status == condition.status:
                    condition.since = present.since
                self.conditions[index] = condition
                return
        self.conditions.append(condition)


def conditions_after(job: Job) -> Iterator[Condition]:
    """The conditions of a cluster that a compile or a push decides."""
    has_compiled = job.result is not None or any(
        event["level"] == "stage" and event["message"] == "publish" for event in job.events
    )
    reason, message = "", ""
    if job.error is not None:
        message = job.error["message"]
        reason = next((reason["code"] for reason in job.error["reasons"]), "Failed")
    if has_compiled:
        yield Condition(type="Compiled", status="True", reason="Succeeded")
    elif job.error is not None:
        yield Condition(type="Compiled", status="False", reason=reason, message=message)
    if job.kind != "push":
        return
    if job.error is not None:
        yield Condition(type="Pushed", status="False", reason=reason, message=message)
    elif job.result is not None:
        is_held = job.outcome == "held"
        commit = f"commit {job.result['commit'][:12]}" if job.result["commit"] else ""
        worst = f"the worst change is {job.result['worst']}, and that is not allowed"
        yield Condition(
            type="Pushed",
            status="False" if is_held else "True",
            reason=job.outcome.title().replace(" ", ""),
            message=worst if is_held else commit,
        )


class State(BaseModel):
    """The file of the state directory."""

    version: Literal[1] = 1
    jobs: dict[str, Job] = {}
    clusters: dict[str, ClusterState] = {}

    @classmethod
    def read(cls, paths: WorkPaths) -> State:
        """The state of the last run of the daemon; jobs that were not done are interrupted."""
        try:
            content = bytes_of(str(_file(paths)), limit=_LARGEST)
            state = cls.model_validate(json_text.load(content, name=_file(paths).name))
        except FileNotFoundError:
            return cls()
        except (OSError, CommodoreError, ValidationError) as error:
            log.warning("the state of the last run is dropped: %s", str(error).partition("\n")[0])
            return cls()
        for job in state.jobs.values():
            if not job.is_over:
                job.state = "interrupted"
        return state

    def save(self, paths: WorkPaths) -> None:
        """Write the file, in one step."""
        content = json.dumps(self.model_dump())  # texts may have halves of characters
        try:
            with anchored(paths.root):
                write_if_changed(_file(paths), content.encode(), private=True)
        except OSError as error:
            log.warning("the state cannot be written: %s", error.strerror)

    def cluster(self, name: str) -> ClusterState:
        """The state of a cluster."""
        return self.clusters.setdefault(name, ClusterState())


def _file(paths: WorkPaths) -> Path:
    return paths.state / "serve" / "state.json"
