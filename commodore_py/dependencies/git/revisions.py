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
from commodore_py.model.dependency import Kind
from commodore_py.model.inventory import BOOTSTRAP
from commodore_py.model.spot import Fact, Spot

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.adapters.git.refs import Refs
    from commodore_py.errors import CommodoreError
    from commodore_py.model.dependency import DependencySpec

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


_REVISION_FROM = {
    Kind.GLOBAL: "globalGitRepoRevision of the cluster and the tenant,"
    " and --global-repo-revision-override",
    Kind.TENANT: "tenantGitRepoRevision of the cluster and the tenant,"
    " and --tenant-repo-revision-override",
}


def version_of(spec: DependencySpec) -> str:
    """The version that a dependency is requested in."""
    return spec.version or "HEAD"


def known(spec: DependencySpec, refs: Refs | None) -> Found | None:
    """Resolve the version of a dependency by its name alone; None if the clone must be asked."""
    version = version_of(spec)
    if is_commit(version):
        return Found(version)
    if refs is None:
        return None
    if version != "HEAD":
        return named(refs, version, prefer=_prefer(spec))
    if spec.kind in _REVISION_FROM:
        return named(refs, refs.default_branch, prefer="branch")
    commit = refs.commits.get(BRANCHES + refs.default_branch)
    return Found(commit) if commit else None


def find_requested(spec: DependencySpec, clone: Path, refs: Refs) -> Found:
    """Resolve the version of a dependency in its clone."""
    version = version_of(spec)
    listed = None if is_commit(version) else known(spec, refs)
    if version == "HEAD" and spec.kind in _REVISION_FROM:
        version = refs.default_branch
    try:
        return listed or find(clone, refs, version, prefer=_prefer(spec))
    except RevisionNotFound as error:
        hint = error.hint
        if spec.kind in _REVISION_FROM and not spec.version:
            hint = "the repository has no branch that its HEAD names: push one"
        elif spec.kind in _REVISION_FROM and not hint.startswith("did you mean"):
            hint = f"check {_REVISION_FROM[spec.kind]}"
        problem = RevisionNotFound(f"{spec}: {error}", where=error.where, hint=hint)
        raise set_at(problem, spec, "version") from error


def set_at(error: CommodoreError, spec: DependencySpec, field: str) -> CommodoreError:
    """The error with the setting that names a repository or its version."""
    spot: Spot | Fact = Fact(spec.kind.name.lower(), field)
    if spec.kind not in _REVISION_FROM:
        section = "packages" if spec.kind is Kind.PACKAGE else "components"
        spot = Spot(BOOTSTRAP, (section, spec.name, field))
    error.spots = (*error.spots, spot)
    error.where = f"{error.where}\n{spot}"
    return error


def _prefer(spec: DependencySpec) -> Literal["branch", "tag"]:
    """Decide between a branch and a tag of one name, as Commodore's clones and worktrees do."""
    return "branch" if spec.kind in _REVISION_FROM else "tag"
