"""A checkout's Git folder, what its HEAD names, and the settings of its repository."""

# Of so many files, Path takes longer than the system calls do.
from __future__ import annotations

import os
import re
from contextlib import suppress
from os.path import exists, isdir, isfile, islink, join
from pathlib import Path
from typing import NamedTuple

from commodore_py.adapters import git_urls
from commodore_py.adapters.process import ProgramFailed
from commodore_py.adapters.reading import bytes_of, text_of

from .layout import by_program, is_plain
from .locked_files import replace
from .program import git, succeeds
from .refs import BRANCHES, FALLBACK_BRANCH, HEADS, OBJECT, refs_in_files, refs_of, value_in

_BRANCH = re.compile(r"refs/heads/[^\s~^:?*\[\\]+")
_PLAIN_SETTING = re.compile(r'\t(url|pushurl|fetch) = ([^\s"\\#;][^"\\#;\t]*)')
_PLAIN_VALUE = r"^\[{}\]\n\t{} = ([\w.-]+)$"


class GitFolders(NamedTuple):
    """Where a checkout keeps its own Git files, and where those that all worktrees share are."""

    own: Path
    shared: Path


class Checkout(NamedTuple):
    """What a checkout is at, and where it comes from; all of it may be missing."""

    commit: str | None
    branch: str | None
    url: str


def folders_of(checkout: Path) -> GitFolders | None:
    """The folders behind a checkout; None if it is not the top of one."""
    if not exists(f"{checkout}/.git"):
        return None
    known = _folders_in_files(checkout)
    if known is not None:
        return known
    wanted = ("--path-format=absolute", "--git-dir", "--git-common-dir")
    try:
        own, shared = git(checkout, "rev-parse", *wanted).splitlines()
    except (ProgramFailed, NotADirectoryError):
        return None
    return GitFolders(Path(own), Path(shared))


def _folders_in_files(checkout: Path) -> GitFolders | None:
    """The same by files; None if the git program is needed."""
    if by_program():
        return None
    # Looked up for every checkout, several times: a path as a text takes a fraction of the time.
    place = f"{checkout}/.git"
    try:
        own = place if isdir(place) else join(checkout, named_in(place, "gitdir: "))
        common = f"{own}/commondir"
        shared = join(own, named_in(common)) if exists(common) else own
        # Git refuses what belongs to others, unless the user's settings allow it.
        me = os.geteuid()
        ours = all(os.stat(path).st_uid == me for path in (checkout, place, own, shared))
    except (OSError, ValueError):
        return None
    complete = isfile(f"{own}/HEAD") and isdir(f"{shared}/objects") and isdir(f"{shared}/refs")
    return GitFolders(Path(own), Path(shared)) if ours and complete and is_plain(shared) else None


def named_in(file: str, label: str = "") -> str:
    """The path that a file consists of, after a label; a `ValueError` if that is not so."""
    text = text_of(file).rstrip("\r\n")
    if not text.startswith(label) or text == label or "\n" in text:
        raise ValueError("not the name of a folder")
    return text.removeprefix(label)


def git_folder_of(worktree: Path) -> Path | None:
    """Where a linked worktree's own files lie, inside of the clone that it belongs to.

    The link may be broken: where Git cannot follow it, the text of the file counts.
    """
    file = f"{worktree}/.git"
    if not isfile(file):
        return None
    if by_program():
        try:
            return Path(
                git(worktree, "rev-parse", "--resolve-git-dir", os.path.abspath(file))
            ).resolve()
        except ProgramFailed:
            pass
    folder = os.fsdecode(bytes_of(file)).removeprefix("gitdir:").strip()
    return Path(os.path.realpath(join(worktree, folder)))


def head_of(directory: Path) -> tuple[str | None, str | None]:
    """The commit and the branch that a checkout is at, either may be missing."""
    known = _head_in_files(_folders_in_files(directory))
    if known is not None:
        return known
    try:
        # Not the short name: it is longer where a tag has the branch's name.
        output = git(directory, "rev-parse", "HEAD", "--symbolic-full-name", "HEAD")
    except ProgramFailed:
        return None, git(directory, "symbolic-ref", "HEAD").removeprefix(HEADS)
    commit, ref = output.splitlines()
    return commit, None if ref == "HEAD" else ref.removeprefix(HEADS)


def _head_in_files(folders: GitFolders | None) -> tuple[str | None, str | None] | None:
    """The same by files; None if the git program is needed."""
    if folders is None or islink(f"{folders.own}/HEAD"):
        return None
    try:
        content = text_of(f"{folders.own}/HEAD").strip()
        if OBJECT.fullmatch(content):
            return content, None
        ref = content.removeprefix("ref: ").strip()
        if not content.startswith("ref: ") or not _BRANCH.fullmatch(ref) or ".." in ref:
            return None
        commit = value_in(str(folders.shared), ref)
    except (OSError, ValueError):
        return None
    return commit, ref.removeprefix(HEADS)


def default_branch_of(directory: Path) -> str:
    """The branch of the remote's HEAD at the last fetch, as in `refs_of`."""
    folders = _folders_in_files(directory)
    files = refs_in_files(folders.shared, BRANCHES) if folders else None
    if files is not None:
        target = files.symbolic.get(f"{BRANCHES}HEAD", "")
        if not target or target in files.objects:
            return target.removeprefix(BRANCHES) or FALLBACK_BRANCH
    return refs_of(directory).default_branch


