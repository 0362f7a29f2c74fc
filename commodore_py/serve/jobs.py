"""The queue: one piece of work at a time in each working directory, and a bound for all of it."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from commodore_py.errors import CommodoreError

from .failures import as_data, coded
from .state import Job

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from .processes import Processes
    from .settings import Settings
    from .state import Kind, State

log = logging.getLogger(__name__)

_MOST_JOBS = 100
"""How many may wait, and how many that ended are kept."""
_MOST_EDITS = 16
"""How many may wait for one working directory."""
_MOST_READS = 64
_MOST_EVENTS = 1000
_HEARTBEAT = 15.0
_COMPILE_SECONDS, _EDIT_SECONDS, _READ_SECONDS = 3600.0, 600.0, 300.0
_READERS = 4
_LIVE_READERS = 2
"""How many read from clusters at a time: these may not respond for minutes."""


class Jobs:
    """All work of the daemon."""

    def __init__(
        self,
        settings: Settings,
        processes: Processes,
        state: State,
        ended: Callable[[Job], None],
    ) -> None:
        self._config = settings.config
        self._processes = processes
        self._state = state
        self._workers = asyncio.Semaphore(settings.workers)
        self._readers = asyncio.Semaphore(_READERS)
        self._live_readers = asyncio.Semaphore(_LIVE_READERS)
        self._ended = ended
        """Called with each job at its end."""
        self._directories: dict[str, asyncio.Lock] = {}
        self._waiting: Counter[str] = Counter()
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._changed = asyncio.Event()
        """Replaced by a new one each time that it is set."""
        self.stopping = asyncio.Event()
        self.all = state.jobs

    async def read(
        self, work: str, *arguments: Any, seconds: float = _READ_SECONDS, live: bool = False
    ) -> Any:
        """Do work that changes nothing, and reads from a cluster if it is `live`."""
        what = "reads of clusters" if live else "reads"
        with self.bounded(what, _MOST_READS):
            async with self._live_readers if live else self._readers:
                return await self._processes.run(work, *arguments, seconds=seconds)

    async def edit(self, cluster: str, work: str, *arguments: Any) -> Any:
        """Do work in the working directory of a cluster, after all that was requested before."""
        with self.bounded(f"edits of cluster {cluster}", _MOST_EDITS):
            async with self._alone(cluster):
                return await self._processes.run(work, *arguments, seconds=_EDIT_SECONDS)

    def submit(self, kind: Kind, cluster: str, by: str, seen: str = "") -> Job:
        """Queue a compile or a push; the same that waits is not repeated."""
        waiting = [job for job in self.all.values() if not job.is_over]
        for job in waiting:
            request = (job.kind, job.cluster, job.by, job.seen)
            if job.state == "queued" and request == (kind, cluster, by, seen):
                return job
        if len(waiting) >= _MOST_JOBS:
            raise coded("run/queue-full", f"{_MOST_JOBS} jobs are waiting", hint="try again later")
        job = Job(kind=kind, cluster=cluster, by=by, seen=seen)
        self.all[job.id] = job
        for old in [job.id for job in self.all.values() if job.is_over][:-_MOST_JOBS]:
            del self.all[old]
        task = self._tasks[job.id] = asyncio.get_running_loop().create_task(self._run(job))
        task.add_done_callback(partial(self._finish, job))
        self._state.save(self._config.paths)
        return job

    def cancel(self, job: Job) -> None:
        """End a job, with all programs that it has started."""
        task = self._tasks.get(job.id)
        if task is not None and not task.cancelling():
            if job.state == "queued":  # nothing has to be ended
                job.state, job.ended = "cancelled", time.time()
            task.cancel()

    def last(self, cluster: str, *states: str) -> Job | None:
        """The last job of a cluster, in one of these states if there are any."""
        jobs = (job for job in reversed(self.all.values()) if job.cluster == cluster)
        return next((job for job in jobs if not states or job.state in states), None)

    async def events(self, job: Job, after: int) -> AsyncIterator[dict[str, Any]]:
        """The events of a job as they happen, each with its number; an empty one as a heartbeat."""
        while True:
            changed = self._changed
            for event in tuple(job.events):
                if event["number"] > after:
                    after = event["number"]
                    yield event
            if job.is_over:
                end = {"level": "end", "message": job.state, "job": job.as_data()}
                yield {"number": after + 1, **end}
                return
            if self.stopping.is_set():
                return
            try:
                await asyncio.wait_for(changed.wait(), _HEARTBEAT)
            except TimeoutError:
                yield {}

    async def stop(self, seconds: float) -> None:
        """Let what runs come to its end for a while, then interrupt it; nothing else begins."""
        self.stopping.set()
        self.wake()
        if self._tasks:
            await asyncio.wait(self._tasks.values(), timeout=seconds)
        for task in tuple(self._tasks.values()):
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    def wake(self) -> None:
        """Wake all that wait for events."""
        self._changed.set()
        self._changed = asyncio.Event()

    @contextmanager
    def bounded(self, what: str, limit: int) -> Iterator[None]:
        """Count something that is going on, and refuse more than a limit."""
        if self._waiting[what] >= limit:
            raise coded("run/queue-full", f"{limit} {what} are open", hint="try again later")
        self._waiting[what] += 1
        try:
            yield
        finally:
            self._waiting[what] -= 1

    @asynccontextmanager
    async def _alone(self, cluster: str) -> AsyncIterator[None]:
        """One piece of work in each working directory, and as many as there are workers."""
        async with self._directories.setdefault(cluster, asyncio.Lock()), self._workers:
            yield

    async def _run(self, job: Job) -> None:
        def report(event: dict[str, Any]) -> None:
            number = job.events[-1]["number"] + 1 if job.events else 1
            job.events.append({"number": number, "time": round(time.time(), 3), **event})
            del job.events[:-_MOST_EVENTS]
            self.wake()

        async with self._alone(job.cluster):
            if self.stopping.is_set():
                raise asyncio.CancelledError
            job.state, job.started = "running", time.time()
            self._state.save(self._config.paths)
            try:
                job.result = await self._processes.run(
                    "compiling.compile_",
                    self._config,
                    job.cluster,
                    job.kind,
                    job.seen,
                    seconds=_COMPILE_SECONDS,
                    report=report,
                )
            finally:
                job.ended = time.time()

    def _finish(self, job: Job, task: asyncio.Task[None]) -> None:
        """Keep how a job ended; it may have been cancelled before it began."""
        del self._tasks[job.id]
        error = None if task.cancelled() else task.exception()
        if task.cancelled():
            job.state = "interrupted" if self.stopping.is_set() else "cancelled"
        elif error is None:
            job.state = "done"
        else:
            if not isinstance(error, CommodoreError):
                log.error("job %s", job.id, exc_info=error)
                error = coded("run/crashed", f"internal error: {type(error).__name__}")
            job.state, job.error = "failed", as_data(error)
        job.ended = job.ended or time.time()
        self._ended(job)
        self._state.save(self._config.paths)
        self.wake()
