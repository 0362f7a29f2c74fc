"""The daemon: what requests and the reconciler have it do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .clusters import Clusters
from .jobs import Jobs
from .processes import Processes
from .reconcile import Reconciler, conditions_after
from .settings import RECONCILER
from .state import Record, State

if TYPE_CHECKING:
    from commodore_py.workflows.editing.requests import Request, Rules

    from .settings import Settings
    from .state import Job, Kind


class Daemon:
    """Everything that a running daemon has; made within its event loop."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        config, tokens = settings.config, settings.tokens
        self.state = State.read(config.paths)
        secrets = (*(token.value for token in tokens.values()), settings.hook_secret)
        processes = Processes(tuple(filter(None, secrets)))
        self.jobs = Jobs(config, processes, self.state, settings.workers, self._ended)
        self.clusters = Clusters(config, self.jobs, self.state, settings.poll)
        self.reconciler = Reconciler(settings, self.state, self.clusters, self.jobs)

    async def read(self, cluster_id: str, work: str, *arguments: Any) -> Any:
        """Read something of a cluster, by a function of `work`."""
        await self.clusters.listed(cluster_id)
        config, live = self.settings.config, work.startswith("live_")
        return await self.jobs.read(f"work.{work}", config, cluster_id, *arguments, live=live)

    async def edit(
        self, cluster_id: str, request: Request, rules: Rules, work: str = "work.edit"
    ) -> dict[str, Any]:
        """Carry out an edit."""
        config = self.settings.config
        await self.clusters.listed(cluster_id)
        try:
            result: dict[str, Any] = await self.jobs.edit(
                cluster_id, work, config, cluster_id, request, rules
            )
        finally:
            if not rules.dry_run:
                self.clusters.forget(cluster_id)
        return result

    async def submit(self, kind: Kind, cluster_id: str, by: str, seen: str = "") -> Job:
        """Queue a compile or a push of a cluster."""
        await self.clusters.listed(cluster_id)
        return self.jobs.submit(kind, cluster_id, by, seen)

    def _ended(self, job: Job) -> None:
        """Keep what a job has shown about its cluster."""
        about = self.state.cluster(job.cluster)
        record = (job.result or {}).pop("record", None)
        if job.kind == "push" and record and job.outcome != "held":
            about.record = Record.model_validate(record)
        for condition in conditions_after(job):
            about.set(condition)
        if job.by == RECONCILER:
            self.reconciler.ended(job)
        self.clusters.forget(job.cluster)