def is_repository(directory: Path) -> bool:
    """Whether a folder is the top of a Git checkout (not merely inside of one)."""
    if _head_in_files(_folders_in_files(directory)) is not None:
        return True
    return (directory / ".git").exists() and succeeds(directory, "rev-parse", "--git-dir")


def checkout_at(directory: Path) -> Checkout | None:
    """The checkout in a folder; None if the folder is not the top of one."""
    folders = _folders_in_files(directory)
    known = _head_in_files(folders)
    if folders is not None and known is not None:
        settings = _origin_in_file(folders.shared / "config")
        if settings is not None:  # of a plain repository: `folders` says so
            return Checkout(*known, settings.get("remote.origin.url", ""))
    elif not is_repository(directory):
        return None
    return Checkout(*head_of(directory), remote_settings(directory).get("remote.origin.url", ""))


def configure_remote(directory: Path, url: str) -> str:
    """Make `origin` point to a URL, and pushes to where that URL is pushed to; returns the old."""
    current, wanted = remote_settings(directory), wanted_remote(url)
    if "remote.origin.pushurl" in current.keys() - wanted.keys():
        git(directory, "config", "--unset-all", "remote.origin.pushurl")
    for key, value in wanted.items():
        if current.get(key) != value:
            git(directory, "config", "--replace-all", key, value)
    return current.get("remote.origin.url", "")


def wanted_remote(url: str) -> dict[str, str]:
    """What a repository's configuration should say about `origin`."""
    normalised, push = git_urls.normalise(url), git_urls.push_url(url)
    wanted = {
        "remote.origin.url": normalised,
        "remote.origin.fetch": "+refs/heads/*:refs/remotes/origin/*",
    }
    return wanted if push == normalised else {**wanted, "remote.origin.pushurl": push}


def add_remote(bare: Path, url: str) -> None:
    """Configure `origin` of a repository that was made just now."""
    wanted, file = wanted_remote(url), bare / "config"
    lines = [f"\t{key.rpartition('.')[2]} = {value}\n" for key, value in wanted.items()]
    section = "".join(['[remote "origin"]\n', *lines])
    if is_plain(bare):
        with suppress(UnicodeError):
            settings = file.read_text("utf-8")
            if origin_in(settings + section) == wanted:
                file.write_bytes((settings + section).encode())
                return
    # A template has something to say, or the URL must be quoted, or is not UTF-8.
    configure_remote(bare, url)


def remote_settings(directory: Path) -> dict[str, str]:
    """The settings of `origin` in the repository's configuration."""
    folders = _folders_in_files(directory)
    for folder in (directory, folders.shared if folders else directory / ".git"):
        if (folder / "HEAD").is_file() and is_plain(folder):
            known = _origin_in_file(folder / "config")
            if known is not None:
                return known
    try:
        listing = git(directory, "config", "--local", "--get-regexp", r"^remote\.origin\.")
    except ProgramFailed:
        return {}  # git's way to say that nothing matched
    return dict(line.split(" ", 1) for line in listing.splitlines() if " " in line)


def _origin_in_file(config: Path) -> dict[str, str] | None:
    try:
        return origin_in(text_of(str(config)))
    except (OSError, ValueError):
        return None


def origin_in(settings: str) -> dict[str, str] | None:
    """The settings of `origin` in a configuration, if its syntax is simple (pure)."""
    lines = settings.splitlines()
    headers = [number for number, line in enumerate(lines) if "remote" in line.lower()]
    headers = [number for number in headers if lines[number].lstrip().startswith("[")]
    if len(headers) != 1 or lines[headers[0]] != '[remote "origin"]':
        return None
    found: dict[str, str] = {}
    for line in lines[headers[0] + 1 :]:
        if line.lstrip().startswith("["):
            break
        setting = _PLAIN_SETTING.fullmatch(line)
        if setting is None or f"remote.origin.{setting[1]}" in found:
            return None
        found[f"remote.origin.{setting[1]}"] = setting[2].rstrip()
    return found


def settings_text(git_folder: Path) -> str:
    """The settings of a repository as they are written; empty if they are not to be read."""
    if by_program():
        return ""
    try:
        return bytes_of(f"{git_folder}/config").decode(errors="replace")
    except OSError:
        return ""


def setting_of(directory: Path, section: str, key: str) -> str:
    """A setting of a checkout's own repository; empty if it has none."""
    config = directory / ".git" / "config"
    if is_plain(config.parent):
        with suppress(OSError, ValueError):
            text = text_of(str(config))
            found = re.search(_PLAIN_VALUE.format(section, key), text, re.MULTILINE)
            if found or section not in text.lower():
                return found[1] if found else ""
    try:
        return git(directory, "config", "--local", "--get", f"{section}.{key}")
    except ProgramFailed:
        return ""


def set_setting(directory: Path, section: str, key: str, value: str) -> None:
    """Write a setting of a checkout's own repository."""
    config = directory / ".git" / "config"
    if is_plain(config.parent) and not config.is_symlink() and re.fullmatch(r"[\w.-]+", value):
        with suppress(OSError, ValueError):
            text = text_of(str(config))
            if section not in text.lower() and text.endswith("\n"):
                replace(str(config), f"{text}[{section}]\n\t{key} = {value}\n")
                return
    git(directory, "config", f"{section}.{key}", value)
