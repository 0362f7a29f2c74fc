"""The catalog's checkout: used as it is, or updated to the tip of its remote."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING

from commodore_py.adapters import git_urls
from commodore_py.adapters.files import asides_in, make_folder, remove
from commodore_py.adapters.git.program import git, succeeds
from commodore_py.adapters.git.refs import FALLBACK_BRANCH
from commodore_py.adapters.git.repository import head_of, is_repository, set_setting, settings_of
from commodore_py.adapters.git.status import status
from commodore_py.adapters.masking import without_secrets
from commodore_py.adapters.process import ProgramFailed
from commodore_py.errors import CommodoreError
from commodore_py.model.catalog import CatalogHead
from commodore_py.model.problem import Problem

from . import remote as catalog_remote

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from commodore_py.adapters.git.refs import Refs
    from commodore_py.adapters.git.status import Status
    from commodore_py.config import Config
    from commodore_py.model.cluster import Cluster

log = logging.getLogger(__name__)

_OWNER = "commodore.cluster"


def check_catalog(config: Config, cluster: Cluster) -> Callable[[], CatalogHead]:
    """Find out whether the catalog can be fetched and pushed; returns what fetches it.

    Nothing is changed, but a catalog that has no checkout yet is cloned: nothing can be lost.
    """
    if config.push and not config.local:
        catalog_remote.check_push_url(config, cluster.catalog_url)
    return _looked_at(config, cluster)


def fetch_catalog(config: Config, cluster: Cluster) -> CatalogHead:
    """Bring the catalog's checkout to the tip of its remote; in local mode take it as it is."""
    return _looked_at(config, cluster)()


def _looked_at(config: Config, cluster: Cluster) -> Callable[[], CatalogHead]:
    directory = config.paths.catalog
    _sweep(directory)
    if config.local:
        return partial(_as_it_is, config, cluster)
    now = _status_of(directory)
    if now is None or directory.is_symlink():
        head = _head(config, cluster, catalog_remote.clone(config, cluster), {})
        return lambda: head
    return partial(_updated, config, cluster, now, catalog_remote.query(config, cluster, now))


def _updated(config: Config, cluster: Cluster, now: Status, listed: Refs) -> CatalogHead:
    directory = config.paths.catalog
    settings = _settings_of(directory)
    commit, branch, moved = catalog_remote.update(config, cluster, now, listed, settings)
    return _head(config, cluster, (commit, branch), settings, moved=moved)


def _status_of(directory: Path, *, untracked: bool = True) -> Status | None:
    """The state of a checkout; None if there is none."""
    if not (directory / ".git").exists():
        return None
    try:
        return status(directory, untracked=untracked)
    except ProgramFailed:
        if is_repository(directory):
            raise
        return None


def _sweep(catalog: Path) -> None:
    """Remove what was left over where hidden files are the user's, and are committed."""
    for folder in (catalog / "manifests", catalog / "refs"):
        for path in asides_in(folder):
            remove(path)


def _head(
    config: Config,
    cluster: Cluster,
    at: tuple[str | None, str | None],
    settings: Mapping[str, str],
    *,
    moved: bool = False,
) -> CatalogHead:
    """Note whose catalog a checkout is now, and report what would mix up two clusters."""
    directory, (commit, branch) = config.paths.catalog, at
    if commit is None:
        log.warning("the catalog has no commit yet: it begins with branch %s", branch)
    owner = settings.get(_OWNER, "")
    remote = settings.get("remote.origin.url", "") if config.local else ""
    # A checkout that moved to another repository on the way is of another cluster by right.
    known_owner = "" if moved else owner
    notices = tuple(_problems(directory, cluster, known_owner, remote, local=config.local))
    if owner != cluster.id and not (notices and (config.strict or config.local)):
        set_setting(directory, _OWNER, cluster.id)
    branch = branch or FALLBACK_BRANCH
    return CatalogHead(directory, cluster.catalog_url, branch, commit, notices, settings or None)


def _as_it_is(config: Config, cluster: Cluster) -> CatalogHead:
    directory = config.paths.catalog
    now = _status_of(directory, untracked=False)
    if now is None:
        make_folder(directory)
        git(directory, "init", "--quiet", f"--initial-branch={FALLBACK_BRANCH}")
        log.warning("there was no catalog in %s: everything counts as added", directory)
        return _head(config, cluster, head_of(directory), {})
    _refuse_merges(directory, now)
    return _head(config, cluster, (now.commit, now.branch), _settings_of(directory))


def _refuse_merges(directory: Path, now: Status) -> None:
    """Fail if conflict markers would be overwritten, or a merge forgotten."""
    unmerged = [path for kind, path in now.changes if kind == "unmerged"]
    # A merge that is not committed yet has changed something.
    if not now.changes or not (
        unmerged or succeeds(directory, "rev-parse", "--quiet", "--verify", "MERGE_HEAD")
    ):
        return
    raise CommodoreError(
        f"the catalog has unresolved merge conflicts: {', '.join(sorted(unmerged))}"
        if unmerged
        else "the catalog is in the middle of a merge",
        where=str(directory),
        hint="resolve or abort the merge in the catalog's checkout",
    )


def _settings_of(directory: Path) -> Mapping[str, str]:
    """The owner of a checkout, its remote, and the user's name: what is needed of its settings."""
    pattern = r"^(commodore\.cluster|remote\.origin\.url|(user|committer)\.(name|email))$"
    return settings_of(directory, pattern, local=False)


def _problems(
    directory: Path, cluster: Cluster, owner: str, remote: str, *, local: bool
) -> list[Problem]:
    if owner and owner != cluster.id:
        text = f"the catalog in {directory} is of cluster {owner}, not {cluster.id}"
        if not local:
            text = (
                f"the catalog of cluster {cluster.id} is in the same repository as that of"
                f" {owner}: they overwrite each other"
            )
        return [Problem(text, where=str(directory), strict=True, code="api/wrong-catalog")]
    if (
        remote
        and cluster.catalog_url
        and git_urls.dependency_key(remote) != git_urls.dependency_key(cluster.catalog_url)
    ):
        text = (
            f"the catalog in {directory} is a clone of {without_secrets(remote)}, not of"
            f" {without_secrets(cluster.catalog_url)}"
        )
        return [Problem(text, where=str(directory), strict=True, code="api/wrong-catalog")]
    return []
