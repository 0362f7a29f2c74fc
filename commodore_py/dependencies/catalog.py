"""The catalog's checkout: at the tip of its remote, with nobody's work lost on the way."""

from __future__ import annotations

import logging
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.adapters import git_urls
from commodore_py.adapters.git import RevisionNotFound, git, head_of, refs_of
from commodore_py.model import CatalogHead

from .checkouts import (
    check_out,
    clone_aside,
    local_work,
    put_work_aside,
    question,
    swap_in,
    update_clone,
)
from .healing import sweep_catalog
from .journal import Journal
from .questions import Asker
from .safety import LocalWork, is_repository, not_ours_to_replace, put_aside
from .undo import noted

if TYPE_CHECKING:
    from commodore_py.adapters.git import Refs
    from commodore_py.config import Config
    from commodore_py.model import Cluster

log = logging.getLogger(__name__)

# A run that is not pushed leaves these changed, and the next would make them anew.
_GENERATED = ("manifests/", "refs/")
_FIRST_BRANCH = "master"


def fetch_catalog(config: Config, cluster: Cluster) -> CatalogHead:
    """Bring the catalog's checkout to the tip of its remote; in local mode take it as it is."""
    directory, url = config.paths.catalog, cluster.catalog_url
    sweep_catalog(directory)
    if config.local:
        return _as_it_is(directory, url)
    what = f"catalog of {cluster.id}"
    problem = not_ours_to_replace(what, directory)
    if problem is not None:
        raise problem
    if not is_repository(directory):
        aside = clone_aside(what, directory, url, config.push_url)
        _take_tip(aside, refs_of(aside), None)
        swap_in(aside, directory)
        return _head(directory, url)

    journal = Journal.of(config.paths)
    _protect(what, directory, journal, force=config.force)
    answer = question(what, directory, url, Asker(config.paths.root))
    refs, moved = update_clone(what, directory, url, journal, answer=answer, rule=config.push_url)
    _take_tip(directory, refs, journal, moved_to=url if moved else "")
    return _head(directory, url)


def _protect(what: str, directory: Path, journal: Journal, *, force: bool) -> None:
    work = local_work(directory, except_below=_GENERATED)
    foreign = [one for one in work if not one.startswith("commit ")]
    if foreign and not force:
        raise LocalWork.found(what, directory, foreign)
    if foreign:
        put_work_aside(what, directory, journal)
    elif work and git(directory, "ls-tree", "HEAD"):
        # Commits of a push that failed: compiled again in a moment, but kept. The peer begins an
        # empty catalog with an empty commit: that is nothing to keep.
        put_aside(directory, what, kept_in=directory)


def _take_tip(directory: Path, refs: Refs, journal: Journal | None, *, moved_to: str = "") -> None:
    try:
        check_out(directory, refs, refs.default_branch, journal, overwrite=True)
    except RevisionNotFound:  # an empty repository, or one whose HEAD names no branch yet
        head, branch = head_of(directory)
        branch = _unborn_branch(moved_to) if moved_to else branch
        with noted(journal, directory, before=head):
            _start_empty(directory, branch or _FIRST_BRANCH)


def _start_empty(directory: Path, branch: str) -> None:
    """Make a clone look like a new one of an empty repository, old files and all gone."""
    nothing = git(directory, "hash-object", "-t", "tree", "-w", "--stdin")
    git(directory, "read-tree", "--reset", "-u", nothing)
    git(directory, "symbolic-ref", "HEAD", f"refs/heads/{branch}")
    git(directory, "update-ref", "-d", f"refs/heads/{branch}")


def _unborn_branch(url: str) -> str:
    """The branch that an empty repository's HEAD names."""
    with tempfile.TemporaryDirectory() as scratch:
        git(Path(scratch), "clone", "--quiet", "--no-checkout", "--", git_urls.normalise(url), "it")
        return git(Path(scratch) / "it", "symbolic-ref", "HEAD").removeprefix("refs/heads/")


def _head(directory: Path, url: str) -> CatalogHead:
    commit, branch = head_of(directory)
    if commit is None:
        log.warning("the catalog has no commit yet: it begins with branch %s", branch)
    return CatalogHead(directory, url, branch or _FIRST_BRANCH, commit)


def _as_it_is(directory: Path, url: str) -> CatalogHead:
    if not is_repository(directory):
        directory.mkdir(parents=True, exist_ok=True)
        git(directory, "init", "--quiet", f"--initial-branch={_FIRST_BRANCH}")
        log.warning("there was no catalog in %s: everything counts as added", directory)
    return _head(directory, url)
