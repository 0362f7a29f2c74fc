"""Git, by its own program: what it can do is what the user's `git` can do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError

from . import git_urls
from .process import ProgramFailed, run

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

# A hook or an alias may have set these for its own repository; ours are named by their folder.
_FOREIGN_REPOSITORY = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
)
_ENVIRONMENT: dict[str, str | None] = {**dict.fromkeys(_FOREIGN_REPOSITORY), "LC_ALL": "C"}
_FALLBACK_BRANCH = "master"


class RevisionNotFound(CommodoreError):
    """A repository has no such branch, tag or commit."""

    @classmethod
    def named(cls, revision: str, *, url: str) -> RevisionNotFound:
        """Name the revision and where it was looked for."""
        return cls(
            f"revision {revision} not found",
            where=git_urls.without_password(url),
            hint="check the version: it must be a branch, a tag or a commit of that repository",
        )


def git(
    directory: Path,
    *arguments: str,
    stdin: bytes | None = None,
    env: Mapping[str, str] | None = None,
) -> str:
    """Run git in a folder and return what it printed, without the final newline."""
    output = git_bytes(directory, *arguments, stdin=stdin, env=env)
    return output.decode(errors="surrogateescape").rstrip("\n")


def git_bytes(
    directory: Path,
    *arguments: str,
    stdin: bytes | None = None,
    env: Mapping[str, str] | None = None,
) -> bytes:
    """Run git in a folder and return what it printed, as it is."""
    return run(["git", *arguments], cwd=directory, env={**_ENVIRONMENT, **(env or {})}, stdin=stdin)


def succeeds(directory: Path, *arguments: str) -> bool:
    """Whether a git command answers yes."""
    try:
        git_bytes(directory, *arguments)
    except ProgramFailed:
        return False
    return True


def configure_remote(directory: Path, url: str) -> None:
    """Make `origin` point to a URL, and pushes to where that URL is pushed to."""
    normalised, push = git_urls.normalise(url), git_urls.push_url(url)
    current = remote_settings(directory)
    wanted = {
        "remote.origin.url": normalised,
        "remote.origin.fetch": "+refs/heads/*:refs/remotes/origin/*",
    }
    if push != normalised:
        wanted["remote.origin.pushurl"] = push
    elif "remote.origin.pushurl" in current:
        git(directory, "config", "--unset-all", "remote.origin.pushurl")
    for key, value in wanted.items():
        if current.get(key) != value:
            git(directory, "config", "--replace-all", key, value)


def remote_settings(directory: Path) -> dict[str, str]:
    """What the repository's configuration says about `origin`."""
    try:
        listing = git(directory, "config", "--local", "--get-regexp", r"^remote\.origin\.")
    except ProgramFailed:
        return {}  # git's way to say that nothing matched
    return dict(line.split(" ", 1) for line in listing.splitlines() if " " in line)


def fetch(directory: Path) -> None:
    """Bring all branches and tags of `origin`; tags that moved are followed."""
    git(directory, "fetch", "--quiet", "--prune", "--force", "--tags", "origin")


def default_branch(directory: Path) -> str:
    """The branch that the remote's HEAD names."""
    head = "refs/remotes/origin/HEAD"
    if not succeeds(directory, "symbolic-ref", "--quiet", head) and not succeeds(
        directory, "remote", "set-head", "origin", "--auto"
    ):
        return _FALLBACK_BRANCH
    return git(directory, "symbolic-ref", head).removeprefix("refs/remotes/origin/")


def commit_of(directory: Path, revision: str) -> str | None:
    """The commit that a revision expression names, if there is one."""
    try:
        return git(
            directory,
            "rev-parse",
            "--quiet",
            "--verify",
            "--end-of-options",
            f"{revision}^{{commit}}",
        )
    except ProgramFailed:
        return None


def short_commit(directory: Path, commit: str) -> str:
    """The abbreviated commit, six characters or as many as tell it apart."""
    return git(directory, "rev-parse", "--short=6", commit)
