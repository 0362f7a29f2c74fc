"""The git program, started with safe settings."""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING

from commodore_py.adapters import ending, git_urls, time_limits
from commodore_py.adapters.files.opening import refuse_link
from commodore_py.adapters.process import Patience, ProgramFailed, run

from . import safe

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

log = logging.getLogger(__name__)

# What a second attempt may fix; all else would fail again, or prompt for a password again.
_TRANSIENT = (
    r"(?i)Could not resolve host|Temporary failure in name resolution|timed out"
    r"|Connection reset|early EOF|unexpected disconnect|unexpected end of file"
    r"|(?:returned error:|HTTP) (?:5\d\d|429)"
)
_PAUSES = (0.3, 1.5)  # seconds before each further try

_BRANCHES, _TAGS = "+refs/heads/*:refs/remotes/origin/*", "+refs/tags/*:refs/tags/*"

_TOO_SLOW = "Operation too slow"
_BYTES_A_SECOND = 100


def git(
    directory: Path,
    *arguments: str,
    stdin: bytes | None = None,
    env: Mapping[str, str] | None = None,
    merge_stderr: bool = False,
) -> str:
    """Run git in a folder and return what it printed, without the final newline."""
    output = git_bytes(directory, *arguments, stdin=stdin, env=env, merge_stderr=merge_stderr)
    return output.decode(errors="surrogateescape").rstrip("\n")


def git_lines(directory: Path, *arguments: str) -> list[str]:
    """Run git in a folder and return the lines that it printed; names may hold other separators."""
    return [line for line in git(directory, *arguments).split("\n") if line]


def git_bytes(
    directory: Path,
    *arguments: str,
    stdin: bytes | None = None,
    env: Mapping[str, str] | None = None,
    merge_stderr: bool = False,
) -> bytes:
    """Run git in a folder and return what it printed, as it is."""
    refuse_link(directory / ".git")
    # Git must not fall back to a repository in a parent folder if this one is damaged.
    ceiling = {"GIT_CEILING_DIRECTORIES": str(directory.resolve().parent)}
    environment = {**safe.environment(), **ceiling, **(env or {})}
    command = ["git", *safe.with_options(arguments)]
    return run(
        command,
        cwd=directory,
        env=environment,
        stdin=stdin,
        merge_stderr=merge_stderr,
        # Agents and caches that it starts may live on.
        patience=Patience(time_limits.current().git, "git", after_exit=0),
    )


def over_network(directory: Path, *arguments: str, merge_stderr: bool = False) -> str:
    """Run a git command that uses the network; transient errors are retried."""
    for pause in _PAUSES:
        try:
            return _over_network(directory, *arguments, merge_stderr=merge_stderr)
        except ProgramFailed as error:
            if not re.search(_TRANSIENT, error.stderr):
                raise
            reason = error.stderr.strip().splitlines()[-1]
            log.info("trying again in %.1f seconds: %s", pause, reason)
            ending.pause(pause)
    return _over_network(directory, *arguments, merge_stderr=merge_stderr)


def _over_network(directory: Path, *arguments: str, merge_stderr: bool) -> str:
    idle = time_limits.current().git_idle
    slow = {
        "GIT_HTTP_LOW_SPEED_LIMIT": str(_BYTES_A_SECOND if idle else 0),
        "GIT_HTTP_LOW_SPEED_TIME": str(int(idle)),
    }
    try:
        return git(directory, *arguments, merge_stderr=merge_stderr, env=slow)
    except ProgramFailed as error:
        if _TOO_SLOW in error.stderr:
            # In the reason, as hints are replaced by those who know more about a repository.
            error.stderr = f"{error.stderr.rstrip()} (setting time-limits.git-idle)"
        raise


def reach_push_url(directory: Path, url: str) -> None:
    """Ask where pushes go, if that is elsewhere than where fetches go."""
    pushed_to = git_urls.push_url(url)
    if pushed_to != git_urls.normalise(url):
        over_network(directory, "ls-remote", "--quiet", "--", pushed_to, "HEAD")


def succeeds(directory: Path, *arguments: str, env: Mapping[str, str] | None = None) -> bool:
    """Return whether a git command succeeds."""
    try:
        git_bytes(directory, *arguments, env=env)
    except ProgramFailed:
        return False
    return True


def fetch(directory: Path, address: str = "origin", *, replace_tags: bool = False) -> None:
    """Fetch all branches and tags from an address; tags that moved are followed.

    With `replace_tags`, tags that are not there are removed: they are of another repository. What
    arrives is one pack, so that a killed fetch leaves no part of it.
    """
    # Housekeeping is done before the next program, not beside it.
    settings = ("-c", "fetch.unpackLimit=1", "-c", "pack.threads=1", "-c", "gc.autoDetach=false")
    refs = (address, _BRANCHES, *((_TAGS,) if replace_tags else ()))
    how = ("--quiet", "--prune", "--force", "--no-tags" if replace_tags else "--tags")
    over_network(directory, *settings, "fetch", *how, *refs)
