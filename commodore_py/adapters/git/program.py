"""Git, by its own program: what it can do is what the user's `git` can do."""

from __future__ import annotations

import logging
import os
import re
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from commodore_py.adapters.process import ProgramFailed, run
from commodore_py.errors import CommodoreError

from . import files as git_files
from . import urls as git_urls

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

log = logging.getLogger(__name__)

# What a second try may mend; all else would only fail again, or ask for a password again.
_TRANSIENT = re.compile(
    r"Could not resolve host|Temporary failure in name resolution|timed out"
    r"|Connection reset|early EOF|unexpected disconnect|unexpected end of file"
    r"|(?:returned error:|HTTP) (?:5\d\d|429)",
    re.IGNORECASE,
)
_PAUSES = (0.3, 1.5)  # seconds before each further try

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

BRANCHES, TAGS = "refs/remotes/origin/", "refs/tags/"
FALLBACK_BRANCH = "master"


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


@dataclass(frozen=True, slots=True)
class Refs:
    """The branches and tags of a remote."""

    commits: Mapping[str, str]
    """Commits by full names of refs, `refs/remotes/origin/...` and `refs/tags/...`."""
    default_branch: str
    """The branch that the remote's HEAD was last seen to name."""


@dataclass(frozen=True, slots=True)
class Status:
    """What a checkout is at, and how its files differ from that."""

    commit: str | None
    """None before the first commit."""
    branch: str | None
    """None where HEAD is detached."""
    changes: tuple[tuple[str, str], ...]
    """Pairs of what happened (`modified`, `untracked`, ...) and the path it happened to."""


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


def git_bytes(
    directory: Path,
    *arguments: str,
    stdin: bytes | None = None,
    env: Mapping[str, str] | None = None,
    merge_stderr: bool = False,
) -> bytes:
    """Run git in a folder and return what it printed, as it is."""
    # A broken repository must not be mistaken for one that lies around it.
    ceiling = {"GIT_CEILING_DIRECTORIES": str(directory.resolve().parent)}
    environment = {**_ENVIRONMENT, **ceiling, **(env or {})}
    command = ["git", *arguments]
    return run(command, cwd=directory, env=environment, stdin=stdin, merge_stderr=merge_stderr)


def over_network(directory: Path, *arguments: str, merge_stderr: bool = False) -> str:
    """Run a git command that asks a remote; what a network does at times is tried again."""
    for pause in _PAUSES:
        try:
            return git(directory, *arguments, merge_stderr=merge_stderr)
        except ProgramFailed as error:
            if not _TRANSIENT.search(error.stderr):
                raise
            reason = error.stderr.strip().splitlines()[-1]
            log.info("trying again in %.1f seconds: %s", pause, reason)
            time.sleep(pause)
    return git(directory, *arguments, merge_stderr=merge_stderr)


def reach_push_url(directory: Path, url: str, rule: git_urls.PushRule) -> None:
    """Ask where pushes go, if that is elsewhere than where fetches go."""
    pushed_to = git_urls.push_url(url, rule)
    if pushed_to != git_urls.normalise(url):
        over_network(directory, "ls-remote", "--quiet", "--", pushed_to, "HEAD")


def has_rules_for_remotes(directory: Path) -> bool:
    """Whether the user's settings change what an address means, or what is got from there."""
    allowed = os.environ.get("GIT_ALLOW_PROTOCOL")
    if allowed is not None and "file" not in allowed.split(":"):
        return True
    rules = r"^(url|protocol|transfer|uploadpack)\.|^fetch\.fsckobjects$"
    return succeeds(directory, "config", "--get-regexp", rules)


def succeeds(directory: Path, *arguments: str) -> bool:
    """Whether a git command answers yes."""
    try:
        git_bytes(directory, *arguments)
    except ProgramFailed:
        return False
    return True


def configure_remote(directory: Path, url: str, rule: git_urls.PushRule | None = None) -> str:
    """Make `origin` point to a URL, and pushes to where that URL is pushed to; returns the old."""
    current, wanted = remote_settings(directory), wanted_remote(url, rule)
    if "remote.origin.pushurl" in current.keys() - wanted.keys():
        git(directory, "config", "--unset-all", "remote.origin.pushurl")
    for key, value in wanted.items():
        if current.get(key) != value:
            git(directory, "config", "--replace-all", key, value)
    return current.get("remote.origin.url", "")


def wanted_remote(url: str, rule: git_urls.PushRule | None = None) -> dict[str, str]:
    """What a repository's configuration should say about `origin`."""
    normalised, push = git_urls.normalise(url), git_urls.push_url(url, rule)
    wanted = {
        "remote.origin.url": normalised,
        "remote.origin.fetch": "+refs/heads/*:refs/remotes/origin/*",
    }
    return wanted if push == normalised else {**wanted, "remote.origin.pushurl": push}


def add_remote(bare: Path, url: str, rule: git_urls.PushRule | None = None) -> None:
    """Configure `origin` of a repository that was made just now."""
    wanted, file = wanted_remote(url, rule), bare / "config"
    lines = [f"\t{key.rpartition('.')[2]} = {value}\n" for key, value in wanted.items()]
    section = "".join(['[remote "origin"]\n', *lines])
    settings = file.read_text("utf-8")
    if git_files.origin_of(settings + section) == wanted:
        file.write_text(settings + section, "utf-8")
    else:  # a template has something to say, or the URL must be quoted
        configure_remote(bare, url, rule)


