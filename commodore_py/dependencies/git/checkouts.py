"""Ordinary clones (global, tenant, catalog): cloned to a temporary path, then updated in place."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from commodore_py.adapters import git_urls
from commodore_py.adapters.files import aside_of, remove
from commodore_py.adapters.git.abbreviations import short_commits_of
from commodore_py.adapters.git.program import fetch, git, over_network
from commodore_py.adapters.git.refs import (
    BRANCHES,
    TAGS,
    RevisionNotFound,
    commit_of,
    note_default_branch,
    read_refs,
    refs_of,
)
from commodore_py.adapters.git.repository import (
    configure_remote,
    folders_of,
    head_of,
    remote_settings,
)
from commodore_py.adapters.git.status import status
from commodore_py.adapters.masking import without_secrets
from commodore_py.adapters.process import ProgramFailed
from commodore_py.dependencies.protection.local_work import (
    LocalWork,
    described,
    in_the_way,
    is_empty,
    not_ours_to_replace,
    put_aside,
    record_branch,
    record_checkout,
    unpushed,
)
from commodore_py.dependencies.protection.undo import journaled
from commodore_py.errors import CommodoreError
from commodore_py.model.dependency import Dependency, DependencySpec, Kind

from .clean_check import CleanCheck
from .remotes import lacks, refs_from
from .revisions import find, is_commit, is_complete, moved_tags, require_complete

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from commodore_py.adapters.git.refs import Refs
    from commodore_py.dependencies.protection.journal import Journal

    from .remotes import RemoteClient, RemoteRefs
    from .revisions import Found

log = logging.getLogger(__name__)

_REVISION_FROM = {
    Kind.GLOBAL: "globalGitRepoRevision of the cluster and the tenant,"
    " and --global-repo-revision-override",
    Kind.TENANT: "tenantGitRepoRevision of the cluster and the tenant,"
    " and --tenant-repo-revision-override",
}


def obstacle(spec: DependencySpec, directory: Path) -> CommodoreError | None:
    """What stands against updating a configuration; local work can be forced, the rest cannot."""
    problem = not_ours_to_replace(str(spec), directory)
    if problem is not None or not (directory / ".git").exists():
        return problem
    git_folder = directory / ".git"
    commit, _ = head_of(directory)
    check = CleanCheck(directory, git_folder, commit, untracked=True) if commit else None
    work = local_work(directory)
    if check is not None and not work:
        check.record()
    return LocalWork.found(str(spec), directory, work) if work else None


def local_work(directory: Path) -> list[str]:
    """Everything in a clone that exists nowhere else, ignored files aside."""
    now = status(directory, untracked=True)
    commits = unpushed(directory, "HEAD", "--branches") if now.commit else []
    return [*described(now), *commits]


def put_work_aside(
    what: str, directory: Path, journal: Journal, *, ignored: Sequence[str] = ()
) -> None:
    """Keep local work where it can be found again, and leave the clone clean."""
    put_aside(directory, what, kept_in=directory, ignored=ignored)
    head = commit_of(directory, "HEAD")
    if head is not None:
        with journaled(journal, directory, before=head, after=head):
            git(directory, "reset", "--quiet", "--hard")
    git(directory, "clean", "--quiet", "-d", "--force")


def update_configuration(
    spec: DependencySpec,
    directory: Path,
    journal: Journal,
    response: RemoteRefs | None,
    *,
    override: str = "",
    force: bool = False,
) -> Dependency:
    """Bring the global or tenant configuration to the wanted revision."""
    if (directory / ".git").exists():
        refs, _ = update_clone(str(spec), directory, spec.url, journal, response=response)
        try:
            commit = _check_out_configuration(spec, directory, refs, journal)
        except ProgramFailed as error:
            names = in_the_way(error.stderr)
            if not names:
                raise
            if not force:
                raise LocalWork.blocking(str(spec), directory, names, spec.version) from error
            put_work_aside(str(spec), directory, journal, ignored=names)
            commit = _check_out_configuration(spec, directory, refs, journal, overwrite=True)
    else:
        aside, refs = clone_aside(str(spec), directory, spec.url)
        try:
            commit = _check_out_configuration(spec, aside, refs, None, overwrite=True)
        except CommodoreError:
            remove(aside)
            raise
        swap_in(aside, directory)
    return as_fetched(spec, directory, commit, refs.default_branch, override=override)


def as_fetched(
    spec: DependencySpec, directory: Path, commit: str, default_branch: str, *, override: str
) -> Dependency:
    """The global or tenant configuration as it is reported."""
    # The peer reports the default branch even where the API pins a revision.
    version = override or default_branch
    short = short_commits_of([(directory, commit)])[directory, commit]
    return Dependency(spec, git_urls.normalise(spec.url), version, commit, short, directory)


def query(
    what: str, directory: Path, url: str, client: RemoteClient, *, revision: str = ""
) -> RemoteRefs | None:
    """List what a clone's remote has, unless that cannot matter."""
    if not (directory / ".git").exists():
        return None  # cloning lists them
    old = remote_settings(directory).get("remote.origin.url", "")
    if is_commit(revision) and old == git_urls.normalise(url) and is_complete(directory, revision):
        return None  # commits never change
    try:
        return client.list_refs(url, directory / ".git")
    except ProgramFailed as error:
        raise _cannot_fetch(what, without_secrets(git_urls.normalise(url)), error) from error


