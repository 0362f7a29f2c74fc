"""Legal values of a parameter: versions of its repository, its schema, or what others use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from commodore_py.adapters import git_urls
from commodore_py.adapters.git.refs import refs_of
from commodore_py.adapters.yaml.pieces import inline
from commodore_py.dependencies.downloads.chart_versions import Version, is_exact
from commodore_py.dependencies.git.remotes import list_refs
from commodore_py.dependencies.git.revisions import is_commit
from commodore_py.errors import CommodoreError
from commodore_py.inventory.class_edits import ABSENT, own_value
from commodore_py.inventory.engine.values import plain
from commodore_py.inventory.explain.hierarchy import compiled_hierarchy
from commodore_py.inventory.parameter_schema import legal_at, read_schema
from commodore_py.inventory.paths import path_parts
from commodore_py.manifests.objects import mapping
from commodore_py.model.inventory import BOOTSTRAP, parameter_key
from commodore_py.model.names import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from commodore_py.config import WorkPaths
    from commodore_py.inventory.explain.hierarchy import Hierarchy
    from commodore_py.model.spot import ParameterPath

    from .plan import Plan

_TAGS, _BRANCHES = "refs/tags/", "refs/remotes/origin/"
_SECTIONS = ("components", "packages")
_Value: TypeAlias = Any


def check_versions(plan: Plan) -> None:
    """Refuse a version of a component or a package that its repository does not have."""
    section, name, *field = (*plan.path, "", "")[:3]
    if section not in _SECTIONS or field not in ([""], ["version"]):
        return
    entry = mapping(_merged(plan.staged, BOOTSTRAP, (section, name)))
    url, version = (str(entry.get(key) or "") for key in ("url", "version"))
    if plan.request.verb == "set" and url and version and "${" not in f"{url}{version}":
        versions = _sorted(list_refs(url).commits)
        if version not in versions and not is_commit(version):
            hint = did_you_mean(
                version, versions, listed="versions:", otherwise="its repository has none"
            )
            raise CommodoreError(f"there is no version {version} of {name}", hint=hint)


def _sorted(refs: Iterable[str]) -> dict[str, str]:
    """The versions among refs, each with `tag` or `branch`."""
    names = list(refs)
    tags = [name.removeprefix(_TAGS) for name in names if name.startswith(_TAGS)]
    branches = [name.removeprefix(_BRANCHES) for name in names if name.startswith(_BRANCHES)]
    tags.sort(key=_order, reverse=True)
    others = sorted(set(branches) - {"HEAD", *tags})
    return {**dict.fromkeys(tags, "tag"), **dict.fromkeys(others, "branch")}


def _order(tag: str) -> tuple[bool, object, str]:
    """Versions by their precedence; below them, what is not a version."""
    return (True, Version.parse(tag), tag) if is_exact(tag) else (False, (), tag)


_VERSION_DEPTH = 3


@dataclass(frozen=True, slots=True)
class Option:
    """A legal value, as it is written, and where it comes from."""

    value: str
    source: str


def options_at(paths: WorkPaths, path: str) -> tuple[Option, ...]:
    """The values that a parameter may have, the most likely first; nothing is fetched."""
    parts = path_parts(path)
    hierarchy = compiled_hierarchy(paths)
    options = [*_versions(paths, hierarchy, parts)]
    if not options:
        options = [*_by_schema(hierarchy, parts)] or [*_in_use(hierarchy, parts)]
    unique = {option.value: option for option in reversed(options)}
    return tuple(option for option in options if unique[option.value] is option)


def _versions(paths: WorkPaths, hierarchy: Hierarchy, path: ParameterPath) -> Iterator[Option]:
    is_version = len(path) == _VERSION_DEPTH and path[2] == "version"
    if not is_version or path[0] not in _SECTIONS:
        return
    url = _merged(hierarchy, BOOTSTRAP, (*path[:2], "url"))
    clone = paths.bare_clones / git_urls.dependency_key(str(url or ""))
    if (clone / "HEAD").is_file():
        versions = _sorted(refs_of(clone).commits)
        yield from (Option(inline(version), kind) for version, kind in versions.items())


def _by_schema(hierarchy: Hierarchy, path: ParameterPath) -> Iterator[Option]:
    for target in hierarchy.targets:
        if parameter_key(target) != path[0] or f"defaults.{target}" not in hierarchy.files:
            continue
        defaults = hierarchy.files.path(f"defaults.{target}").resolve()
        try:
            schema = read_schema(defaults.with_name("defaults.schema.json"))
        except CommodoreError:
            return
        if schema is None:
            return
        legal = legal_at(schema, path[1:])
        yield from (Option(inline(value), "schema") for value in legal.values)
        if legal.options_at:
            listed = _merged(hierarchy, target, path_parts(legal.options_at))
            options = listed if isinstance(listed, dict | list) else ()
            yield from (Option(inline(option), legal.options_at) for option in options)


def _in_use(hierarchy: Hierarchy, path: ParameterPath) -> Iterator[Option]:
    """The merged value, and values that any class sets, other clusters' included."""
    target = next(
        (target for target in hierarchy.targets if parameter_key(target) == path[0]), BOOTSTRAP
    )
    now = _merged(hierarchy, target, path)
    if isinstance(now, bool):
        yield from (Option(inline(flag), "type of the value now") for flag in (now, not now))
    for name in sorted(hierarchy.files.names()):
        if name.startswith(("components.", "params.")):
            continue
        file = hierarchy.file_of(name)
        try:
            value = own_value(
                hierarchy.files.text(name), ("parameters", *map(str, path)), name=file
            )
        except CommodoreError:
            continue
        if value is not ABSENT and not isinstance(value, dict | list):
            yield Option(inline(value), file)


def _merged(hierarchy: Hierarchy, target: str, path: ParameterPath) -> _Value:
    replay = hierarchy.replay(target)
    try:
        return plain(replay.value(path)) if replay.follow(path) else None
    except CommodoreError:
        return None
