"""Ordinary clones (global, tenant, catalog): cloned to a temporary path, then updated in place."""

from __future__ import annotations

import logging
from contextlib import suppress
from typing import TYPE_CHECKING

from commodore_py.adapters import git_urls
from commodore_py.adapters.files import aside_of, remove
from commodore_py.adapters.git.program import fetch, git, over_network
from commodore_py.adapters.git.refs import (
    BRANCHES,
    FALLBACK_BRANCH,
    RevisionNotFound,
    is_complete,
    note_default_branch,
    refs_of,
    short_commits,
)
from commodore_py.adapters.git.repository import configure_remote, remote_settings, wanted_remote
from commodore_py.adapters.git.status import status
from commodore_py.adapters.masking import without_secrets
from commodore_py.adapters.process import ProgramFailed
from commodore_py.dependencies.protection.checkouts import CheckedOut
from commodore_py.dependencies.protection.local_work import (
    LocalWork,
    described,
    in_the_way,
    is_empty,
    keep_branch,
    not_ours_to_replace,
    put_aside,
    unpushed,
)
from commodore_py.dependencies.protection.undo import journaled
from commodore_py.errors import CommodoreError
from commodore_py.model.dependency import Dependency, DependencySpec, Kind

from .clones import report_moved_tags
from .remotes import differs
from .revisions import Found, find, is_commit, named

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from commodore_py.adapters.git.refs import Refs
    from commodore_py.adapters.git.status import Status
    from commodore_py.dependencies.protection.checkouts import Checkouts
    from commodore_py.dependencies.protection.journal import Journal

log = logging.getLogger(__name__)

_REVISION_FROM = {
    Kind.GLOBAL: "globalGitRepoRevision of the cluster and the tenant,"
    " and --global-repo-revision-override",
    Kind.TENANT: "tenantGitRepoRevision of the cluster and the tenant,"
    " and --tenant-repo-revision-override",
}


def look(spec: DependencySpec, directory: Path) -> Status | None:
    """The state of a configuration's clone; None if there is none yet. Raises if it is not ours."""
    if not directory.is_symlink():
        if not directory.exists() or is_empty(directory):
            return None
        with suppress(ProgramFailed):
            if (directory / ".git").exists():
                return status(directory, untracked=True)
    problem = not_ours_to_replace(str(spec), directory)
    if problem is not None:
        raise problem
    return status(directory, untracked=True)


def must_be_listed(directory: Path, spec: DependencySpec, now: Status | None) -> bool:
    """Whether it matters what the remote has; a clone that is made lists it itself."""
    revision = spec.version or ""
    if now is None:
        return False
    if not is_commit(revision):
        return True
    return now.commit != revision and not is_complete(directory, revision)


def local_work(
    what: str, directory: Path, now: Status | None, wanted: str, checkouts: Checkouts
) -> LocalWork | None:
    """Work that an update to the wanted commit would lose, unless it is forced."""
    if now is None:
        return None
    work = described(now)
    published = now.commit is None or now.commit == wanted or now.ahead == 0
    if not published and checkouts.at(directory, now.commit) is None:
        work += unpushed(directory, "HEAD", "--branches")
    return LocalWork.found(what, directory, work) if work else None


def put_work_aside(what: str, directory: Path, *, ignored: Sequence[str] = ()) -> None:
    """Back up local work in the clone, and leave it clean."""
    put_aside(directory, what, kept_in=directory, ignored=ignored)
    if status(directory, untracked=False).commit is not None:
        git(directory, "reset", "--quiet", "--hard")
    git(directory, "clean", "--quiet", "-d", "--force")


def wanted_by(spec: DependencySpec, refs: Refs | None) -> Found | None:
    """What a revision means by its name alone; None if the clone must be asked."""
    if is_commit(spec.version or ""):
        return Found(spec.version or "")
    if refs is None:
        return None
    # A branch wins over a tag of that name, as it does in Commodore's clones.
    return named(refs, spec.version or refs.default_branch, prefer="branch")


def update_configuration(
    spec: DependencySpec,
    directory: Path,
    now: Status | None,
    listed: Refs | None,
    journal: Journal,
    checkouts: Checkouts,
    *,
    override: str = "",
    force: bool = False,
) -> Dependency:
    """Bring the global or tenant configuration to the wanted revision."""
    address = git_urls.normalise(spec.url)
    if now is None:
        aside, refs = clone_aside(str(spec), directory, spec.url)
        try:
            found = _find(spec, aside, refs)
            _switch(aside, found, force=True)
        except CommodoreError:
            remove(aside)
            raise
        swap_in(aside, directory)
    else:
        known = checkouts.at(directory, now.commit)
        configured = known is not None and known.url == address
        found_so = wanted_by(spec, listed)
        if configured and found_so == (now.commit, now.branch or ""):
            refs, found = listed or refs_of(directory, BRANCHES), found_so
        else:
            refs, _ = update_clone(
                str(spec), directory, spec.url, listed=listed, configured=configured
            )
            found = _find(spec, directory, refs)
            _check_out_safely(spec, directory, found, now, journal, force=force)
    noted = checkouts.at(directory, found.commit)
    if noted is None:
        noted = CheckedOut(found.commit, short_commits(directory, [found.commit])[found.commit], "")
    checkouts.note(directory, noted._replace(url=address))
    # Commodore reports the default branch even where the API pins a revision.
    version = override or refs.default_branch or FALLBACK_BRANCH
    return Dependency(spec, address, version, found.commit, noted.short_commit, directory)


