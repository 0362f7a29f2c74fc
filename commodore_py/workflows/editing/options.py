"""Legal values of a parameter: by its schema, else by defaults and by what others use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from commodore_py.adapters.yaml.pieces import inline
from commodore_py.errors import CommodoreError
from commodore_py.inventory.class_edits import ABSENT, own_value
from commodore_py.inventory.engine.values import plain
from commodore_py.inventory.explain.replay import compiled_hierarchy
from commodore_py.inventory.explain.tracer import Tracer
from commodore_py.inventory.parameter_schema import legal_at, read_schema
from commodore_py.inventory.paths import path_parts
from commodore_py.model.inventory import BOOTSTRAP, parameter_key

from .versions import cloned_versions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.config import WorkPaths
    from commodore_py.inventory.explain.replay import Hierarchy
    from commodore_py.model.spot import ParameterPath

_Value: TypeAlias = Any

_VERSIONED = ("components", "packages")
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
    if not is_version or path[0] not in _VERSIONED:
        return
    url = _merged(hierarchy, BOOTSTRAP, (*path[:2], "url"))
    versions = cloned_versions(paths, str(url or ""))
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
            yield from (Option(inline(option), legal.options_at) for option in listed or ())


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
    tracer = Tracer(hierarchy.replay(target))
    try:
        return plain(tracer.value(path)) if tracer.follow(path) else None
    except CommodoreError:
        return None
