"""Local notes about a cluster: its UID, and what `live apply` did."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from commodore_py.adapters import reading
from commodore_py.adapters.files import anchored, append, write_if_changed
from commodore_py.manifests.objects import mapping, text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


_CLUSTER, _RUNS = "cluster.json", "apply.jsonl"


def known_uid(state: Path) -> str:
    """The UID of the cluster that was confirmed last."""
    try:
        content = json.loads(reading.text_of(str(state / _CLUSTER)))
    except (OSError, ValueError):
        return ""
    return text(mapping(content).get("uid"))


def keep_uid(state: Path, uid: str) -> None:
    """Note the UID of a cluster that is confirmed."""
    with anchored(_root_of(state)):
        write_if_changed(state / _CLUSTER, json.dumps({"uid": uid}).encode() + b"\n")


def note(state: Path, digest: str, event: str, **about: object) -> None:
    """Add a line to the log of the runs of a plan: `begin` and `done` of an action, or `end`.

    The end names the applications, the commit that was applied and when, if there is one.
    """
    line = json.dumps({"plan": digest, "event": event, **about}) + "\n"
    with anchored(_root_of(state)):
        append(state / _RUNS, line.encode())


def _root_of(state: Path) -> Path:
    """The working directory, of `.commodore/live/ID` in it."""
    return state.parents[2]


def unfinished(state: Path, digest: str) -> dict[tuple[str, str], str]:
    """The actions of the last run of this plan, with versions of objects; empty if it ended."""
    done: dict[tuple[str, str], str] = {}
    for event in _events(state):
        if event["plan"] == digest and event["event"] == "end":
            done = {}
        elif event["plan"] == digest and event["event"] == "done":
            key = str(event.get("what", "")), str(event.get("object", ""))
            done.pop(key, None)  # the order is that of the log
            done[key] = str(event.get("version", ""))
    return done


def applied_commits(state: Path) -> dict[str, tuple[str, str]]:
    """By application, when it was applied last, and the commit; empty if that was in part."""
    commits = {}
    for event in _events(state):
        applications, commit = event.get("applications"), event.get("commit")
        if event["event"] == "end" and isinstance(applications, list) and isinstance(commit, str):
            applied = str(event.get("time", "")), commit
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
