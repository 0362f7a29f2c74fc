"""The daemon: what requests and the reconciler have it do."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from commodore_py.adapters.files.file_lock import locked
from commodore_py.dependencies.protection.journal import prepare
from commodore_py.errors import CommodoreError
from commodore_py.workflows.editing.repository import Moved
from commodore_py.workflows.editing.rules import Rules

from .clusters import Clusters
from .jobs import Jobs
from .processes import Processes
from .reconcile import Reconciler, after
from .state import State

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from commodore_py.config import WorkPaths
    from commodore_py.model.difference import Grade
    from commodore_py.workflows.editing.requests import Level

    from .jobs import Job
    from .settings import Settings


Verb = Literal["set", "unset", "add", "set item", "remove item", "enable", "disable"]


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of a value, of an item of a list, or of an instance."""

    verb: Verb
    path: str
    value: Any = None
    item: str = ""
    """The key of the item, or the name of the instance."""
    level: Level = "cluster"
    target: str = ""
    """The instance whose layers count."""
    is_yaml: bool = False
    """Whether the value is written as in class files."""


def rules_for(author: str, base: str, *, dry_run: bool = False) -> Rules:
    """How an edit of a caller is carried out, who has seen this version of the configuration."""
    return Rules(dry_run=dry_run, commit=True, push=True, author=author, base=base)


@contextmanager
def alone_in(paths: WorkPaths) -> Iterator[None]:
    """Refuse to serve a working directory that another daemon serves: both would push."""
    prepare(paths.state)
    with ExitStack() as stack:
        try:
            lock = locked(paths.state / "serve" / "lock", what="this directory", patience=0)
            stack.enter_context(lock)
        except CommodoreError as error:
            raise CommodoreError(
                "another daemon serves this working directory",
                where=str(paths.root),
                hint="end it first",
            ) from error
        yield


class Daemon:
    """Everything that a running daemon has; made within its event loop."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.state = State.read(settings.config.paths)
        secrets = (
            *(one.value for one in settings.tokens.values()),
            *filter(None, (settings.hook_secret,)),
        )
        self.jobs = Jobs(Processes(secrets), self.state, settings.workers)
        self.clusters = Clusters(settings.config, self.jobs, self.state, settings.poll)
        self.reconciler = Reconciler(settings, self.state, self.clusters, self.jobs, self.push)

    async def edit(self, cluster_id: str, edit: Edit, rules: Rules) -> dict[str, Any]:
        """Carry out an edit."""
        summary = await self.clusters.summary(cluster_id)
        if rules.base and rules.base != summary["configuration"]:
            self.clusters.changed(cluster_id)  # what was read may be a moment old
            summary = await self.clusters.summary(cluster_id)
        if rules.base and rules.base != summary["configuration"]:
            raise Moved.to(summary["configuration"], rules.base)
        try:
            found: dict[str, Any] = await self.jobs.edit(
                cluster_id, "work.edit", self.settings.config, cluster_id, edit, rules
            )
        finally:
            self.clusters.changed(cluster_id, inputs=not rules.dry_run)
        return found

    async def compile(self, cluster_id: str, by: str) -> Job:
        """Queue a compile that pushes nothing."""
        await self.clusters.listed(cluster_id)
        return self.jobs.submit(
            "compile",
            cluster_id,
            by,
            "compiling.compile_",
            self.settings.config,
            cluster_id,
            done=self._compiled,
        )

    async def push(
        self,
        cluster_id: str,
        by: str,
        *,
        max_grade: Grade | None = None,
        seen: str = "",
        done: Callable[[Job], Awaitable[None]] | None = None,
    ) -> Job:
        """Queue a compile that is pushed."""
        await self.clusters.listed(cluster_id)

        async def pushed(job: Job) -> None:
            await self._compiled(job)
            if done is not None:
                await done(job)

        config = replace(self.settings.config, push=True)
        return self.jobs.submit(
            "push",
            cluster_id,
            by,
            "compiling.compile_",
            config,
            cluster_id,
            max_grade,
            seen,
            done=pushed,
        )

    async def _compiled(self, job: Job) -> None:
        record = (job.result or {}).pop("record", None)
        about = self.state.clusters.setdefault(job.cluster, {})
        if job.kind == "push" and record and job.result and job.result["outcome"] != "held":
            about["record"] = record
        after(job, about)
        self.clusters.changed(job.cluster, inputs=True)
