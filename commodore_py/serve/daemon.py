"""The daemon: its settings, and what requests and the reconciler have it do."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from commodore_py.dependencies.protection.journal import prepare
from commodore_py.workflows.editing.repository import Moved

from .clusters import Clusters
from .jobs import Jobs
from .processes import Processes
from .state import State

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from commodore_py.config import Config
    from commodore_py.model.difference import Grade

    from .edits import Edit, Terms
    from .jobs import Job


@dataclass(frozen=True, slots=True)
class Settings:
    """What the command line says."""

    config: Config
    tokens: Mapping[str, str]
    origins: frozenset[str]
    workers: int
    read_only: bool = False
    reconciles: bool = False
    poll: float = 60.0
    hook_secret: str = ""


class Daemon:
    """Everything that a running daemon has; made within its event loop."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        prepare(settings.config.paths.state)
        self.state = State.read(settings.config.paths)
        secrets = (*settings.tokens.values(), *filter(None, (settings.hook_secret,)))
        self.jobs = Jobs(Processes(secrets), self.state, settings.workers)
        self.clusters = Clusters(settings.config, self.jobs, self.state, settings.poll)

    async def edit(self, cluster_id: str, edit: Edit, terms: Terms) -> dict[str, Any]:
        """Carry out an edit."""
        summary = await self.clusters.summary(cluster_id)
        if terms.base and terms.base != summary["configuration"]:
            self.clusters.changed(cluster_id)  # what was read may be a moment old
            summary = await self.clusters.summary(cluster_id)
        if terms.base and terms.base != summary["configuration"]:
            raise Moved.to(summary["configuration"], terms.base)
        try:
            found: dict[str, Any] = await self.jobs.edit(
                cluster_id, "edit", self.settings.config, cluster_id, edit, terms
            )
        finally:
            self.clusters.changed(cluster_id, inputs=not terms.dry_run)
        return found

    async def compile(self, cluster_id: str, by: str) -> Job:
        """Queue a compile that pushes nothing."""
        await self.clusters.listed(cluster_id)
        return self.jobs.submit(
            "compile",
            cluster_id,
            by,
            "compile_",
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
            "push", cluster_id, by, "compile_", config, cluster_id, max_grade, seen, done=pushed
        )

    async def _compiled(self, job: Job) -> None:
        record = (job.result or {}).pop("record", None)
        if job.kind == "push" and record and job.result and job.result["outcome"] != "held":
            self.state.clusters.setdefault(job.cluster, {})["record"] = record
        self.clusters.changed(job.cluster, inputs=True)
