"""Warnings about components that Commodore accepts without one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.adapters import git_urls
from commodore_py.model.dependency import Kind
from commodore_py.model.inventory import parameter_key
from commodore_py.model.problem import Problem

from .discover import PACKAGE_PREFIX, requests_in
from .jsonnet.libraries import libraries_of
from .versions import ClusterParameters

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from commodore_py.config import Config
    from commodore_py.model.classpath import ClassPath
    from commodore_py.model.dependency import Dependency
    from commodore_py.model.inventory import Inventory, Node
    from commodore_py.model.spot import Places

# Parameters with another meaning: a component with this key would share them.
_RESERVED_KEYS = {
    *("cluster", "facts", "dynamic_facts", "components", "packages", "commodore", "kapitan"),
    *("_instance", "_base_directory", "_kustomize_wrapper"),
}
_BUNDLER_FILES = ("jsonnetfile.json", "jsonnetfile.jsonnet")


def component_warnings(
    config: Config, classes: ClassPath, inventory: Inventory, places: Places
) -> tuple[Problem, ...]:
    """A notice for each; `strict` marks those that are errors with --strict."""
    node = inventory.bootstrap

    def where(applications: Iterable[str]) -> str:
        listed = ClusterParameters(node.parameters, places).listed_at(applications)
        return listed or "applications of the cluster"

    return (
        *(left_out_warnings(node, classes, where) if config.local else ()),
        *request_warnings(node, where),
        *version_warnings(classes, inventory),
    )


def left_out_warnings(
    node: Node, classes: ClassPath, where: Callable[[Iterable[str]], str]
) -> Iterator[Problem]:
    """Packages and instances that a local run leaves out, as they have no checkout."""
    packages = {dependency.spec.name for dependency in classes.of_kind(Kind.PACKAGE)}
    names = (name for name in node.applications if name.startswith(PACKAGE_PREFIX))
    missing = {name: name for name in names if name.removeprefix(PACKAGE_PREFIX) not in packages}
    for application, instance in requests_in(node):
        if classes.component(instance.name) is None:
            missing[application] = instance.name
    if missing:
        yield Problem(
            f"Left out, as they are not checked out: {', '.join(sorted(set(missing.values())))}."
            " Their files are removed from the catalog",
            where=where(missing),
            code="components/not-checked-out",
        )


def request_warnings(node: Node, where: Callable[[Iterable[str]], str]) -> Iterator[Problem]:
    """Parameter keys that several components share, or that are reserved."""
    requests = tuple(requests_in(node))
    names: dict[str, list[str]] = {}
    for application, instance in requests:
        # A component has parameters even if only others are instances of it.
        for name in (instance.name, instance.component):
            names.setdefault(name, []).append(application)

    components = {instance.component for _, instance in requests}
    shown = {
        name: (f"component {name}" if name in components else f"instance {name}")
        for name in sorted(names)
    }
    names_by_key: dict[str, list[str]] = {}
    for name in shown:
        names_by_key.setdefault(parameter_key(name), []).append(name)
    for key, sharing in names_by_key.items():
        listed = [application for name in sharing for application in names[name]]
        owners = " and ".join(shown[name] for name in sharing)
        if len(sharing) > 1:
            yield Problem(
                f"{owners} share parameters.{key}",
                where=where(listed),
                strict=True,
                code="components/shared-key",
            )
        if key in _RESERVED_KEYS:
            text = f"the key parameters.{key} of {owners} is reserved for another purpose"
            yield Problem(text, where=where(listed), strict=True, code="components/reserved-key")


def version_warnings(classes: ClassPath, inventory: Inventory) -> Iterator[Problem]:
    """Instances with another version than their component that still use parts of it."""
    for instance in inventory.instances:
        base, dependency = classes.component(instance.component), classes.component(instance.name)
        if not instance.aliased or base is None or dependency is None or _same(base, dependency):
            continue
        parts = list(_parts_of_base(base, dependency, inventory.nodes.get(instance.name)))
        if parts:
            yield Problem(
                f"instance {instance.name} has another version than component {instance.component},"
                f" but {' and '.join(parts)} come from the version of the component",
                where=f"parameters.components.{instance.name}",
                code="components/mixed-versions",
            )


def _same(base: Dependency, dependency: Dependency) -> bool:
    base_source, source = (
        # A checkout that is used as it is may have no remote.
        (d.url and git_urls.dependency_key(d.url), d.commit, d.spec.path.strip("/"))
        for d in (base, dependency)
    )
    return base_source == source


def _parts_of_base(base: Dependency, instance: Dependency, node: Node | None) -> Iterator[str]:
    """Fields that all instances of a component share although they may differ in this version."""
    if libraries_of(base) or libraries_of(instance):
        yield "its libraries"
    if any(
        (dependency.worktree / name).is_file()
        for dependency in (base, instance)
        for name in _BUNDLER_FILES
    ):
        yield "the Jsonnet libraries it depends on"
    prefix = f"{base.spec.name}/"
    inputs = sorted({path for path in _input_paths(node) if path.startswith(prefix)})
    if inputs:
        yield f"its inputs {', '.join(inputs)}"


def _input_paths(node: Node | None) -> Iterator[str]:
    kapitan = node.parameters.get("kapitan") if node is not None else None
    compiled = kapitan.get("compile") if isinstance(kapitan, dict) else None
    for entry in compiled if isinstance(compiled, list) else ():
        paths = entry.get("input_paths") if isinstance(entry, dict) else None
        yield from (path for path in paths or () if isinstance(path, str))
