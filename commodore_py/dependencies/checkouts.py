"""Ordinary clones (global, tenant, catalog): updated in place, ending as a fresh clone would."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from commodore_py.adapters import git_urls
from commodore_py.adapters.git import (
    RevisionNotFound,
    commit_of,
    configure_remote,
    default_branch,
    fetch,
    git,
    short_commit,
    succeeds,
)
from commodore_py.adapters.process import ProgramFailed
from commodore_py.errors import CommodoreError
from commodore_py.model import CatalogHead, Dependency, DependencySpec

from .safety import LocalWork, is_repository, put_aside, uncommitted, unpushed

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.config import Config
    from commodore_py.model import Cluster

log = logging.getLogger(__name__)

_OURS_IN_CATALOG = ("manifests/", "refs/")


def update_configuration(spec: DependencySpec, directory: Path, *, force: bool) -> Dependency:
    """Bring the global or tenant configuration to the wanted revision."""
    if directory.exists():
        _protect(str(spec), directory, force=force)
    _clone_or_fetch(str(spec), directory, spec.url)
    branch = default_branch(directory)
    commit = _check_out(directory, spec.version or branch)
    # The peer reports the default branch even where the API pins a revision; kept for now.
    return Dependency(
        spec,
        git_urls.normalise(spec.url),
        branch,
        commit,
        short_commit(directory, commit),
        directory,
    )


def fetch_catalog(config: Config, cluster: Cluster) -> CatalogHead:
    """Bring the catalog's checkout to the tip of its remote; in local mode take it as it is."""
    directory = config.paths.catalog
    if config.local:
        return _open_catalog(directory, cluster.catalog_url)
    what = f"catalog of {cluster.id}"
    if directory.exists():
        _protect_catalog(what, directory, force=config.force)
    try:
        _clone_or_fetch(what, directory, cluster.catalog_url)
    except ProgramFailed as error:
        raise CommodoreError(
            f"cannot fetch the {what}: {error.stderr.strip() or error}",
            where=git_urls.without_password(cluster.catalog_url),
            hint="check gitRepo.url of the cluster, and that you may read the repository",
        ) from error
    if not git(directory, "for-each-ref", "--count=1", "refs/remotes/origin"):
        return _start_empty(directory, cluster.catalog_url)
    branch = default_branch(directory)
    commit = _check_out(directory, branch, overwrite=True)
    return CatalogHead(directory, cluster.catalog_url, branch, commit)


def _protect(what: str, directory: Path, *, force: bool) -> None:
    if not is_repository(directory):
        if directory.is_dir() and not any(directory.iterdir()):
            return
        raise CommodoreError(
            f"{what}: the folder is no Git checkout",
            where=str(directory),
            hint="move it away; it will be cloned anew",
        )
    details = [*uncommitted(directory, untracked=True), *unpushed(directory, branches=True)]
    if details and not force:
        raise LocalWork.found(what, directory, details)
    if details:
        put_aside(directory, what)
        git(directory, "reset", "--quiet", "--hard")
        git(directory, "clean", "--quiet", "-d", "--force")


def _protect_catalog(what: str, directory: Path, *, force: bool) -> None:
    if not is_repository(directory):
        _protect(what, directory, force=force)
        return
    foreign = uncommitted(directory, untracked=True, except_below=_OURS_IN_CATALOG)
    if foreign and not force:
        raise LocalWork.found(what, directory, foreign)
    if foreign or unpushed(directory, branches=True):
        put_aside(directory, what)
    if foreign:
        git(directory, "clean", "--quiet", "-d", "--force")


def _clone_or_fetch(what: str, directory: Path, url: str) -> None:
    normalised = git_urls.normalise(url)
    log.info("fetching %s from %s", what, git_urls.without_password(normalised))
    if not is_repository(directory):
        directory.parent.mkdir(parents=True, exist_ok=True)
        # Not `init` and `fetch`: a clone also learns the name of an empty remote's branch.
        git(
            directory.parent,
            "clone",
            "--quiet",
            "--no-checkout",
            "--origin=origin",
            "--",
            normalised,
            directory.name,
        )
        configure_remote(directory, url)
        return
    configure_remote(directory, url)
    fetch(directory)
    # The remote may have renamed its default branch since; a remote without HEAD has none to name.
    succeeds(directory, "remote", "set-head", "origin", "--auto")


def _check_out(directory: Path, revision: str, *, overwrite: bool = False) -> str:
    """Check out a branch (tracking its remote), a tag or a commit; returns the commit."""
    remote_branch = f"refs/remotes/origin/{revision}"
    force = ("--force",) if overwrite else ()
    commit = commit_of(directory, remote_branch)
    if commit is not None:
        git(
            directory,
            "checkout",
            "--quiet",
            *force,
            "-B",
            revision,
            "--track",
            f"origin/{revision}",
        )
    else:
        commit = commit_of(directory, f"refs/tags/{revision}") or commit_of(directory, revision)
        if commit is None:
            url = git(directory, "config", "remote.origin.url")
            raise RevisionNotFound.named(revision, url=url)
        git(directory, "checkout", "--quiet", *force, "--detach", commit)
    return commit


def _start_empty(directory: Path, url: str) -> CatalogHead:
    """Make a checkout look like the clone of an empty repository."""
    branch = git(directory, "symbolic-ref", "--short", "HEAD")
    if commit_of(directory, "HEAD") is not None:
        git(directory, "update-ref", "-d", f"refs/heads/{branch}")
    git(directory, "read-tree", "--empty")
    log.info("the catalog repository is empty: it begins with branch %s", branch)
    return CatalogHead(directory, url, branch, None)


def _open_catalog(directory: Path, url: str) -> CatalogHead:
    if not is_repository(directory):
        directory.mkdir(parents=True, exist_ok=True)
        git(directory, "init", "--quiet", "--initial-branch=master")
    branch = (
        git(directory, "rev-parse", "--abbrev-ref", "HEAD")
        if commit_of(directory, "HEAD")
        else "master"
    )
    return CatalogHead(directory, url, branch, commit_of(directory, "HEAD"))