def remote_settings(directory: Path) -> dict[str, str]:
    """What the repository's configuration says about `origin`."""
    folders = git_files.folders_of(directory)
    for folder in (directory, folders.shared if folders else directory / ".git"):
        known = git_files.remote_in(folder / "config") if (folder / "HEAD").is_file() else None
        if known is not None:
            return known
    try:
        listing = git(directory, "config", "--local", "--get-regexp", r"^remote\.origin\.")
    except ProgramFailed:
        return {}  # git's way to say that nothing matched
    return dict(line.split(" ", 1) for line in listing.splitlines() if " " in line)


def fetch(directory: Path, *, other_repository: bool = False, fresh: bool = False) -> None:
    """Bring all branches and tags of `origin`; tags that moved are followed.

    With `other_repository`, tags that are not there go, as they were of another repository. With
    `fresh`, nothing was there: what comes is put into one pack, and needs no housekeeping.
    """
    tags = ("--prune-tags",) if other_repository else ()
    settings = ("fetch.unpackLimit=1", "maintenance.auto=false", "pack.threads=1")
    tidy = [word for one in settings for word in ("-c", one)] if fresh else []
    how = ("--quiet", "--prune", *tags, "--force", "--tags", "origin")
    over_network(directory, *tidy, "fetch", *how)


def refs_of(directory: Path) -> Refs:
    """All remote branches and tags, as the last fetch left them."""
    objects = "%(objecttype) %(objectname) %(*objecttype) %(*objectname)"
    listing = git(
        directory,
        "for-each-ref",
        f"--format=%(refname) {objects} %(symref)",
        "refs/remotes/origin",
        "refs/tags",
    )
    commits, head = {}, ""
    for line in listing.splitlines():
        name, kind, commit, inner_kind, inner_commit, target = line.split(" ")
        if target:
            head = target
        elif kind == "commit":
            commits[name] = commit
        elif inner_kind == "commit":  # a tag may also name a file or a folder
            commits[name] = inner_commit
    known = head.removeprefix(BRANCHES) if head in commits else ""
    return Refs(commits, known or FALLBACK_BRANCH)


def default_branch_of(directory: Path) -> str:
    """The branch that the remote's HEAD was last seen to name, as `refs_of` says."""
    folders = git_files.folders_of(directory)
    files = git_files.refs_in(folders.shared, BRANCHES) if folders else None
    if files is not None:
        target = files.symbolic.get(f"{BRANCHES}HEAD", "")
        if not target or target in files.objects:
            return target.removeprefix(BRANCHES) or FALLBACK_BRANCH
    return refs_of(directory).default_branch


def files_listed(directory: Path) -> git_files.RefFiles:
    """The same as the files of refs say, from Git itself."""
    listing = git(
        directory,
        "for-each-ref",
        "--format=%(refname) %(objectname) %(*objectname) %(symref)",
        "refs/remotes/origin",
        "refs/tags",
    )
    objects, peeled, symbolic = {}, {}, {}
    for line in listing.splitlines():
        name, value, inner, target = line.split(" ")
        if target:
            symbolic[name] = target
        else:
            objects[name] = value
            peeled[name] = inner or value
    return git_files.RefFiles(objects, symbolic, peeled)


def status(directory: Path, *, untracked: bool) -> Status:
    """What a checkout is at and what changed in it; ignored files are not mentioned."""
    kinds = "all" if untracked else "no"
    listing = git_bytes(
        directory,
        "status",
        *("--porcelain=v2", "--branch", "-z", "--no-renames", f"--untracked-files={kinds}"),
        env={"GIT_OPTIONAL_LOCKS": "0"},  # asking writes nothing
    )
    return parse_status(os.fsdecode(listing))


def parse_status(listing: str) -> Status:
    """Read what `git status --porcelain=v2 --branch -z --no-renames` prints (pure)."""
    headers: dict[str, str] = {}
    changes: list[tuple[str, str]] = []
    for entry in listing.split("\0"):
        match entry.split(" "):
            case ["#", header, *value]:
                headers[header] = " ".join(value)
            case ["?", *path]:
                changes.append(("untracked", " ".join(path)))
            case ["1", states, _, _, _, _, _, _, *path]:
                changes.append((_happened(states), " ".join(path)))
            case ["u", _, _, _, _, _, _, _, _, _, *path]:
                changes.append(("unmerged", " ".join(path)))
    commit, branch = headers.get("branch.oid"), headers.get("branch.head")
    return Status(
        None if commit == "(initial)" else commit,
        None if branch == "(detached)" else branch,
        tuple(changes),
    )


def _happened(states: str) -> str:
    if "D" in states:
        return "deleted"
    return "added" if "A" in states else "modified"


def head_of(directory: Path) -> tuple[str | None, str | None]:
    """The commit and the branch that a checkout is at, either may be missing."""
    folders = git_files.folders_of(directory)
    known = folders.head() if folders else None
    if known is not None:
        return known
    try:
        # Not the short name: it is longer where a tag has the branch's name.
        output = git(directory, "rev-parse", "HEAD", "--symbolic-full-name", "HEAD")
    except ProgramFailed:
        return None, git(directory, "symbolic-ref", "HEAD").removeprefix("refs/heads/")
    commit, ref = output.splitlines()
    return commit, None if ref == "HEAD" else ref.removeprefix("refs/heads/")


def note_default_branch(
    directory: Path, branch: str, known: git_files.RefFiles | None = None
) -> None:
    """Note which branch the remote's HEAD names; a remote may have none to name."""
    name, target = f"{BRANCHES}HEAD", BRANCHES + branch
    if branch and (known is None or known.symbolic.get(name) != target):
        git(directory, "symbolic-ref", name, target)


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


def is_repository(directory: Path) -> bool:
    """Whether a folder is the top of a Git checkout (not merely inside of one)."""
    folders = git_files.folders_of(directory)
    if folders is not None and folders.head() is not None:
        return True
    return (directory / ".git").exists() and succeeds(directory, "rev-parse", "--git-dir")