def clone_aside(what: str, directory: Path, url: str) -> tuple[Path, Refs]:
    """Clone beside the place, so that a run that is killed leaves nothing half done there."""
    shown = without_secrets(git_urls.normalise(url))
    log.info("cloning %s from %s", what, shown)
    aside = aside_of(directory)
    aside.mkdir(parents=True)
    # Not `init` and `fetch`: a clone also learns the name of an empty remote's branch.
    how = ("--quiet", "--no-checkout", "--origin=origin", "--", git_urls.normalise(url))
    try:
        over_network(aside, "clone", *how, ".")
    except ProgramFailed as error:
        remove(aside)
        raise _cannot_fetch(what, shown, error) from error
    configure_remote(aside, url)
    return aside, refs_of(aside)


def swap_in(aside: Path, directory: Path) -> None:
    """Put what was made aside in its place, where at most an empty folder is."""
    if is_empty(directory):
        directory.rmdir()
    aside.rename(directory)


def update_clone(
    what: str,
    directory: Path,
    url: str,
    journal: Journal,
    *,
    response: RemoteRefs | None,
) -> tuple[Refs, bool]:
    """Update a clone to the response of its remote; returns whether the repository changed.

    Without a response, the clone has all that is needed.
    """
    old = remote_settings(directory).get("remote.origin.url", "")
    moved = bool(old) and git_urls.dependency_key(old) != git_urls.dependency_key(url)
    folders = folders_of(directory)  # `.git` may be a file
    have = read_refs(folders.shared if folders is not None else directory, BRANCHES, TAGS)
    if response is None or (not moved and not lacks(response, have, None)):
        configure_remote(directory, url)
        if response is None:
            return refs_of(directory), False
        note_default_branch(directory, response.default_branch, have)
        return refs_from(response, have, ()) or refs_of(directory), False
    shown = without_secrets(git_urls.normalise(url))
    log.info("fetching %s from %s", what, shown)
    before = refs_of(directory)
    # Until something came from there, the next run must not think that it did.
    try:
        with journaled(journal if moved else None, directory, url=old):
            configure_remote(directory, url)
            fetch(directory, other_repository=moved)
    except ProgramFailed as error:
        raise _cannot_fetch(what, shown, error) from error
    note_default_branch(directory, response.default_branch, have)
    after = refs_of(directory)
    if moved:
        was = without_secrets(old)
        log.warning("%s: its repository was %s and is %s now", what, was, shown)
    else:
        for tag in moved_tags(before, after):
            log.warning("a tag was moved in %s: %s", shown, tag)
    return after, moved


def check_out(
    directory: Path,
    refs: Refs,
    revision: str,
    journal: Journal | None,
    *,
    overwrite: bool,
) -> str:
    """Check out a branch (tracking its remote), a tag or a commit; returns the commit.

    A clone that is not at its final path yet has no journal, and no files.
    """
    # A branch wins over a tag of that name, as it does in the peer's clones.
    found = find(directory, refs, revision, prefer="branch")
    head, branch = head_of(directory)
    if overwrite or (head, branch) != (found.commit, found.branch or None):
        require_complete(directory, found, refs)
        with journaled(journal, directory, before=head, after=found.commit):
            _switch(directory, found, force=overwrite)
        if head and branch and branch != found.branch:
            record_branch(directory, directory / ".git", branch, head, new=journal is None)
    record_checkout(directory, directory / ".git", found.commit)
    return found.commit


def _switch(directory: Path, found: Found, *, force: bool) -> None:
    origin = f"refs/remotes/origin/{found.branch}"
    how = ("--track", "-B", found.branch, origin) if found.branch else ("--detach", found.commit)
    safely = "--force" if force else "--no-overwrite-ignore"
    git(directory, "checkout", "--quiet", safely, *how)


def _check_out_configuration(
    spec: DependencySpec,
    directory: Path,
    refs: Refs,
    journal: Journal | None,
    *,
    overwrite: bool = False,
) -> str:
    revision = spec.version or refs.default_branch
    try:
        return check_out(directory, refs, revision, journal, overwrite=overwrite)
    except RevisionNotFound as error:
        raise RevisionNotFound(
            f"{spec}: {error}",
            where=error.where,
            hint=f"check {_REVISION_FROM[spec.kind]}"
            if spec.version
            else "the repository has no branch that its HEAD names: push one",
        ) from error


def _cannot_fetch(what: str, shown: str, error: ProgramFailed) -> CommodoreError:
    return CommodoreError(
        f"cannot fetch the {what}: {error.stderr.strip() or error}",
        where=shown,
        hint="check the repository's URL in the cluster's and the tenant's facts,"
        " and that you may read it",
    )
