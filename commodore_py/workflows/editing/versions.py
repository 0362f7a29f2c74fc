"""Which versions a repository has: release tags, the newest first, then branches."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, NamedTuple

from commodore_py.adapters import git_urls
from commodore_py.adapters.git.refs import OBJECT, read_refs
from commodore_py.adapters.masking import without_secrets
from commodore_py.dependencies.git.remotes import RemoteClient
from commodore_py.errors import CommodoreError
from commodore_py.workflows.tools.programs import precedence

if TYPE_CHECKING:
    from collections.abc import Iterable

    from commodore_py.config import Config, WorkPaths

_TAGS, _BRANCHES = "refs/tags/", "refs/remotes/origin/"
_MOST_SHOWN = 5


class Versions(NamedTuple):
    """The versions of a repository."""

    tags: tuple[str, ...] = ()
    branches: tuple[str, ...] = ()

    @property
    def newest(self) -> str:
        """The newest release; empty if there is none."""
        return next((tag for tag in self.tags if "-" not in tag), "")

    def check(self, version: str, of: str) -> None:
        """Refuse a version that the repository does not have."""
        if version in (*self.tags, *self.branches) or OBJECT.fullmatch(version):
            return
        near = get_close_matches(version, self.tags, n=_MOST_SHOWN, cutoff=0.3)
        options = [*near, *(tag for tag in self.tags if tag not in near)][:_MOST_SHOWN]
        options += self.branches[: _MOST_SHOWN - len(options)]
        raise CommodoreError(
            f"there is no version {version} of {of}",
            hint=f"versions: {', '.join(options)}" if options else "its repository has none",
        )


def versions_of(config: Config, url: str) -> Versions:
    """The versions that a repository has now; offline, those of its clone."""
    clone = config.paths.bare_clones / git_urls.dependency_key(url)
    if not config.offline:
        return _sorted(RemoteClient(config.paths.root).list_refs(url, clone).objects)
    found = cloned_versions(config.paths, url)
    if not found.tags and not found.branches:
        raise CommodoreError(
            f"the versions of {without_secrets(url)} are unknown: it is not cloned here",
            hint="omit --offline once to fetch it",
        )
    return found


def cloned_versions(paths: WorkPaths, url: str) -> Versions:
    """The versions at the last fetch; none without a clone."""
    clone = paths.bare_clones / git_urls.dependency_key(url)
    if not (clone / "HEAD").is_file():
        return Versions()
    return _sorted(read_refs(clone, _TAGS, _BRANCHES).objects)


def _sorted(refs: Iterable[str]) -> Versions:
    names = list(refs)
    tags = [name.removeprefix(_TAGS) for name in names if name.startswith(_TAGS)]
    branches = [name.removeprefix(_BRANCHES) for name in names if name.startswith(_BRANCHES)]
    tags.sort(key=_order, reverse=True)
    return Versions(tuple(tags), tuple(sorted(set(branches) - {"HEAD"})))


def _order(tag: str) -> tuple[bool, object, str]:
    """Versions by their precedence; below them, what is not a version."""
    try:
        return True, precedence(tag.removeprefix("v")), tag
    except ValueError:
        return False, (), tag
