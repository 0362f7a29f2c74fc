"""Branches, tags and commits, of a repository or of its remote."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from commodore_py.adapters.masking import without_secrets
from commodore_py.adapters.process import ProgramFailed
from commodore_py.errors import CommodoreError
from commodore_py.model.names import did_you_mean

from .program import git, git_lines, over_network, succeeds

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

HEADS, TAGS = "refs/heads/", "refs/tags/"
BRANCHES = "refs/remotes/origin/"
FALLBACK_BRANCH = "master"

_NOWHERE = Path("/")  # in no repository, whose settings would count
_PATTERNS = ("HEAD", "refs/heads/*", "refs/tags/*")


class RevisionNotFound(CommodoreError):
    """A repository has no such branch, tag or commit."""

    @classmethod
    def named(cls, revision: str, *, url: str, refs: Iterable[str] = ()) -> RevisionNotFound:
        """Name the revision, where it was looked for, and the most similar of the refs."""
        names = [ref.removeprefix(BRANCHES).removeprefix(TAGS) for ref in refs]
        hint = "check the version: it must be a branch, a tag or a commit of that repository"
        return cls(
            f"revision {revision} not found",
            where=without_secrets(url),
            hint=did_you_mean(revision, names, otherwise=hint),
        )


class Refs(NamedTuple):
    """The branches and tags of a remote, as a clone of it names them."""

    commits: Mapping[str, str]
    """Commits by full names of refs, `refs/remotes/origin/...` and `refs/tags/...`."""
    default_branch: str
    """The branch that the remote's HEAD names; empty if it names none that exists."""


def refs_of(directory: Path, *patterns: str) -> Refs:
    """All remote branches and tags of a repository, as the last fetch left them."""
    format_ = "%(refname) %(objectname) %(*objecttype) %(*objectname) %(symref)"
    prefixes = patterns or (BRANCHES, TAGS)
    commits, head = {}, ""
    for line in git_lines(directory, "for-each-ref", f"--format={format_}", *prefixes):
        name, value, inner_kind, inner, target = line.split(" ")
        if target:
            head = target if name == f"{BRANCHES}HEAD" else head
        elif inner_kind != "tag":  # Git 2.39 opens only the outer one of two tags
            commits[name] = inner or value
    default_branch = head.removeprefix(BRANCHES) if head in commits else ""
    return Refs(commits, default_branch or FALLBACK_BRANCH)


def list_remote(address: str) -> Refs:
    """The branches and tags of a remote."""
    arguments = ("ls-remote", "--quiet", "--symref", "--", address, *_PATTERNS)
    return parse_listing(over_network(_NOWHERE, *arguments))


def parse_listing(listing: str) -> Refs:
    """Parse the output of `git ls-remote --symref` (pure)."""
    head = head_object = ""
    commits: dict[str, str] = {}
    for line in listing.split("\n"):
        value, _, name = line.partition("\t")
        if name == "HEAD":
            if value.startswith("ref: "):
                head = value.removeprefix(f"ref: {HEADS}")
            else:
                head_object = value
        elif not name.startswith((HEADS, TAGS)) or value.startswith("ref: "):
            continue  # patterns match the ends of names
        elif name.startswith(HEADS):
            commits[BRANCHES + name.removeprefix(HEADS)] = value
        else:  # the commit of a tag follows the tag
            commits[name.removesuffix("^{}")] = value
    return Refs(commits, _default_branch(commits, head, head_object))


def _default_branch(commits: Mapping[str, str], head: str, head_object: str) -> str:
    if head:
        return head if BRANCHES + head in commits else ""
    # HEAD is detached, or the server is old: as Git does, the branch of that commit.
    names = [n for n, v in commits.items() if n.startswith(BRANCHES) and v == head_object]
    usual = BRANCHES + FALLBACK_BRANCH
    return (usual if usual in names else min(names, default="")).removeprefix(BRANCHES)


def note_default_branch(directory: Path, branch: str) -> None:
    """Note which branch the remote's HEAD names; a remote may have none to name."""
    if branch:
        git(directory, "symbolic-ref", f"{BRANCHES}HEAD", BRANCHES + branch)


def commit_of(directory: Path, revision: str) -> str | None:
    """The commit that a revision expression names, if there is one."""
    how = ("--quiet", "--verify", "--end-of-options")
    try:
        return git(directory, "rev-parse", *how, f"{revision}^{{commit}}")
    except ProgramFailed:
        return None


def is_complete(directory: Path, commit: str) -> bool:
    """Return whether a commit is present with all its objects; a killed fetch leaves parts."""
    arguments = ("--objects", "--quiet", commit, "--not", "--remotes", "--tags")
    return succeeds(directory, "rev-list", *arguments)
