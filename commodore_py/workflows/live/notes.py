"""Local notes about a cluster: its UID, and what `live apply` did."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from commodore_py.adapters import reading
from commodore_py.adapters.files import anchored, append, write_if_changed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from commodore_py.manifests.objects import ObjectId

_CLUSTER, _RUNS = "cluster.json", "apply.jsonl"


def known_uid(state: Path) -> str:
    """The UID of the cluster that was confirmed last."""
    try:
        content = json.loads(reading.text_of(str(state / _CLUSTER)))
    except (OSError, ValueError):
        return ""
    uid = content.get("uid") if isinstance(content, dict) else None
    return uid if isinstance(uid, str) else ""


def keep_uid(state: Path, uid: str) -> None:
    """Note the UID of a cluster that is confirmed."""
    with anchored(_root_of(state)):
        write_if_changed(state / _CLUSTER, json.dumps({"uid": uid}).encode() + b"\n")


@dataclass(frozen=True, slots=True)
class Unfinished:
    """Progress of a run that did not end."""

    done: set[tuple[str, str]]
    """What to which object."""
    versions: dict[str, str]
    """The versions that objects had afterwards."""


@dataclass(frozen=True, slots=True)
class AppliedCommit:
    """The commit that a run has applied last, and when."""

    commit: str
    """Empty if it was applied in part."""
    time: str


@dataclass(frozen=True, slots=True)
class RunLog:
    """The log of a run: a line before and after each action, and one at its end."""

    state: Path
    digest: str

    def add(self, event: str, what: str, id_: ObjectId, version: str = "") -> None:
        """Note that an action begins or is done."""
        line = {"what": what, "object": str(id_)}
        self._write(event, line | ({"version": version} if version else {}))

    def end(self, applications: Iterable[str], applied: AppliedCommit | None) -> None:
        """Note that everything is done, and the commit of these applications, if it has one."""
        line: dict[str, object] = {}
        if applied is not None:
            line = {"commit": applied.commit, "time": applied.time}
            line["applications"] = sorted(applications)
        self._write("end", line)

    def _write(self, event: str, line: Mapping[str, object]) -> None:
        text = json.dumps({"plan": self.digest, "event": event, **line}) + "\n"
        with anchored(_root_of(self.state)):
            append(self.state / _RUNS, text.encode())


def _root_of(state: Path) -> Path:
    """The working directory, of `.commodore/live/ID` in it."""
    return state.parents[2]


def unfinished(state: Path, digest: str) -> Unfinished:
    """Progress of the last run of this plan, if it did not end."""
    progress = Unfinished(set(), {})
    for event in _events(state):
        if event["plan"] == digest and event["event"] == "end":
            progress = Unfinished(set(), {})
        elif event["plan"] == digest and event["event"] == "done":
            name = str(event.get("object", ""))
            progress.done.add((str(event.get("what", "")), name))
            progress.versions[name] = str(event.get("version", ""))
    return progress


def applied_commits(state: Path) -> dict[str, AppliedCommit]:
    """By application, the commit that was applied last."""
    commits = {}
    for event in _events(state):
        applications, commit = event.get("applications"), event.get("commit")
        if event["event"] == "end" and isinstance(applications, list) and isinstance(commit, str):
            applied = AppliedCommit(commit, str(event.get("time", "")))
            commits.update(dict.fromkeys(map(str, applications), applied))
    return commits


def _events(state: Path) -> Iterator[dict[str, object]]:
    """The lines of the log; the last one may be cut."""
    try:
        lines = reading.text_of(str(state / _RUNS)).splitlines()
    except (OSError, ValueError):
        return
    for line in lines:
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if isinstance(event, dict) and {"plan", "event"} <= event.keys():
            yield event
