"""The components of a working directory: what they are, their versions, where they are used."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

from commodore_py.adapters import yaml
from commodore_py.adapters.git.program import git, git_bytes, succeeds
from commodore_py.dependencies.downloads.chart_versions import Version
from commodore_py.errors import CommodoreError
from commodore_py.inventory.explain.diagnostics import similar
from commodore_py.inventory.targets import DEFAULTS
from commodore_py.model.inventory import BOOTSTRAP, Instance

from .inventory.hierarchy import parameters_of
from .inventory.sources import instances_of_working_directory, is_compiled, of_working_directory

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from commodore_py.config import WorkPaths
    from commodore_py.model.inventory import Parameters

_TEXTS = ("documentation", "license", "icon")


class Component(NamedTuple):
    """A component of the cluster that was compiled last."""

    name: str
    about: Mapping[str, str]
    """`documentation`, `license` and `icon`, as far as the component says."""
    tags: tuple[str, ...]
    requested: str
    """The version in the hierarchy; empty for the default branch."""
    version: str
    """The newest tag of the commit that is checked out, or the commit."""
    versions: tuple[str, ...]
    """All tags that are versions, the newest first."""
    newer: tuple[str, ...]
    instances: tuple[str, ...]
    requires: Mapping[str, str]


def components_of(paths: WorkPaths) -> tuple[Component, ...]:
    """Every component in the hierarchy that is checked out, by name; no remote is contacted."""
    if not is_compiled(paths):
        hint = "run `commodore catalog compile CLUSTER`"
        raise CommodoreError("nothing was compiled here", where=str(paths.root), hint=hint)
    hierarchy = of_working_directory(paths, BOOTSTRAP)
    parameters = parameters_of(hierarchy, engine="native", missing_ok=True)
    requested = _requested(parameters)
    found = {name: Instance(name, name) for name in requested}
    instances: dict[str, list[str]] = {name: [] for name in requested}
    for one in sorted(instances_of_working_directory(paths)):
        # An instance with a version of its own has a checkout, too.
        own = one if one.name in requested else Instance(one.component, one.component)
        found[own.name] = own
        instances.setdefault(own.name, []).append(one.name)
    return tuple(
        _component(found[name], folder, parameters, tuple(instances[name]))
        for name in sorted(found)
        if (folder := paths.dependencies / name).is_dir()
    )


def component_named(paths: WorkPaths, name: str) -> Component:
    """One of them."""
    found = {one.name: one for one in components_of(paths)}
    if name not in found:
        raise CommodoreError(f"component {name} is not used here", hint=similar(name, found))
    return found[name]


def defaults_of(paths: WorkPaths, component: Component, version: str) -> Mapping[str, Any]:
    """The parameters that a version has by default; "" is the one that is checked out."""
    folder = paths.dependencies / component.name
    if not version:
        file = folder / DEFAULTS
        content = file.read_bytes() if file.is_file() else b""
    elif version not in component.versions and not succeeds(
        folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{version}^{{commit}}"
    ):
        message = f"component {component.name} has no version {version}"
        raise CommodoreError(message, hint=similar(version, component.versions))
    else:
        known = succeeds(folder, "cat-file", "-e", f"{version}:{DEFAULTS}")
        content = git_bytes(folder, "show", f"{version}:{DEFAULTS}") if known else b""
    loaded = yaml.load(content, name=f"{component.name}/{DEFAULTS}") if content else {}
    given = loaded.get("parameters") if isinstance(loaded, dict) else None
    return given if isinstance(given, dict) else {}


def _component(
    one: Instance, folder: Path, parameters: Parameters, instances: tuple[str, ...]
) -> Component:
    own = parameters.get(one.component_key)
    metadata = _mapping(own.get("_metadata") if isinstance(own, dict) else None)
    about = _mapping(metadata.get("catalogue"))
    tags = about.get("tags")
    versions = tuple(_versions(folder, "--list"))
    here = tuple(_versions(folder, "--points-at", "HEAD"))
    requested = str(_requested(parameters).get(one.name) or "")
    used = next((tag for tag in (*here, requested) if Version.parse(tag) is not None), "")
    return Component(
        one.name,
        {key: str(about[key]) for key in _TEXTS if key in about},
        tuple(map(str, tags)) if isinstance(tags, list) else (),
        requested,
        used or _commit(folder),
        versions,
        versions[: versions.index(used)] if used in versions else (),
        instances,
        {str(key): str(text) for key, text in _mapping(metadata.get("requires")).items()},
    )


def _requested(parameters: Parameters) -> dict[str, Any]:
    given = _mapping(parameters.get("components"))
    return {
        str(name): one.get("version")
        for name, one in given.items()
        if isinstance(one, dict) and len(PurePosixPath(str(name)).parts) == 1
    }


def _versions(folder: Path, *words: str) -> Iterator[str]:
    tags = git(folder, "tag", *words).split() if (folder / ".git").exists() else []
    found = {tag: version for tag in tags if (version := Version.parse(tag)) is not None}
    yield from sorted(found, key=found.__getitem__, reverse=True)


def _commit(folder: Path) -> str:
    return git(folder, "rev-parse", "HEAD").strip() if (folder / ".git").exists() else ""


def _mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
