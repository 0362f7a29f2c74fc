"""Which versions a repository has: release tags, the newest first, then branches."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import git_urls
from commodore_py.adapters.git.refs import refs_of
from commodore_py.dependencies.downloads.chart_versions import Version, is_exact
from commodore_py.dependencies.git.remotes import list_refs
from commodore_py.dependencies.git.revisions import is_commit
from commodore_py.errors import CommodoreError
from commodore_py.inventory.engine.values import plain
from commodore_py.inventory.explain.tracer import Tracer
from commodore_py.model.inventory import BOOTSTRAP
from commodore_py.model.names import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable

    from commodore_py.config import WorkPaths

    from .plan import Plan

_TAGS, _BRANCHES = "refs/tags/", "refs/remotes/origin/"
_SECTIONS = ("components", "packages")


def check_versions(plan: Plan) -> None:
    """Refuse a version of a component or a package that its repository does not have."""
    section, name, *field = (*plan.path, "", "")[:3]
    if section not in _SECTIONS or field not in ([""], ["version"]):
        return
    tracer = Tracer(plan.staged.replay(BOOTSTRAP))
    entry: dict[str, Any] = {}
    with suppress(CommodoreError):  # what cannot be resolved is reported by the compile
        entry = plain(tracer.value((section, name))) if tracer.follow((section, name)) else {}
    url, version = (str(entry.get(key) or "") for key in ("url", "version"))
    if plan.request.verb == "set" and url and version and "${" not in f"{url}{version}":
        versions = _sorted(list_refs(url).commits)
        if version not in versions and not is_commit(version):
            hint = did_you_mean(
                version, versions, listed="versions:", otherwise="its repository has none"
            )
            raise CommodoreError(f"there is no version {version} of {name}", hint=hint)


def cloned_versions(paths: WorkPaths, url: str) -> dict[str, str]:
    """The versions at the last fetch, each with `tag` or `branch`; none without a clone."""
    clone = paths.bare_clones / git_urls.dependency_key(url)
    if not (clone / "HEAD").is_file():
        return {}
    return _sorted(refs_of(clone).commits)


def _sorted(refs: Iterable[str]) -> dict[str, str]:
    names = list(refs)
    tags = [name.removeprefix(_TAGS) for name in names if name.startswith(_TAGS)]
    branches = [name.removeprefix(_BRANCHES) for name in names if name.startswith(_BRANCHES)]
    tags.sort(key=_order, reverse=True)
    others = sorted(set(branches) - {"HEAD", *tags})
    return {**dict.fromkeys(tags, "tag"), **dict.fromkeys(others, "branch")}


def _order(tag: str) -> tuple[bool, object, str]:
    """Versions by their precedence; below them, what is not a version."""
    return (True, Version.parse(tag), tag) if is_exact(tag) else (False, (), tag)
