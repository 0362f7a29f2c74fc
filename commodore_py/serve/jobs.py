"""The queue: one piece of work at a time in each working directory, and a bound for all of it."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import deque
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from commodore_py.errors import CommodoreError

from .failures import QueueFull, as_data
from .state import intact

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from .processes import Processes
    from .state import State

_MOST_JOBS = 100
"""How many may wait, and how many that ended are kept."""
_MOST_WAITING = 16
"""How many edits may wait for one working directory."""
_MOST_READS = 64
_MOST_EVENTS = 1000
_HEARTBEAT = 15.0
COMPILE_SECONDS = 3600.0
EDIT_SECONDS = 600.0
READ_SECONDS = 60.0
_READERS = 4


@dataclass(slots=True)
class Job:
    """A compile or a push, from the request to its end."""

    id: str
    kind: str
    cluster: str
    by: str
    state: str = "queued"
    """`queued`, `running`, `done`, `failed`, `cancelled` or `interrupted`."""
    created: float = field(default_factory=time.time)
    started: float | None = None
    ended: float | None = None
    result: dict[str, Any] | None = None
    error: dict[str, Any] | None = None
    events: deque[dict[str, Any]] = field(default_factory=lambda: deque(maxlen=_MOST_EVENTS))
    count: int = 0
    """How many events there were."""

    @property
    def is_over(self) -> bool:
        """Whether nothing more will happen."""
        return self.state not in ("queued", "running")

    def as_data(self) -> dict[str, Any]:
        """The job without its events."""
        names = ("id", "kind", "cluster", "by", "state", "created", "started", "ended")
        record = {name: getattr(self, name) for name in names}
        return {"schema": "job/v1", **record, "result": self.result, "error": self.error}

    @classmethod
    def restored(cls, stored: dict[str, Any]) -> Job:
        """A job of an earlier run of the daemon; one that was not done is interrupted.

        Raises KeyError or TypeError if it is damaged.
        """
        names = ("id", "kind", "cluster", "by", "state", "created", "started", "ended")
        job = cls(**{name: stored[name] for name in names})
        job.result, job.error = stored.get("result"), stored.get("error")
        texts = (job.id, job.kind, job.cluster, job.by, job.state)
        times = (job.created, job.started or 0, job.ended or 0)
        contents = (job.result or {}, job.error or {})
        for values, type_ in ((texts, str), (times, (int, float)), (contents, dict)):
            if not all(isinstance(one, type_) for one in values):
                raise TypeError("a job is damaged")
        if not job.is_over:
            job.state = "interrupted"
        return job


class Jobs:
    """All work of the daemon."""

    def __init__(self, processes: Processes, state: State, workers: int) -> None:
        self._processes = processes
        self._state = state
        self._workers = asyncio.Semaphore(workers)
        self._readers = asyncio.Semaphore(_READERS)
        self._directories: dict[str, asyncio.Lock] = {}
        self._waiting: dict[str, int] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._changed = asyncio.Event()
        """Replaced by a new one each time that it is set."""
        self._reading = 0
        self._requests: dict[str, tuple[Any, ...]] = {}
        self.stopping = asyncio.Event()
        self.all: dict[str, Job] = {}
        for job in intact(state.jobs, Job.restored):
            self.all[job.id] = job

    async def read(self, work: str, *arguments: Any, seconds: float = READ_SECONDS) -> Any:
        """Do work that changes nothing."""
        if self._reading >= _MOST_READS:
            raise QueueFull(f"{_MOST_READS} reads are waiting", hint="try again later")
        self._reading += 1
        try:
            async with self._readers:
                return await self._processes.run(work, *arguments, seconds=seconds)
        finally:
            self._reading -= 1

    async def edit(self, cluster: str, work: str, *arguments: Any) -> Any:
        """Do work in the working directory of a cluster once nothing else is at work there."""
        if self._waiting.get(cluster, 0) >= _MOST_WAITING:
            raise QueueFull(
                f"{_MOST_WAITING} edits are waiting for cluster {cluster}", hint="try again later"
            )
        self._waiting[cluster] = self._waiting.get(cluster, 0) + 1
        try:
            async with self._alone(cluster):
                return await self._processes.run(work, *arguments, seconds=EDIT_SECONDS)
        finally:
            self._waiting[cluster] -= 1

    def submit(
        self,
        kind: str,
        cluster: str,
        by: str,
        work: str,
        *arguments: Any,
        done: Callable[[Job], Awaitable[None]] | None = None,
    ) -> Job:
        """Queue work in the working directory of a cluster; the same that waits is not repeated."""
        request = (kind, cluster, by, *arguments[1:])
        for job in self.all.values():
            if job.state == "queued" and self._requests.get(job.id) == request:
                return job
        if sum(not job.is_over for job in self.all.values()) >= _MOST_JOBS:
            raise QueueFull(f"{_MOST_JOBS} jobs are waiting", hint="try again later")
        job = Job(secrets.token_hex(8), kind, cluster, by)
        self.all[job.id], self._requests[job.id] = job, request
        self._forget_old()
        task = asyncio.get_running_loop().create_task(self._run(job, work, arguments, done))
        self._tasks[job.id] = task
        task.add_done_callback(lambda _: self._tasks.pop(job.id, None))
        self._keep()
        return job

    def cancel(self, job: Job) -> None:
        """End a job, with all programs that it has started."""
        if task := self._tasks.get(job.id):
            if job.state == "queued":  # a task that has not begun ends without a word
                job.state, job.ended = "cancelled", time.time()
                self._keep()
                self.wake()
            task.cancel()

    def last(self, cluster: str) -> Job | None:
        """The last job of a cluster that came to its end."""
        jobs = (job for job in reversed(self.all.values()) if job.cluster == cluster)
        return next((job for job in jobs if job.state in ("done", "failed")), None)

    async def events(self, job: Job, after: int) -> AsyncIterator[tuple[int, dict[str, Any]]]:
        """The events of a job as they happen, each with its number; 0 is a sign of life."""
        while True:
            changed = self._changed
            first = job.count - len(job.events)
            for number, event in enumerate(tuple(job.events), first + 1):
                if number > after:
                    yield number, event
            after = max(after, job.count)
            if job.is_over:
                yield job.count + 1, {"level": "end", "message": job.state, "job": job.as_data()}
                return
            if self.stopping.is_set():
                return
            try:
                await asyncio.wait_for(changed.wait(), _HEARTBEAT)
            except TimeoutError:
                yield 0, {}

    async def stop(self, seconds: float) -> None:
        """Let what runs come to its end for a while, then cancel it."""
        self.wake()
        if self._tasks:
            await asyncio.wait(self._tasks.values(), timeout=seconds)
        for task in tuple(self._tasks.values()):
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
        await self._processes.close()
        self._keep()

    def wake(self) -> None:
        """Have everybody look who waits for events."""
        self._changed.set()
        self._changed = asyncio.Event()

    @asynccontextmanager
    async def _alone(self, cluster: str) -> AsyncIterator[None]:
        """One piece of work in each working directory, and as many as there are workers."""
        async with self._directories.setdefault(cluster, asyncio.Lock()), self._workers:
            yield

    async def _run(
        self,
        job: Job,
        work: str,
        arguments: tuple[Any, ...],
        done: Callable[[Job], Awaitable[None]] | None,
    ) -> None:
        def report(event: dict[str, Any]) -> None:
            job.events.append({**event, "time": round(time.time(), 3)})
            job.count += 1
            self.wake()

        try:
            async with self._alone(job.cluster):
                job.state, job.started = "running", time.time()
                self._keep()
                job.result = await self._processes.run(
                    work, *arguments, seconds=COMPILE_SECONDS, report=report
                )
            job.state = "done"
        except CommodoreError as error:
            job.state, job.error = "failed", as_data(error)
        except asyncio.CancelledError:
            job.state = "cancelled"
        finally:
            job.ended = time.time()
        if done is not None:
            await done(job)
        self._keep()
        self.wake()

    def _forget_old(self) -> None:
        over = [job.id for job in self.all.values() if job.is_over]
        for id_ in over[:-_MOST_JOBS]:
            del self.all[id_]
            self._requests.pop(id_, None)

    def _keep(self) -> None:
        self._state.jobs = [job.as_data() for job in self.all.values()]
        self._state.save()
