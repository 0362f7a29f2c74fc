"""Update the catalog's checkout to the tip of its remote, without loss of local work."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.adapters import git_urls
from commodore_py.adapters.git.program import git, reach_push_url
from commodore_py.adapters.git.refs import (
    FALLBACK_BRANCH,
    RevisionNotFound,
)
from commodore_py.adapters.git.repository import head_of, is_repository
from commodore_py.adapters.git.status import status
from commodore_py.adapters.masking import without_secrets
from commodore_py.adapters.process import ProgramFailed
from commodore_py.dependencies.git.configurations import (
    cannot_fetch,
    check_out,
    clone_aside,
    put_work_aside,
    swap_in,
    update_clone,
)
from commodore_py.dependencies.git.remotes import RemoteClient
from commodore_py.dependencies.git.revisions import find
from commodore_py.dependencies.protection.journal import Journal
from commodore_py.dependencies.protection.local_work import (
    LocalWork,
    described,
    ignored_in_the_way,
    not_ours_to_replace,
    put_aside,
    unpushed,
)
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from commodore_py.adapters.git.refs import Refs
    from commodore_py.adapters.git.status import Status
    from commodore_py.config import Config
    from commodore_py.model.cluster import Cluster


log = logging.getLogger(__name__)

# A run that is not pushed leaves these changed, and the next generates them again.
_GENERATED = ("manifests/", "refs/")
_MISSING = ("does not appear to be a git repository", "not found", "does not exist")


def query(config: Config, cluster: Cluster) -> Refs | None:
    """Query the refs of the remote; raises if the checkout contains local work."""
    directory, what = config.paths.catalog, _name(cluster)
    _foreign_work(what, directory, status(directory, untracked=True), force=config.force)
    return _ask(what, cluster.catalog_url)


def bring(config: Config, cluster: Cluster, *, known: bool, response: Refs | None) -> bool:
    """Have the checkout at the tip of its remote, and return whether that is another remote now."""
    directory, url, what = config.paths.catalog, cluster.catalog_url, _name(cluster)
    problem = not_ours_to_replace(what, directory)
    if problem is not None:
        raise problem
    if not is_repository(directory):
        try:
            aside, refs = clone_aside(what, directory, url)
        except CommodoreError as error:
            raise _unreachable(error) from error
        _take_tip(config, what, aside, refs, None)
        swap_in(aside, directory)
        return False
    journal = Journal.of(config.paths)
    _protect(what, directory, force=config.force)
    response = response if known else _ask(what, url)
    refs, moved = update_clone(what, directory, url, listed=response)
    _take_tip(config, what, directory, refs, journal, moved_to=url if moved else "")
    return moved


def _name(cluster: Cluster) -> str:
    return f"catalog of {cluster.id}"


def _ask(what: str, url: str) -> Refs | None:
    try:
        return RemoteClient(current=True).list_refs(url)
    except ProgramFailed as error:
        shown = without_secrets(git_urls.normalise(url))
        raise _unreachable(cannot_fetch(what, shown, error)) from error
    except CommodoreError as error:
        raise _unreachable(error) from error


def _unreachable(error: CommodoreError) -> CommodoreError:
    if any(sign in str(error) for sign in _MISSING):
        error.hint = (
            "make an empty repository there, or correct gitRepo.url of the cluster;"
            " where it is there, you may not be allowed to read it"
        )
    return error


def check_push_url(config: Config, url: str) -> None:
    """Pushes often go elsewhere than fetches: errors are reported before a long compile."""
    try:
        reach_push_url(config.paths.root, url)
    except ProgramFailed as error:
        shown = without_secrets(git_urls.push_url(url))
        text = f"the catalog cannot be pushed to {shown}: {error.stderr.strip()}"
        hint = "give access to it, or have Git rewrite the URL: git config url.BASE.insteadOf"
        if config.strict:
            raise CommodoreError(text, where=shown, hint=hint) from error
        # No error yet: the peer connects only once there is something to push.
        log.warning(text, extra={"hint": hint})


def _foreign_work(what: str, directory: Path, now: Status, *, force: bool) -> list[str]:
    """Changes that no compile made; a hidden entry right below our folders is the user's."""
    generated = tuple(path for _, path in now.changes if _is_generated(path))
    foreign = [
        line
        for line, (_, path) in zip(described(now), now.changes, strict=True)
        if path not in generated
    ]
    if foreign and not force:
        raise LocalWork.found(what, directory, foreign)
    return foreign


def _is_generated(path: str) -> bool:
    return any(
        path.startswith(folder) and not path.removeprefix(folder).startswith(".")
        for folder in _GENERATED
    )


def _protect(what: str, directory: Path, *, force: bool) -> None:
    now = status(directory, untracked=True)
    foreign = _foreign_work(what, directory, now, force=force)
    if foreign:
        put_work_aside(what, directory)
    elif now.commit and _has_unpushed_files(directory):
        # Commits of a push that failed: they are compiled again, but backed up.
        put_aside(directory, what, kept_in=directory)


def _protect_ignored(config: Config, what: str, directory: Path, commit: str, tip: str) -> None:
    """Ignored files may stay, so they are not local work; generated files are generated again."""
    if commit == head_of(directory)[0]:
        return
    names = [one for one in ignored_in_the_way(directory, commit) if not _is_generated(one)]
    if names and not config.force:
        raise LocalWork.blocking(what, directory, names, tip)
    if names:
        put_aside(directory, what, kept_in=directory, ignored=names)


def _has_unpushed_files(directory: Path) -> bool:
    # The peer begins an empty catalog with an empty commit: that is nothing to keep.
    commits = unpushed(directory, "HEAD", "--branches")
    return bool(commits) and bool(git(directory, "ls-tree", "HEAD"))


def _take_tip(
    config: Config,
    what: str,
    directory: Path,
    refs: Refs,
    journal: Journal | None,
    *,
    moved_to: str = "",
) -> None:
    tip = refs.default_branch
    try:
        found = find(directory, refs, tip, prefer="branch")
    except RevisionNotFound:  # an empty repository, or one whose HEAD names no branch yet
        _, branch = head_of(directory)
        branch = _unborn_branch(moved_to) if moved_to else branch
        _start_empty(directory, branch or FALLBACK_BRANCH)
        return
    if journal is not None:
        _protect_ignored(config, what, directory, found.commit, tip)
    check_out(directory, found, head_of(directory), journal, overwrite=True)


def _start_empty(directory: Path, branch: str) -> None:
    """Reset a clone to that of an empty repository: a new branch, without the old files."""
    nothing = git(directory, "hash-object", "-t", "tree", "-w", "--stdin")
    git(directory, "read-tree", "--reset", "-u", nothing)
    git(directory, "symbolic-ref", "HEAD", f"refs/heads/{branch}")
    git(directory, "update-ref", "-d", f"refs/heads/{branch}")


def _unborn_branch(url: str) -> str:
    """The branch that an empty repository's HEAD names."""
    import tempfile  # for empty remotes only

    with tempfile.TemporaryDirectory() as scratch:
        git(Path(scratch), "clone", "--quiet", "--no-checkout", "--", git_urls.normalise(url), "it")
        return git(Path(scratch) / "it", "symbolic-ref", "HEAD").removeprefix("refs/heads/")