def _check_out_safely(
    spec: DependencySpec,
    directory: Path,
    found: Found,
    now: Status,
    journal: Journal,
    *,
    force: bool,
) -> None:
    at = (now.commit, now.branch)
    try:
        check_out(directory, found, at, journal)
    except ProgramFailed as error:
        names = in_the_way(error.stderr)
        if not names:
            raise
        if not force:
            raise LocalWork.blocking(str(spec), directory, names, spec.version) from error
        put_work_aside(str(spec), directory, ignored=names)
        check_out(directory, found, at, journal, overwrite=True)


def clone_aside(what: str, directory: Path, url: str) -> tuple[Path, Refs]:
    """Clone beside the place, so that a run that is killed leaves nothing half done there."""
    shown = without_secrets(git_urls.normalise(url))
    log.info("cloning %s from %s", what, shown)
    aside = aside_of(directory)
    aside.mkdir(parents=True)
    # Not `init` and `fetch`: a clone also learns the name of an empty remote's branch.
    pushed_to = wanted_remote(url).get("pushurl")
    pushes = (f"--config=remote.origin.pushurl={pushed_to}",) if pushed_to else ()
    how = ("--quiet", "--no-checkout", "--origin=origin", *pushes, "--", git_urls.normalise(url))
    try:
        over_network(aside, "clone", *how, ".")
    except ProgramFailed as error:
        remove(aside)
        raise cannot_fetch(what, shown, error) from error
    return aside, refs_of(aside)


def swap_in(aside: Path, directory: Path) -> None:
    """Put what was made aside in its place, where at most an empty folder is."""
    if is_empty(directory):
        directory.rmdir()
    aside.rename(directory)


def update_clone(
    what: str, directory: Path, url: str, *, listed: Refs | None, configured: bool = False
) -> tuple[Refs, bool]:
    """Fetch a clone if its remote has something else; returns whether the repository changed.

    `listed` is what the remote has; without it, the clone has all that is needed. A clone that is
    `configured` has the address of its remote.
    """
    address, shown = git_urls.normalise(url), without_secrets(git_urls.normalise(url))
    old = address if configured else remote_settings(directory).get("url", "")
    moved = bool(old) and git_urls.dependency_key(old) != git_urls.dependency_key(url)
    present = refs_of(directory)
    if not moved and not configured:
        configure_remote(directory, url)
    if listed is not None and (moved or differs(listed, present)):
        log.info("fetching %s from %s", what, shown)
        try:
            fetch(directory, address if moved else "")
        except ProgramFailed as error:
            raise cannot_fetch(what, shown, error) from error
        if not moved:
            report_moved_tags(url, present, listed)
    if moved:  # only now, so that a killed run does not take the former refs for those of it
        configure_remote(directory, url)
        log.warning(
            "%s: its repository was %s and is %s now", what, without_secrets(old), shown
        )
    if listed is not None and listed.default_branch != present.default_branch:
        note_default_branch(directory, listed.default_branch)
    return listed or present, moved


def check_out(
    directory: Path,
    found: Found,
    at: tuple[str | None, str | None],
    journal: Journal | None,
    *,
    overwrite: bool = False,
) -> None:
    """Check out a branch (tracking its remote), or a commit; `at` is what is checked out.

    A clone that is not at its final path yet has no journal, and no files.
    """
    commit, branch = at
    if not overwrite and (commit, branch or "") == found:
        return
    if found.branch and found.branch != branch:
        keep_branch(directory, found.branch, found.commit)
    with journaled(journal, directory, before=commit, after=found.commit):
        _switch(directory, found, force=overwrite)


def _switch(directory: Path, found: Found, *, force: bool) -> None:
    origin = f"{BRANCHES}{found.branch}"
    how = ("--track", "-B", found.branch, origin) if found.branch else ("--detach", found.commit)
    safely = "--force" if force else "--no-overwrite-ignore"
    git(directory, "checkout", "--quiet", safely, *how)


def _find(spec: DependencySpec, directory: Path, refs: Refs) -> Found:
    try:
        return find(directory, refs, spec.version or refs.default_branch, prefer="branch")
    except RevisionNotFound as error:
        raise RevisionNotFound(
            f"{spec}: {error}",
            where=error.where,
            hint=f"check {_REVISION_FROM[spec.kind]}"
            if spec.version
            else "the repository has no branch that its HEAD names: push one",
        ) from error


def cannot_fetch(what: str, shown: str, error: ProgramFailed) -> CommodoreError:
    return CommodoreError(
        f"cannot fetch the {what}: {error.stderr.strip() or error}",
        where=shown,
        hint="check the repository's URL in the cluster's and the tenant's facts,"
        " and that you may read it",
    )
