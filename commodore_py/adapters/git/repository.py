"""HEAD of a checkout, and the settings of its repository."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.adapters import git_urls
from commodore_py.adapters.process import ProgramFailed

from .program import git, git_lines, succeeds
from .refs import BRANCHES, HEADS, refs_of

if TYPE_CHECKING:
    from collections.abc import Mapping


def git_folder_of(checkout: Path) -> Path | None:
    """The checkout's own Git directory; None if the directory is not the top of a checkout."""
    if not (checkout / ".git").exists():
        return None
    try:
        return Path(git(checkout, "rev-parse", "--absolute-git-dir"))
    except ProgramFailed:
        return None


def clone_of(checkout: Path) -> Path | None:
    """The repository that a checkout belongs to; None if Git does not find it."""
    try:
        return Path(git(checkout, "rev-parse", "--path-format=absolute", "--git-common-dir"))
    except ProgramFailed:
        return None


def is_repository(directory: Path) -> bool:
    """Return whether a directory is the top of a Git checkout (not merely inside of one)."""
    return (directory / ".git").exists() and succeeds(directory, "rev-parse", "--git-dir")


def head_of(directory: Path) -> tuple[str | None, str | None]:
    """The commit and the branch of a checkout, either may be missing."""
    try:
        # Not the short name: it is longer where a tag has the branch's name.
        commit, ref = git_lines(directory, "rev-parse", "HEAD", "--symbolic-full-name", "HEAD")
    except ProgramFailed:
        return None, git(directory, "symbolic-ref", "HEAD").removeprefix(HEADS)
    return commit, None if ref == "HEAD" else ref.removeprefix(HEADS)


def default_branch_of(directory: Path) -> str:
    """The branch of the remote's HEAD at the last fetch, as in `refs_of`."""
    return refs_of(directory, BRANCHES).default_branch


def remote_settings(directory: Path) -> dict[str, str]:
    """The settings of `origin` in the repository's configuration, by their last words."""
    prefix = "remote.origin."
    settings = settings_of(directory, r"^remote\.origin\.")
    return {key.removeprefix(prefix): value for key, value in settings.items()}


def settings_of(directory: Path, pattern: str, *, local: bool = True) -> dict[str, str]:
    """The settings whose keys match a regular expression, `local` for the repository's own."""
    scope = ("--local",) if local else ()
    try:
        listing = git(directory, "config", *scope, "-z", "--get-regexp", pattern)
    except ProgramFailed:
        return {}  # the exit code if none matches
    entries = (entry.partition("\n") for entry in listing.split("\0") if entry)
    return {key: value for key, _, value in entries}


def configure_remote(directory: Path, url: str) -> str:
    """Set the addresses of `origin`, for fetches and pushes; returns the former address."""
    current, settings = remote_settings(directory), wanted_remote(url)
    if "pushurl" in current.keys() - settings.keys():
        git(directory, "config", "--unset-all", "remote.origin.pushurl")
    for key, value in settings.items():
        if current.get(key) != value:
            git(directory, "config", "--replace-all", f"remote.origin.{key}", value)
    return current.get("url", "")


def wanted_remote(url: str) -> Mapping[str, str]:
    """The settings of `origin` in a clone of a URL (pure)."""
    normalised, push = git_urls.normalise(url), git_urls.push_url(url)
    settings = {"url": normalised, "fetch": f"+{HEADS}*:{BRANCHES}*"}
    return settings if push == normalised else {**settings, "pushurl": push}


def write_remote(repository: Path, url: str, *, bare: bool = True) -> None:
    """Replace the settings of `origin` in a repository that was just made."""
    from git import GitConfigParser  # slow to load, and most runs make no repository

    with GitConfigParser(os.fspath(repository / "config"), read_only=False) as settings:
        if not bare:
            settings.set("core", "bare", "false")
        section = 'remote "origin"'
        if settings.has_section(section):
            settings.remove_section(section)
        settings.add_section(section)
        for key, value in wanted_remote(url).items():
            settings.set(section, key, value)


def set_setting(directory: Path, key: str, value: str) -> None:
    """Write a setting of the repository itself."""
    git(directory, "config", "--local", key, value)
