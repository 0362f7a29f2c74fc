"""What Commodore accepts of a cluster's components, and we would rather not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.adapters.git import urls as git_urls
from commodore_py.model.dependency import Kind
from commodore_py.model.inventory import parameter_key
from commodore_py.model.problem import Problem

from .askers import places_of
from .discover import requests_in
from .jsonnet.libraries import libraries_of
from .jsonnet.library_doubts import library_doubts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from commodore_py.config import Config
    from commodore_py.model.classpath import ClassPath
    from commodore_py.model.dependency import Dependency
    from commodore_py.model.inventory import Instance, Inventory, Node

# Parameters with a meaning of their own: a component of that key would be given them.
_RESERVED_KEYS = {
    *("cluster", "facts", "dynamic_facts", "components", "packages", "commodore", "kapitan"),
    *("_instance", "_base_directory", "_kustomize_wrapper"),
}
_BUNDLER_FILES = ("jsonnetfile.json", "jsonnetfile.jsonnet")


def doubts(config: Config, classes: ClassPath, inventory: Inventory) -> tuple[Problem, ...]:
    """A notice for each; those that are only good to know are no reason to refuse."""
    node = inventory.bootstrap
    present = {one.spec.name: libraries_of(one) for one in classes.of_kind(Kind.COMPONENT)}

    def asked(applications: Iterable[str]) -> str:
        return places_of(applications, node, classes, config.paths.root)

    return (
        *request_doubts(node, asked),
        *library_doubts(present, node.parameters),
        *version_doubts(classes, inventory),
    )


def request_doubts(node: Node, asked: Callable[[Iterable[str]], str]) -> Iterator[Problem]:
    """Names that are asked for twice, and keys of parameters that are not one thing's alone."""
    requests = tuple(requests_in(node))
    spellings: dict[Instance, list[str]] = {}
    names: dict[str, list[str]] = {}
    for application, instance in requests:
        spellings.setdefault(instance, []).append(application)
        # A component has parameters even if only others are instances of it.
        for name in (instance.name, instance.component):
            names.setdefault(name, []).append(application)

    for instance, written in spellings.items():
        if len(written) > 1:
            both = " and as ".join(sorted(f"`{application}`" for application in written))
            text = f"component {instance.component} is asked for twice: as {both}"
            yield Problem(text, where=asked(written), strict=True)

    components = {instance.component for _, instance in requests}
    shown = {name: _shown(name, components) for name in sorted(names)}
    for key, sharing in _by_key(shown).items():
        where = [application for name in sharing for application in names[name]]
        told = " and ".join(shown[name] for name in sharing)
        if len(sharing) > 1:
            yield Problem(f"{told} share parameters.{key}", where=asked(where), strict=True)
        if key in _RESERVED_KEYS:
            text = f"{told} would be given parameters.{key}, which has a meaning of its own"
            yield Problem(text, where=asked(where), strict=True)


def version_doubts(classes: ClassPath, inventory: Inventory) -> Iterator[Problem]:
    """Instances of another version than their component, of which they still get parts."""
    for instance in inventory.instances:
        base, own = classes.component(instance.component), classes.component(instance.name)
        if not instance.aliased or base is None or own is None or _same(base, own):
            continue
        parts = list(_parts_of_base(base, own, inventory.nodes.get(instance.name)))
        if parts:
            yield Problem(
                f"instance {instance.name} is another version of component {instance.component},"
                f" but {' and '.join(parts)} are those of the component's own version",
                where=f"parameters.components.{instance.name}",
            )


def _shown(name: str, components: set[str]) -> str:
    return f"component {name}" if name in components else f"instance {name}"


def _by_key(names: Iterable[str]) -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(parameter_key(name), []).append(name)
    return found


def _same(base: Dependency, own: Dependency) -> bool:
    one, other = (
        (git_urls.dependency_key(d.url), d.commit, d.spec.path.strip("/")) for d in (base, own)
    )
    return one == other


def _parts_of_base(base: Dependency, own: Dependency, node: Node | None) -> Iterator[str]:
    """What is shared by all instances, and could differ in this one."""
    if libraries_of(base) or libraries_of(own):
        yield "its libraries"
    if any((one.worktree / name).is_file() for one in (base, own) for name in _BUNDLER_FILES):
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
