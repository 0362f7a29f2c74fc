"""Versions of other components that components require, compared with what is deployed."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from commodore_py.adapters.git.program import git
from commodore_py.adapters.process import ProgramFailed
from commodore_py.model.inventory import BOOTSTRAP
from commodore_py.model.problem import Problem

from .downloads.chart_versions import Version, best

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from commodore_py.model.classpath import ClassPath
    from commodore_py.model.dependency import Dependency
    from commodore_py.model.inventory import Instance, Inventory
    from commodore_py.model.spot import Places

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Requirement:
    """A range of versions of another component, by an instance."""

    instance: Instance
    other: str
    range: str
    where: str


def unmet_requirements(
    asking: Mapping[Instance, object], inventory: Inventory, classes: ClassPath, places: Places
) -> Iterator[Problem]:
    """Requirements that are not valid, or that the deployed versions do not meet."""
    read = [item for instance in asking for item in _read(instance, asking[instance], places)]
    valid = [requirement for requirement in read if isinstance(requirement, _Requirement)]
    yield from (problem for problem in read if isinstance(problem, Problem))
    for requirement in valid:
        deployed = _deployed(requirement.other, inventory, classes)
        if not deployed:
            text = f"requires {requirement.other} {requirement.range}, which is not deployed"
            yield _problem(f"{_named(requirement.instance)} {text}", requirement.where)
        ranges = [two.range for two in valid if two.other == requirement.other]
        component = classes.component(requirement.instance.name) or classes.component(
            requirement.instance.component
        )
        for dependency in deployed:
            version = _version_of(dependency)
            if not version:
                log.debug("the version of %s is unknown: it has no tag", dependency.spec)
            elif best(requirement.range, [version]) is None:
                place = places.parameter(BOOTSTRAP, ("components", dependency.spec.name, "version"))
                own_version = (component and component.spec.version) or ""
                requiring = f"{_named(requirement.instance)} {own_version}".rstrip()
                name, newest = dependency.spec.name, _newest(_tags(dependency, "--list"), ranges)
                advice = f"the newest that all accept is {newest}" if newest else "no tag fits all"
                yield _problem(
                    f"{requiring} requires {requirement.other} {requirement.range},"
                    f" and {name} is {version}; {advice}",
                    "\n".join(dict.fromkeys((requirement.where, place))),
                    f"set components.{name}.version" if newest else "",
                )


def _read(instance: Instance, requires: object, places: Places) -> Iterator[_Requirement | Problem]:
    path = (instance.component_key, "_metadata", "requires")
    if not isinstance(requires, Mapping):
        message = f"what {_named(instance)} requires is not a mapping of components to ranges"
        yield _problem(message, places.parameter(instance.name, path))
        return
    for other, version_range in requires.items():
        place = places.parameter(instance.name, (*path, other))
        try:
            best(str(version_range), ())
        except ValueError as error:
            yield _problem(f"{_named(instance)} requires {other}: {error}", place)
        else:
            yield _Requirement(instance, str(other), str(version_range), place)


def _problem(message: str, where: str, remedy: str = "") -> Problem:
    remedy = remedy or "use other versions of the components"
    return Problem(message, where=where, strict=True, code="components/requires", remedy=remedy)


def _named(instance: Instance) -> str:
    return f"{'instance' if instance.aliased else 'component'} {instance.name}"


def _deployed(other: str, inventory: Inventory, classes: ClassPath) -> list[Dependency]:
    """The checkouts of a component that instances use."""
    names = [instance.name for instance in inventory.instances if instance.component == other]
    dependencies = (classes.component(name) or classes.component(other) for name in names)
    by_version = {
        (dependency.commit, dependency.spec.version): dependency
        for dependency in dependencies
        if dependency is not None
    }
    return list(by_version.values())


def _version_of(dependency: Dependency) -> str:
    """The version that is requested, else the highest tag of its commit; empty without one."""
    requested = dependency.spec.version or ""
    if Version.parse(requested) is not None:
        return requested
    return _newest(_tags(dependency, "--points-at", dependency.commit), ())


def _newest(tags: Iterable[str], ranges: Iterable[str]) -> str:
    versions = {tag: version for tag in tags if (version := Version.parse(tag)) is not None}
    fitting = [
        tag
        for tag in versions
        if all(best(version_range, [tag]) is not None for version_range in ranges)
    ]
    return max(fitting, key=versions.__getitem__, default="")


def _tags(dependency: Dependency, *words: str) -> list[str]:
    try:
        return git(dependency.worktree, "tag", *words).split()
    except ProgramFailed:  # a folder without Git, in local mode
        return []
