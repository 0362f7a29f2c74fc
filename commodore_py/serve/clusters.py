"""Clusters as requests see them: read in child processes, and kept for moments."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from commodore_py.errors import CommodoreError
from commodore_py.model.names import did_you_mean

from .failures import NotCompiled, UnknownCluster

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import TypeAlias

    from commodore_py.config import Config

    from .jobs import Jobs
    from .state import State

    Heads: TypeAlias = dict[tuple[str, str], str | None]

Value = TypeVar("Value")

_MOMENT = 2.0
_LISTING_SECONDS = 10.0
_MOST_PROBLEMS = 200


class Kept(Generic[Value]):
    """A value that is read again once it is old: in the background, unless it is much too old."""

    def __init__(self, load: Callable[[], Awaitable[Value]], fresh: float) -> None:
        self._load = load
        self._fresh = fresh
        self._value: Value | None = None
        self._read = float("-inf")
        self._loading: asyncio.Task[Value] | None = None

    async def get(self) -> Value:
        """The value; callers wait for the first one, after `forget`, and if it is too old."""
        age = self.refresh()
        if self._value is not None and age < 2 * self._fresh:
            return self._value
        assert self._loading is not None  # noqa: S101 - it is as old as that
        return await asyncio.shield(self._loading)

    def refresh(self) -> float:
        """Begin to read it if it is old; returns how old it is."""
        age = time.monotonic() - self._read
        if self._loading is None and age >= self._fresh:
            self._loading = asyncio.get_running_loop().create_task(self._reload())
            self._loading.add_done_callback(_observed)
        return age

    def forget(self) -> None:
        """Have the next caller wait for a new value."""
        self._value, self._loading = None, None
        self._read = float("-inf")

    async def _reload(self) -> Value:
        task = asyncio.current_task()
        try:
            value = await self._load()
        finally:
            is_current = self._loading is task
            if is_current:
                self._loading = None
        if is_current:  # otherwise it was read before what made it old
            self._value, self._read = value, time.monotonic()
        return value


def _observed(task: asyncio.Task[Any]) -> None:
    """Nobody may wait for a value that could not be read."""
    if not task.cancelled():
        task.exception()


class Clusters:
    """All clusters of the working directory and of the API."""

    def __init__(self, config: Config, jobs: Jobs, state: State, heads_seconds: float) -> None:
        self._config = config
        self._jobs = jobs
        self._state = state
        self._listing: Kept[dict[str, dict[str, Any]]] = Kept(self._load_listing, _LISTING_SECONDS)
        self._summaries: dict[str, Kept[dict[str, Any]]] = {}
        self._heads: Kept[Heads] = Kept(self._load_heads, heads_seconds)
        self._seen: Heads = {}

    def warm_up(self) -> None:
        """Read what most requests need before the first one comes."""
        self._listing.refresh()
        self._heads.refresh()

    async def all(self) -> list[dict[str, Any]]:
        """Every cluster in a few words."""
        listing = await self._listing.get()
        heads = await self._heads_in_time()
        return [self._in_short(one, heads) for one in listing.values()]

    async def get(self, cluster_id: str) -> dict[str, Any]:
        """Everything about a cluster that needs no evaluation."""
        listed = await self.listed(cluster_id)
        heads = await self._heads_in_time()
        about = self._in_short(listed, heads)
        job = self._jobs.last(cluster_id)
        problems = ((job.result or {}).get("problems") or []) if job else []
        about |= {
            "facts": listed["facts"],
            "moved": self.moved(listed, heads),
            "problems": problems[:_MOST_PROBLEMS],
            "error": job.error if job else None,
        }
        if listed["compiled"]:
            about |= await self.summary(cluster_id)
        return about

    async def summary(self, cluster_id: str) -> dict[str, Any]:
        """The commits and instances of a cluster that was compiled."""
        if not (await self.listed(cluster_id))["compiled"]:
            raise NotCompiled(f"cluster {cluster_id} was not compiled yet", hint="compile it first")
        kept = self._summaries.get(cluster_id)
        if kept is None:
            kept = self._summaries[cluster_id] = Kept(
                lambda: self._jobs.read("work.summary", self._config, cluster_id), _MOMENT
            )
        return await kept.get()

    async def listed(self, cluster_id: str) -> dict[str, Any]:
        """A cluster as the API lists it; an error if there is none."""
        listing = await self._listing.get()
        if cluster_id not in listing:
            hint = did_you_mean(cluster_id, listing, listed="there are", otherwise="there is none")
            raise UnknownCluster(f"there is no cluster {cluster_id!r}", hint=hint)
        return listing[cluster_id]

    async def listing(self) -> list[dict[str, Any]]:
        """All clusters as the API lists them."""
        return list((await self._listing.get()).values())

    def forget_listing(self) -> None:
        """Have the next caller wait for a new list."""
        self._listing.forget()

    async def known_heads(self) -> Heads:
        """The commits of remotes as they were last read."""
        return await self._heads.get()

    def changed(self, cluster_id: str, *, inputs: bool = False) -> None:
        """Forget what was read about a cluster; with `inputs`, about all remotes."""
        self._listing.forget()
        if kept := self._summaries.get(cluster_id):
            kept.forget()
        if inputs:
            self._heads.forget()

    def moved(self, listed: dict[str, Any], heads: Heads) -> list[dict[str, Any]]:
        """The inputs of a cluster that differ from those of its last pushed compile."""
        record = self.record(listed) or {"inputs": {}}
        found = []
        for name, one in record["inputs"].items():
            now = heads.get((one["url"], one["version"]))
            if now not in (None, one["gitSha"]):
                found.append({"input": name, **one, "now": now})
        if record.get("fingerprint") not in (None, listed["fingerprint"]):
            found.append({"input": "facts"})
        return found

    def is_up_to_date(self, listed: dict[str, Any], heads: Heads) -> bool | None:
        """Whether no input has moved; unknown as long as a remote was never read."""
        record = self.record(listed)
        if record is None:
            return None
        if self.moved(listed, heads):
            return False
        inputs = record["inputs"].values()
        return all((one["url"], one["version"]) in heads for one in inputs) or None

    def record(self, listed: dict[str, Any]) -> dict[str, Any] | None:
        """The inputs of the last pushed compile: of the daemon, or else as it was reported."""
        own = self._state.clusters.get(listed["id"], {}).get("record")
        reported = listed["record"]
        if own is None or (reported and reported["time"] > own["time"]):
            return dict(reported) if reported else None
        return dict(own)

    async def heads(self) -> Heads:
        """The commits that remotes have now for all inputs, by URL and version.

        Of a remote that cannot be reached, they are those that were last seen.
        """
        self._heads.forget()
        return await self._heads.get()

    async def _load_listing(self) -> dict[str, dict[str, Any]]:
        listing: dict[str, dict[str, Any]] = await self._jobs.read(
            "compiling.listing", self._config
        )
        # An API that does not answer in full must not have clusters forgotten.
        if listing and not any(one["problem"] for one in listing.values()):
            for name in self._state.clusters.keys() - listing.keys():
                del self._state.clusters[name]
        return listing

    async def _heads_in_time(self) -> Heads:
        """The same for a request, which does not wait for slow remotes: none of them is known."""
        try:
            return await asyncio.wait_for(self._heads.get(), _MOMENT)
        except (TimeoutError, CommodoreError):
            return {}

    async def _load_heads(self) -> Heads:
        records = [self.record(one) for one in (await self._listing.get()).values()]
        pairs = {
            (one["url"], one["version"])
            for record in records
            for one in (record or {"inputs": {}})["inputs"].values()
        }
        found = await self._jobs.read("compiling.remote_heads", sorted(pairs), seconds=300)
        heads = self._seen | found
        self._seen = {pair: heads[pair] for pair in pairs if pair in heads}
        return self._seen

    def _in_short(self, listed: dict[str, Any], heads: Heads) -> dict[str, Any]:
        name = listed["id"]
        job = next((one for one in reversed(self._jobs.all.values()) if one.cluster == name), None)
        return {
            "id": name,
            "display_name": listed["display_name"],
            "tenant": listed["tenant"],
            "catalog_url": listed["catalog_url"],
            "compiled": listed["compiled"],
            "up_to_date": self.is_up_to_date(listed, heads),
            "conditions": self._state.clusters.get(name, {}).get("conditions", []),
            "last_job": job.as_data() if job else None,
            "problem": listed["problem"],
        }
