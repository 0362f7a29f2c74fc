"""What others said in the last run, asked once more: the API, remotes, servers of downloads."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError
from commodore_py.model.fields import field_values

if TYPE_CHECKING:
    from commodore_py.config import Config
    from commodore_py.model.cluster import Cluster

    from .state import State


def difference(config: Config, cluster_id: str, last: State) -> str:
    """Who answers something else than last time; empty if nobody does."""
    # Who does not answer here, after several attempts, would not answer a whole run either.
    if last.cluster and not _is_known_as(config, cluster_id, last.cluster):
        return "what is known about the cluster"
    try:
        if last.remotes and not _answer_alike(config, last):
            return "a repository"
        if config.push and last.catalog:
            _knock_where_pushes_go(config, last.catalog)
        if last.downloads and not _are_as_they_were(config, last):
            return "a download"
    except CommodoreError as error:
        return str(error)
    return ""


# Each is imported where somebody has to be asked: most of it is slow to import.
def _is_known_as(config: Config, cluster_id: str, word: str) -> bool:
    from commodore_py.lieutenant.clusters import load_cluster  # noqa: PLC0415 - see above

    return word_for(load_cluster(config, cluster_id)) == word


def _answer_alike(config: Config, last: State) -> bool:
    from . import remotes  # noqa: PLC0415 - see above

    return remotes.answer_alike(config.paths.root, last.remotes)


def _are_as_they_were(config: Config, last: State) -> bool:
    from . import downloads  # noqa: PLC0415 - see above

    return downloads.are_as_they_were(config, last.downloads)


def _knock_where_pushes_go(config: Config, url: str) -> None:
    from commodore_py.adapters.git.program import reach_push_url  # noqa: PLC0415 - see above

    reach_push_url(config.paths.root, url, config.push_url)


def word_for(cluster: Cluster) -> str:
    """One word for all that is known about a cluster."""
    told = json.dumps(field_values(cluster), sort_keys=True, default=str).encode()
    return hashlib.blake2b(told, digest_size=20).hexdigest()
