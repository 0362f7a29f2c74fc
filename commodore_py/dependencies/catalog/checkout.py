"""The catalog's checkout: used as it is, or updated to the tip of its remote."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, NamedTuple

from commodore_py.adapters.files import asides_in, remove
from commodore_py.adapters.git.program import git
from commodore_py.adapters.git.refs import FALLBACK_BRANCH
from commodore_py.adapters.git.repository import head_of, is_repository
from commodore_py.model.catalog import CatalogHead
from commodore_py.model.warning import FROM_CATALOG

from .owner import claim

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.adapters.git.refs import Refs
    from commodore_py.config import Config
    from commodore_py.model.cluster import Cluster

log = logging.getLogger(__name__)


class RemoteCatalog(NamedTuple):
    """What was found out about the catalog before anything was changed."""

    response: Refs | None = None
    head: CatalogHead | None = None
    """Of a catalog that had no checkout yet: where nothing is, nothing can be lost."""


def check_remote_catalog(config: Config, cluster: Cluster) -> RemoteCatalog:
    """Find out whether the catalog can be fetched and pushed, while all is as it was."""
    if config.local:
        return RemoteCatalog()
    from . import remote as catalog_remote  # much code, and a local run needs none of it

    if config.push:
        catalog_remote.check_push_url(config, cluster.catalog_url)
    if not is_repository(config.paths.catalog):
        return RemoteCatalog(head=fetch_catalog(config, cluster))
    return RemoteCatalog(response=catalog_remote.query(config, cluster))


def fetch_catalog(
    config: Config, cluster: Cluster, remote: RemoteCatalog | None = None
) -> CatalogHead:
    """Bring the catalog's checkout to the tip of its remote; in local mode take it as it is."""
    if remote is not None and remote.head is not None:
        return remote.head
    _sweep(config.paths.catalog)
    if config.local:
        return _as_it_is(config, cluster)
    from . import remote as catalog_remote

    known, response = remote is not None, remote.response if remote is not None else None
    moved = catalog_remote.bring(config, cluster, known=known, response=response)
    return _head(config, cluster, moved=moved)


def _sweep(catalog: Path) -> None:
    """Remove what was left over where hidden files are the user's, and are committed."""
    for folder in (catalog / "manifests", catalog / "refs"):
        for path in asides_in(folder):
            remove(path)


def _head(config: Config, cluster: Cluster, *, moved: bool = False) -> CatalogHead:
    directory = config.paths.catalog
    commit, branch = head_of(directory)
    if commit is None:
        log.warning(
            "the catalog has no commit yet: it begins with branch %s", branch, extra=FROM_CATALOG
        )
    notices = claim(directory, cluster, moved=moved, local=config.local, strict=config.strict)
    return CatalogHead(directory, cluster.catalog_url, branch or FALLBACK_BRANCH, commit, notices)


def _as_it_is(config: Config, cluster: Cluster) -> CatalogHead:
    directory = config.paths.catalog
    if not is_repository(directory):
        directory.mkdir(parents=True, exist_ok=True)
        git(directory, "init", "--quiet", f"--initial-branch={FALLBACK_BRANCH}")
        log.warning(
            "there was no catalog in %s: everything counts as added", directory, extra=FROM_CATALOG
        )
    return _head(config, cluster)
