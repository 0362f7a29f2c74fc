"""Resolve versions to commits: a branch, a tag or a commit of a clone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple

from commodore_py.adapters.git.program import git_lines
from commodore_py.adapters.git.refs import (
    BRANCHES,
    TAGS,
    RevisionNotFound,
    commit_of,
    is_complete,
)
from commodore_py.adapters.git.repository import remote_settings

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.adapters.git.refs import Refs

_STEPS_BACK = re.compile(r"(.+?)([~^].*)")
_FULL_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
# Also what `git describe` prints: a tag, a count, and the commit that is meant.
_COMMIT = re.compile(r"(.+-g)?[0-9a-fA-F]{4,64}")


class Found(NamedTuple):
    """A resolved version."""

    commit: str
    branch: str = ""
    """Empty where the version is not a branch of the remote."""


def find(
    directory: Path,
    refs: Refs,
    version: str,
    *,
    prefer: Literal["branch", "tag"],
) -> Found:
    """Resolve a version in a clone; local branches are ignored, the remote decides."""
    listed = named(refs, version, prefer=prefer)
    if listed is not None:
        return listed
    candidates = [version] if is_commit(version) else _expressions(directory, refs, version)
    for expression in candidates:
        commit = commit_of(directory, expression)
        # What is under a name is complete; of other commits, a killed fetch leaves parts.
        named_so = commit in refs.commits.values()
        if commit is not None and (named_so or is_complete(directory, commit)):
            return Found(commit)
    url = remote_settings(directory).get("url", str(directory))
    raise RevisionNotFound.named(version, url=url, refs=refs.commits)


def named(refs: Refs, version: str, *, prefer: Literal["branch", "tag"]) -> Found | None:
    """The branch or tag of that name, if there is one (pure)."""
    branch, tag = refs.commits.get(BRANCHES + version), refs.commits.get(TAGS + version)
    if tag and not (branch and prefer == "branch"):
        return Found(tag)
    return Found(branch, version) if branch else None


def is_commit(version: str) -> bool:
    """Return whether a version is a commit's full id, which never means anything else."""
    return _FULL_COMMIT.fullmatch(version) is not None


def moved_tags(before: Refs, after: Refs) -> list[str]:
    """Tags that a fetch found elsewhere than they were, each with its old and new commit."""
    return [
        f"{name.removeprefix(TAGS)} ({before.commits[name][:8]} to {commit[:8]})"
        for name, commit in sorted(after.commits.items())
        if name.startswith(TAGS) and before.commits.get(name, commit) != commit
    ]


def _expressions(directory: Path, refs: Refs, version: str) -> list[str]:
    """Unambiguous spellings of a version that is neither a branch nor a tag."""
    steps = _STEPS_BACK.fullmatch(version)
    start, suffix = (steps[1], steps[2]) if steps else (version, "")
    if start == "HEAD":
        start = f"origin/{refs.default_branch}"
    names = (TAGS + start, BRANCHES + start, f"refs/remotes/{start}", f"refs/{start}", start)
    expressions = [name + suffix for name in names if name in refs.commits]
    # A tag of a tag is not among the refs, as these name commits only.
    expressions.append(TAGS + start + suffix)
    if _COMMIT.fullmatch(start):
        # Not the version itself, as a local branch may have that name.
        objects = git_lines(directory, "rev-parse", f"--disambiguate={start.rpartition('-g')[2]}")
        expressions += [
            f"{object_id}{suffix}" for object_id in objects if commit_of(directory, object_id)
        ]
    return expressions
