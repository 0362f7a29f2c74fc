"""The daemon: clusters as requests see them, and what requests have it do.

Clusters are read in child processes, and what was read is kept for moments.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from commodore_py.errors import CommodoreError
from commodore_py.model.names import did_you_mean

from .failures import coded
from .jobs import Jobs
from .settings import RECONCILER
from .state import Record, State, conditions_after

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import TypeAlias

    from commodore_py.workflows.editing.requests import Request, Rules

    from .processes import Processes
    from .settings import Settings
    from .state import Job, Kind

    Heads: TypeAlias = dict[tuple[str, str], str | None]

Value = TypeVar("Value")

_MOMENT = 2.0
_LISTING_SECONDS = 10.0
_HEADS_SECONDS = 300.0
_FIRST_PAUSE, _LONGEST_PAUSE = 15.0, 3600.0
"""Before a push that failed is tried again."""
_MOST_PROBLEMS = 200
_BRIEF = ("id", "display_name", "tenant", "catalog_url", "compiled", "problem")


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


class Daemon:
    """Everything that a running daemon has; made within its event loop."""

    def __init__(self, settings: Settings, processes: Processes) -> None:
        self.settings = settings
        self.state = State.read(settings.config.paths)
        self.jobs = Jobs(settings, processes, self.state, self.ended)
        self.wake = asyncio.Event()
        """Has the reconciler look at once."""
        self._summaries: dict[str, Kept[dict[str, Any]]] = {}
        self._last_heads: Heads = {}
        self.listing: Kept[dict[str, dict[str, Any]]] = Kept(self._load_listing, _LISTING_SECONDS)
        """All clusters as the API lists them."""
        self.heads: Kept[Heads] = Kept(self._load_heads, settings.poll)
        """The commits that remotes have for all inputs, by URL and version.

        Of a remote that cannot be reached, they are those that were last seen.
        """

    async def read(self, cluster_id: str, work: str, *arguments: Any) -> Any:
        """Read something of a cluster, by a function of `work`."""
        await self.listed(cluster_id)
        config, live = self.settings.config, work.startswith("live_")
        return await self.jobs.read(f"work.{work}", config, cluster_id, *arguments, live=live)

    async def edit(
        self, cluster_id: str, request: Request, rules: Rules, work: str = "work.edit"
    ) -> dict[str, Any]:
        """Carry out an edit."""
        await self.listed(cluster_id)
        arguments = (self.settings.config, cluster_id, request, rules)
        try:
            result: dict[str, Any] = await self.jobs.edit(cluster_id, work, *arguments)
        finally:
            if not rules.dry_run:
                self._forget(cluster_id)
        return result

    async def submit(self, kind: Kind, cluster_id: str, by: str, seen: str = "") -> Job:
        """Queue a compile or a push of a cluster."""
        await self.listed(cluster_id)
        return self.jobs.submit(kind, cluster_id, by, seen)

    async def clusters(self) -> list[dict[str, Any]]:
        """Every cluster in a few words."""
        listing = await self.listing.get()
        heads = await self.heads_in_time()
        return [self._in_short(listed, heads) for listed in listing.values()]

    async def cluster(self, cluster_id: str) -> dict[str, Any]:
        """Everything about a cluster that needs no evaluation."""
        listed = await self.listed(cluster_id)
        heads = await self.heads_in_time()
        job = self.jobs.last(cluster_id, "done", "failed")
        problems = ((job.result or {}).get("problems") or []) if job else []
        about = {
            **self._in_short(listed, heads),
            "facts": listed["facts"],
            "problems": problems[:_MOST_PROBLEMS],
            "error": job.error if job else None,
        }
        if not listed["compiled"]:
            return about
        if cluster_id not in self._summaries:
            self._summaries[cluster_id] = Kept(lambda: self.read(cluster_id, "summary"), _MOMENT)
        return about | await self._summaries[cluster_id].get()

    async def listed(self, cluster_id: str) -> dict[str, Any]:
        """A cluster as the API lists it; an error if there is none."""
        listing = await self.listing.get()
        if cluster_id not in listing:
            hint = did_you_mean(cluster_id, listing, listed="there are", otherwise="there is none")
            raise coded("clusters/unknown", f"there is no cluster {cluster_id!r}", hint=hint)
        return listing[cluster_id]

    async def heads_in_time(self) -> Heads:
        """The commits of remotes for a request; those of before if that takes too long."""
        try:
            return await asyncio.wait_for(self.heads.get(), _MOMENT)
        except (TimeoutError, CommodoreError):
            return self._last_heads

    def record(self, listed: dict[str, Any]) -> Record:
        """The inputs of the last pushed compile, of the daemon or as it was reported; or none."""
        pushed = self.state.cluster(listed["id"]).record
        records: list[Record] = [record for record in (pushed, listed["record"]) if record]
        return max(records, key=lambda record: record.time, default=Record(inputs={}))

    def moved(self, listed: dict[str, Any], heads: Heads) -> list[dict[str, Any]]:
        """The inputs of a cluster that differ from those of its last pushed compile."""
        record = self.record(listed)
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
        inputs = self.record(listed).inputs.values()
        return bool(inputs) and all((used.url, used.version) in heads for used in inputs)

    async def _load_listing(self) -> dict[str, dict[str, Any]]:
        config = self.settings.config
        listing: dict[str, dict[str, Any]] = await self.jobs.read("compiling.listing", config)
        for listed in listing.values():
            listed["record"] = listed["record"] and Record.model_validate(listed["record"])
        # An API that does not answer in full must not have clusters forgotten.
        if listing and not any(listed["problem"] for listed in listing.values()):
            for kept in (self.state.clusters, self._summaries):
                for name in kept.keys() - listing.keys():
                    del kept[name]
        return listing

    async def _load_heads(self) -> Heads:
        every = [self.record(listed) for listed in (await self.listing.get()).values()]
        pairs = {(used.url, used.version) for record in every for used in record.inputs.values()}
        read = await self.jobs.read("compiling.remote_heads", sorted(pairs), seconds=_HEADS_SECONDS)
        heads = self._last_heads | {(url, version): commit for url, version, commit in read}
        self._last_heads = {pair: heads[pair] for pair in pairs if pair in heads}
        return self._last_heads

    def _in_short(self, listed: dict[str, Any], heads: Heads) -> dict[str, Any]:
        job, moved = self.jobs.last(listed["id"]), self.moved(listed, heads)
        conditions = self.state.cluster(listed["id"]).conditions
        return {
            **{key: listed[key] for key in _BRIEF},
            "up_to_date": False if moved else (self.is_known(listed, heads) or None),
            "moved": moved,
            "conditions": [condition.model_dump() for condition in conditions],
            "last_job": job.as_data() if job else None,
        }

    def ended(self, job: Job) -> None:
        """Keep what a job has shown about its cluster, and when the reconciler tries it again."""
        about = self.state.cluster(job.cluster)
        record = (job.result or {}).pop("record", None)
        if job.kind == "push" and record and job.outcome != "held":
            about.record = Record.model_validate(record)
        for condition in conditions_after(job):
            about.set(condition)
        if job.by == RECONCILER:
            if job.state == "done" and job.outcome != "held":
                about.failures, about.retry_at = 0, 0
            elif job.state in ("done", "failed"):
                about.failures += 1
                pause = min(_FIRST_PAUSE * 2 ** min(about.failures - 1, 10), _LONGEST_PAUSE)
                about.retry_at = time.time() + pause
            elif not self.jobs.stopping.is_set():  # cancelled by a caller
                about.retry_at = time.time() + _LONGEST_PAUSE
            self.wake.set()
        self._forget(job.cluster)

    def _forget(self, cluster_id: str) -> None:
        """Have what was read about a cluster and its remotes be read again."""
        self.listing.forget()
        self.heads.forget()
        self._summaries.pop(cluster_id, None)
