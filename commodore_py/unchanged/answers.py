"""What others said in the last run, asked once more: the API, remotes, servers of downloads."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from typing import TYPE_CHECKING

from commodore_py import lieutenant
from commodore_py.adapters import git_urls
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from commodore_py.config import Config
    from commodore_py.model import Cluster

    from .state import State


def difference(config: Config, cluster_id: str, last: State) -> str:
    """Who answers something else than last time; empty if nobody does."""
    from . import remotes  # noqa: PLC0415 - not needed by all

    try:
        if last.cluster and last.cluster != word_for(lieutenant.load_cluster(config, cluster_id)):
            return "what is known about the cluster"
        if last.remotes and not remotes.answer_alike(config.paths.root, last.remotes):
            return "a repository"
        if config.push and last.catalog and not _can_push(config, last.catalog):
            return "where the catalog is pushed to"
        if last.downloads:
            from . import downloads  # noqa: PLC0415 - as above

            if not downloads.are_as_they_were(config, last.downloads):
                return "a download"
    except CommodoreError as error:
        return str(error)
    return ""


def word_for(cluster: Cluster) -> str:
    """One word for all that is known about a cluster."""
    told = json.dumps(asdict(cluster), sort_keys=True, default=str).encode()
    return hashlib.blake2b(told, digest_size=20).hexdigest()


def _can_push(config: Config, url: str) -> bool:
    from commodore_py.adapters.git import over_network  # noqa: PLC0415 - only to push

    pushed_to = git_urls.push_url(url, config.push_url)
    if pushed_to != git_urls.normalise(url):
        over_network(config.paths.root, "ls-remote", "--quiet", "--", pushed_to, "HEAD")
    return True
