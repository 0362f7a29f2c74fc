"""A run without a lock: every request is resolved, and nothing is pinned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from commodore_py.config import Config
    from commodore_py.dependencies.downloads.fetch import Through
    from commodore_py.dependencies.jsonnet.resolve import Resolving
    from commodore_py.model.catalog import BundleUse
    from commodore_py.model.cluster import Cluster
    from commodore_py.model.dependency import Fetch
    from commodore_py.model.problem import Problem
    from commodore_py.model.published import LockUse
    from commodore_py.model.spot import Places
    from commodore_py.run_log import Events

    from .bases import Bases
    from .document import Block
    from .document import Path as InputPath


@dataclass(frozen=True, slots=True)
class Findings:
    """The inputs of a run: blocks, and versions of tools."""

    blocks: Mapping[InputPath, Block]
    tools: Mapping[str, str]


class RunLock:
    """How a run gets its inputs; a subclass replaces requests with what is locked."""

    is_open = False
    """Whether there is a lock."""
    bundle: BundleUse | None = None
    """The bundle of the cluster, once it is known: only recorded."""
    libraries: Resolving | None = None
    """How libraries are resolved; None for as usual."""
    downloads: Through | None = None
    """How downloads are fetched; None for as usual."""

    @property
    def notices(self) -> tuple[Problem, ...]:
        """Notices for the user."""
        return ()

    def cluster(self, cluster_id: str, load: Callable[[], Cluster]) -> Cluster:  # noqa: ARG002 - for locks
        """The cluster of the run."""
        return load()

    def fetching(self, config: Config, fetch: Fetch) -> Fetch:  # noqa: ARG002 - as above
        """The function that fetches repositories."""
        return fetch

    def refuse_requests(self, places: Places) -> None:
        """End a frozen run whose requests are not locked, once all of them are known."""

    def bases(self, config: Config) -> Bases | None:  # noqa: ARG002 - as above
        """How kustomize gets the bases of its kustomizations; None for as usual."""
        return None

    def note_rendered(self, events: Events) -> None:
        """Note what was used while rendering."""

    @property
    def findings(self) -> Findings | None:
        """Inputs of the run so far, for others that share its lock."""
        return None

    def finish(self) -> LockUse | None:
        """Write what changed, once everything is rendered; a frozen run must change nothing."""
        return None
