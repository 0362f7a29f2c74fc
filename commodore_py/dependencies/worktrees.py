"""One bare clone per repository, one worktree per dependency."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.adapters import git_urls
from commodore_py.adapters.files import remove
from commodore_py.adapters.git import (
    RevisionNotFound,
    commit_of,
    configure_remote,
    fetch,
    git,
    short_commit,
)
from commodore_py.adapters.process import ProgramFailed
from commodore_py.errors import CommodoreError
from commodore_py.model import Dependency, DependencySpec

from .safety import LocalWork, is_repository, put_aside, uncommitted, unpushed

if TYPE_CHECKING:
    from collections.abc import Sequence

log = logging.getLogger(__name__)


def ensure_bare_clone(bare: Path, url: str) -> None:
    """Open or make the bare clone of a repository, and point it to its remote."""
    if not (bare / "HEAD").is_file():
        bare.mkdir(parents=True, exist_ok=True)
        git(bare, "init", "--quiet", "--bare", "--initial-branch=master")
    configure_remote(bare, url)


def fetch_bare_clone(bare: Path, url: str, specs: Sequence[DependencySpec]) -> None:
    """Bring the clone up to date, unless full commits are all that is wanted and there already."""
    if all(spec.version and _is_present_commit(bare, spec.version) for spec in specs):
        return
    log.info("fetching %s", git_urls.without_password(git_urls.normalise(url)))
    try:
        fetch(bare)
    except ProgramFailed as error:
        names = ", ".join(str(spec) for spec in specs)
        raise CommodoreError(
            f"cannot fetch {names}: {error.stderr.strip() or error}",
            where=git_urls.without_password(url),
            hint="check the url in the hierarchy, and that you may read the repository",
        ) from error


def local_work(spec: DependencySpec, worktree: Path, bare: Path) -> CommodoreError | None:
    """What stands against updating a worktree, if it cannot simply be forced."""
    if worktree.is_symlink():
        return CommodoreError(
            f"{spec}: the checkout is a link to another folder",
            where=str(worktree),
            hint="compile with --local to use the linked folder, or remove the link",
        )
    if not worktree.exists() or _is_empty(worktree):
        return None
    if not is_repository(worktree):
        return CommodoreError(
            f"{spec}: the folder is no Git checkout",
            where=str(worktree),
            hint="move it away; it will be checked out anew",
        )
    stays = _belongs_to(worktree, bare)
    details = [
        *uncommitted(worktree, untracked=not stays),
        *unpushed(worktree, branches=not stays and not _is_linked(worktree)),
    ]
    return LocalWork.found(str(spec), worktree, details) if details else None


def check_out(spec: DependencySpec, worktree: Path, bare: Path) -> Dependency:
    """Put the wanted version into the worktree, making or replacing it where needed."""
    version = spec.version or "HEAD"
    branch, commit = _find(bare, version)
    if worktree.exists() and not _is_empty(worktree) and not _belongs_to(worktree, bare):
        log.info("%s comes from another repository now: checking it out anew", spec)
        _discard(worktree)
    if not (worktree / ".git").exists():
        _create(worktree, bare, branch, commit)
    else:
        _update(worktree, bare, branch, commit)
    url = git(bare, "config", "remote.origin.url")
    return Dependency(spec, url, version, commit, short_commit(bare, commit), worktree)


def put_local_work_aside(spec: DependencySpec, worktree: Path, problem: CommodoreError) -> None:
    """Keep local work under a ref of the bare clone, and leave the worktree clean."""
    if not isinstance(problem, LocalWork) or not _is_linked(worktree):
        raise problem  # a clone of its own would take what we put aside with it
    put_aside(worktree, str(spec))
    git(worktree, "reset", "--quiet", "--hard")


def _find(bare: Path, version: str) -> tuple[str, str]:
    """The branch that a version names (or nothing) and its commit.

    A tag comes before a branch of the same name, as it does for Git in a fresh clone.
    """
    tag = commit_of(bare, f"refs/tags/{version}")
    if tag is not None:
        return "", tag
    commit = commit_of(bare, f"refs/remotes/origin/{version}")
    if commit is not None:
        return version, commit
    commit = commit_of(bare, version)
    if commit is None:
        raise RevisionNotFound.named(version, url=git(bare, "config", "remote.origin.url"))
    return "", commit


def _create(worktree: Path, bare: Path, branch: str, commit: str) -> None:
    git(bare, "worktree", "prune")
    worktree.parent.mkdir(parents=True, exist_ok=True)
    how: tuple[str, ...]
    if branch and branch not in _branches_in_use(bare):
        how = ("--track", "-B", branch, str(worktree), f"origin/{branch}")
    else:
        # Git allows a branch in one worktree only; the second one just has its commit.
        how = ("--detach", str(worktree), commit)
    git(bare, "worktree", "add", "--quiet", "--force", *how)


def _update(worktree: Path, bare: Path, branch: str, commit: str) -> None:
    at_commit = commit_of(worktree, "HEAD") == commit
    current = git(worktree, "rev-parse", "--abbrev-ref", "HEAD")
    if branch and (branch == current or branch not in _branches_in_use(bare)):
        if not (at_commit and branch == current):
            git(worktree, "checkout", "--quiet", "--track", "-B", branch, f"origin/{branch}")
    elif not (at_commit and current == "HEAD"):
        git(worktree, "checkout", "--quiet", "--detach", commit)


def _branches_in_use(bare: Path) -> set[str]:
    listing = git(bare, "worktree", "list", "--porcelain")
    lines = listing.splitlines()
    return {line.removeprefix("branch refs/heads/") for line in lines if line.startswith("branch ")}


def _discard(worktree: Path) -> None:
    if _is_linked(worktree):
        git(worktree, "worktree", "remove", "--force", str(worktree))
    else:
        remove(worktree)


def _is_linked(worktree: Path) -> bool:
    return (worktree / ".git").is_file()


def _belongs_to(worktree: Path, bare: Path) -> bool:
    try:
        common = git(worktree, "rev-parse", "--path-format=absolute", "--git-common-dir")
    except ProgramFailed:
        return False
    return Path(common).resolve() == bare.resolve()


def _is_empty(folder: Path) -> bool:
    return folder.is_dir() and not any(folder.iterdir())


def _is_present_commit(bare: Path, version: str) -> bool:
    full = len(version) in (40, 64) and all(c in "0123456789abcdef" for c in version)
    return full and commit_of(bare, version) == version
