"""Clusters as requests see them: read in child processes, and kept for moments."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from commodore_py.errors import CommodoreError
from commodore_py.model.names import did_you_mean

from .failures import coded
from .state import Input, Record

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Coroutine
    from typing import TypeAlias

    from commodore_py.config import Config

    from .jobs import Jobs
    from .state import State

    Heads: TypeAlias = dict[tuple[str, str], str | None]

Value = TypeVar("Value")

_MOMENT = 2.0
_LISTING_SECONDS = 10.0
_HEADS_SECONDS = 300.0
_MOST_PROBLEMS = 200


class Kept(Generic[Value]):
    """A value that is read again once it is old: in the background, unless it is much too old."""

    def __init__(self, load: Callable[[], Coroutine[Any, Any, Value]], fresh: float) -> None:
        self._load = load
        self._fresh = fresh
        self._started = 0.0
        self._reading: asyncio.Task[Value] | None = None
        self._last: Value | None = None
        """What was read before."""

    async def get(self) -> Value:
        """The value; callers wait for the first one, after `forget`, and if it is too old."""
        now, reading = time.monotonic(), self._reading
        if reading is not None and reading.done():
            has_failed = reading.cancelled() or reading.exception() is not None
            self._last = None if has_failed else reading.result()
            if self._last is not None and now - self._started < self._fresh:
                return self._last
        if reading is None or reading.done():
            is_old = now - self._started >= 2 * self._fresh
            self._last = None if is_old else self._last
            self._started = now
            reading = self._reading = asyncio.get_running_loop().create_task(self._load())
            reading.add_done_callback(lambda task: task.cancelled() or task.exception())
        return await asyncio.shield(reading) if self._last is None else self._last

    def forget(self) -> None:
        """Have the next caller wait for a new value; one that is being read may be too old."""
        self._reading = self._last = None


class Clusters:
    """All clusters of the working directory and of the API."""

    def __init__(self, config: Config, jobs: Jobs, state: State, heads_seconds: float) -> None:
        self._config = config
        self._jobs = jobs
        self._state = state
        self._summaries: dict[str, Kept[dict[str, Any]]] = {}
        self._last_heads: Heads = {}
        self.listing: Kept[dict[str, dict[str, Any]]] = Kept(self._load_listing, _LISTING_SECONDS)
        """All clusters as the API lists them."""
        self.heads: Kept[Heads] = Kept(self._load_heads, heads_seconds)
        """The commits that remotes have for all inputs, by URL and version.

        Of a remote that cannot be reached, they are those that were last seen.
        """

    async def all(self) -> list[dict[str, Any]]:
        """Every cluster in a few words."""
        listing = await self.listing.get()
        heads = await self.heads_in_time()
        return [self._in_short(listed, heads) for listed in listing.values()]

    async def get(self, cluster_id: str) -> dict[str, Any]:
        """Everything about a cluster that needs no evaluation."""
        listed = await self.listed(cluster_id)
        heads = await self.heads_in_time()
        job = self._jobs.last(cluster_id, "done", "failed")
        problems = ((job.result or {}).get("problems") or []) if job else []
        about = {
            **self._in_short(listed, heads),
            "facts": listed["facts"],
            "problems": problems[:_MOST_PROBLEMS],
            "error": job.error if job else None,
        }
        return about | (await self.summary(cluster_id) if listed["compiled"] else {})

    async def summary(self, cluster_id: str) -> dict[str, Any]:
        """The commits and instances of a cluster that was compiled."""
        if cluster_id not in self._summaries:
            self._summaries[cluster_id] = Kept(
                lambda: self._jobs.read("work.summary", self._config, cluster_id), _MOMENT
            )
        return await self._summaries[cluster_id].get()

    async def listed(self, cluster_id: str) -> dict[str, Any]:
        """A cluster as the API lists it; an error if there is none."""
        listing = await self.listing.get()
        if cluster_id not in listing:
            hint = did_you_mean(cluster_id, listing, listed="there are", otherwise="there is none")
            raise coded("clusters/unknown", f"there is no cluster {cluster_id!r}", hint=hint)
        return listing[cluster_id]

    def forget(self, cluster_id: str) -> None:
        """Have what was read about a cluster and its remotes be read again."""
        self.listing.forget()
        self.heads.forget()
        self._summaries.pop(cluster_id, None)

    def moved(self, listed: dict[str, Any], heads: Heads) -> list[dict[str, Any]]:
        """The inputs of a cluster that differ from those of its last pushed compile."""
        record = self.record(listed) or Record(inputs={})
        moved: list[dict[str, Any]] = []
        for name, used in record.inputs.items():
            now = heads.get((used.url, used.version))
            if now not in (None, used.gitSha):
                moved.append({"input": name, **used.model_dump(), "now": now})
        if record.fingerprint not in ("", listed["fingerprint"]):
            moved.append({"input": "facts"})
        return moved

    def is_known(self, listed: dict[str, Any], heads: Heads) -> bool:
        """Return whether the remotes of all inputs were read."""
        inputs = self.inputs(listed)
        return bool(inputs) and all((used.url, used.version) in heads for used in inputs)

    def record(self, listed: dict[str, Any]) -> Record | None:
        """The inputs of the last pushed compile: of the daemon, or else as it was reported."""
        pushed = self._state.cluster(listed["id"]).record
        records: list[Record] = [record for record in (pushed, listed["record"]) if record]
        return max(records, key=lambda record: record.time, default=None)

    def inputs(self, listed: dict[str, Any]) -> Collection[Input]:
        """The inputs of the last pushed compile, without their names."""
        record = self.record(listed)
        return record.inputs.values() if record else ()

    async def _load_listing(self) -> dict[str, dict[str, Any]]:
        listing: dict[str, dict[str, Any]] = await self._jobs.read(
            "compiling.listing", self._config
        )
        for listed in listing.values():
            listed["record"] = listed["record"] and Record.model_validate(listed["record"])
        # An API that does not answer in full must not have clusters forgotten.
        if listing and not any(listed["problem"] for listed in listing.values()):
            for kept in (self._state.clusters, self._summaries):
                for name in kept.keys() - listing.keys():
                    del kept[name]
        return listing

    async def heads_in_time(self) -> Heads:
        """The commits of remotes for a request; those of before if that takes too long."""
        try:
            return await asyncio.wait_for(self.heads.get(), _MOMENT)
        except (TimeoutError, CommodoreError):
            return self._last_heads

    async def _load_heads(self) -> Heads:
        listing = await self.listing.get()
        pairs = {
            (used.url, used.version) for listed in listing.values() for used in self.inputs(listed)
        }
        read = await self._jobs.read(
            "compiling.remote_heads", sorted(pairs), seconds=_HEADS_SECONDS
        )
        heads = self._last_heads | {(url, version): commit for url, version, commit in read}
        self._last_heads = {pair: heads[pair] for pair in pairs if pair in heads}
        return self._last_heads

    def _in_short(self, listed: dict[str, Any], heads: Heads) -> dict[str, Any]:
        name = listed["id"]
        job, moved = self._jobs.last(name), self.moved(listed, heads)
        brief = ("id", "display_name", "tenant", "catalog_url", "compiled", "problem")
        return {
            **{key: listed[key] for key in brief},
            "up_to_date": False if moved else (self.is_known(listed, heads) or None),
            "moved": moved,
            "conditions": [
                condition.model_dump() for condition in self._state.cluster(name).conditions
            ],
            "last_job": job.as_data() if job else None,
        }
