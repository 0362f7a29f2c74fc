"""Responses of servers in the last run, compared with those now: the API, remotes, downloads."""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from commodore_py.cache.up_to_date.last_run import LastRun
    from commodore_py.config import Config
    from commodore_py.model.cluster import Cluster
    from commodore_py.model.download import Source
    from commodore_py.run_log import Events


def difference(config: Config, cluster_id: str, last: LastRun) -> str:
    """Which response is another one than in the last run; empty if none is."""
    # A server that does not respond here, after several attempts, would not in a whole run either.
    if last.cluster and digest_of(_cluster_now(config, cluster_id)) != last.cluster:
        return "what is known about the cluster"
    try:
        if last.remotes and not _remotes_are_unchanged(config, last):
            return "a repository"
        if config.push and last.catalog:
            _check_push_url(config, last.catalog)
        if last.downloads and _digests_now(config, last) != [
            one["sha256"] for one in last.downloads
        ]:
            return "a download"
    except CommodoreError as error:
        return str(error)
    return ""


def digest_of(cluster: Cluster) -> str:
    """The digest of everything that is known about a cluster."""
    facts = json.dumps(cluster._asdict(), sort_keys=True, default=str).encode()
    return blake2b(facts, digest_size=20).hexdigest()


def downloads_of(events: Events) -> list[dict[str, Any]]:
    """What a run downloaded, to be stored; sources whose content never changes are left out."""
    from commodore_py.model.remote_use import Locked, SourceDownloaded

    locked = {one.source for one in events.of(Locked)}
    downloaded = [one for one in events.of(SourceDownloaded) if one.source not in locked]
    if not downloaded:
        return []
    from commodore_py.dependencies.downloads.chart_versions import is_exact
    from commodore_py.model.download import Artifact, Chart

    kinds = {cls: kind for kind, cls in _kinds().items()}
    found = []
    for one in downloaded:
        source = one.source
        if type(source) not in kinds:
            continue
        fixed = (isinstance(source, Chart) and is_exact(source.version)) or (
            isinstance(source, Artifact) and "@" in source.reference
        )
        if not fixed:
            kind = kinds[type(source)]
            found.append({"kind": kind, "source": source._asdict(), "sha256": one.sha256})
    return found


# Each is imported where a server must be queried: most of it is slow to import.
def _cluster_now(config: Config, cluster_id: str) -> Cluster:
    from commodore_py.lieutenant.clusters import load_cluster

    return load_cluster(config, cluster_id)


def _remotes_are_unchanged(config: Config, last: LastRun) -> bool:
    from . import remotes

    return remotes.are_unchanged(config.paths.root, last.remotes)


def _digests_now(config: Config, last: LastRun) -> Sequence[str | None]:
    from commodore_py.dependencies.downloads.fetch import digests_now

    kinds = _kinds()
    sources: list[Source] = [kinds[one["kind"]](**one["source"]) for one in last.downloads]
    return digests_now(config, sources)


def _check_push_url(config: Config, url: str) -> None:
    from commodore_py.adapters.git.program import reach_push_url

    reach_push_url(config.paths.root, url, config.push_url)


def _kinds() -> Mapping[str, Any]:
    """Downloads by their kinds; branches of repositories are queried with those of all remotes."""
    from commodore_py.model.download import Artifact, Chart, WebFile

    return {"file": WebFile, "chart": Chart, "artifact": Artifact}
