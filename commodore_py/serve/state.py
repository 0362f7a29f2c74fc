"""What the daemon must know after a restart: its queue, and conditions of clusters."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from commodore_py.adapters import json_text
from commodore_py.adapters.files import anchored, write_if_changed
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from commodore_py.config import WorkPaths

Stored = TypeVar("Stored")
Read = TypeVar("Read")

log = logging.getLogger(__name__)

_SCHEMA = "serve-state/v1"


@dataclass(slots=True)
class State:
    """The file of the state directory; what cannot be read is dropped with a warning."""

    paths: WorkPaths
    jobs: list[dict[str, Any]] = field(default_factory=list)
    clusters: dict[str, dict[str, Any]] = field(default_factory=dict)
    """By cluster: `conditions`, the `record` of the last push, and `failures` in a row."""

    @property
    def file(self) -> Path:
        """The file in the working directory."""
        return self.paths.state / "serve" / "state.json"

    @classmethod
    def read(cls, paths: WorkPaths) -> State:
        """The state of the last run of the daemon."""
        state = cls(paths)
        try:
            content = json_text.load(state.file.read_bytes(), name=str(state.file))
            if content["schema"] == _SCHEMA:  # otherwise it is of another version
                state.jobs = list(content["jobs"])
                state.clusters = dict(intact(content["clusters"].items(), _cluster))
        except FileNotFoundError:
            pass
        except (OSError, ValueError, KeyError, TypeError, AttributeError, CommodoreError) as error:
            log.warning("the state of the last run cannot be read: %s", error)
        return state

    def save(self) -> None:
        """Write the file, in one step."""
        content = {"schema": _SCHEMA, "jobs": self.jobs, "clusters": self.clusters}
        try:
            with anchored(self.paths.root):
                write_if_changed(self.file, json.dumps(content).encode(), private=True)
        except OSError as error:
            log.warning("the state cannot be written: %s", error.strerror)


def intact(stored: Iterable[Stored], read: Callable[[Stored], Read]) -> Iterator[Read]:
    """The entries of the state that can be read; others are dropped with a warning."""
    for one in stored:
        try:
            yield read(one)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            log.warning("the state of the last run has a damaged entry: %s", error)


def record_of(content: object) -> dict[str, Any] | None:
    """The record of a pushed compile with the inputs that have all they need; None without any."""
    inputs = content.get("inputs") if isinstance(content, dict) else None
    if not isinstance(content, dict) or not isinstance(inputs, dict):
        return None
    shaped = {
        name: one
        for name, one in inputs.items()
        if isinstance(one, dict)
        and all(isinstance(one.get(key), str) for key in ("url", "version", "gitSha"))
    }
    time, fingerprint = content.get("time"), content.get("fingerprint")
    record = {"inputs": shaped, "time": time if isinstance(time, str) else ""}
    if isinstance(fingerprint, str):
        record["fingerprint"] = fingerprint
    return record if shaped else None


def _cluster(stored: tuple[str, dict[str, Any]]) -> tuple[str, dict[str, Any]]:
    """What is stored about a cluster; TypeError if it is damaged."""
    name, content = stored
    about: dict[str, Any] = {
        "conditions": [_condition(one) for one in content.get("conditions", [])]
    }
    if record := record_of(content.get("record")):
        about["record"] = record
    for key, type_ in (("failures", int), ("retry_at", (int, float)), ("wanted", str)):
        if key in content:
            if not isinstance(content[key], type_):
                raise TypeError(f"{key} of {name} is damaged")
            about[key] = content[key]
    return name, about


def _condition(stored: dict[str, Any]) -> dict[str, Any]:
    condition = {key: str(stored[key]) for key in ("type", "status", "reason", "message")}
    return {**condition, "since": float(stored["since"])}
