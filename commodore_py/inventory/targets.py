"""The classes and parameters of each target."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from commodore_py.errors import CommodoreError
from commodore_py.model.dependency import Kind
from commodore_py.model.inventory import BOOTSTRAP, Instance

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from commodore_py.model.classpath import ClassPath
    from commodore_py.model.dependency import Dependency

Target = dict[str, Any]

DEFAULTS = "class/defaults.yml"


def targets_of(
    classes: ClassPath, instances: Iterable[Instance], *, kustomize_wrapper: Path
) -> dict[str, Target]:
    """The content of every target file, by target name."""
    programs = _programs(kustomize_wrapper)
    having = _having_defaults(classes)
    targets = {BOOTSTRAP: _bootstrap_target(classes, having)}
    for instance in instances:
        targets[instance.name] = _instance_target(instance, classes, having, programs)
    return targets


def bootstrap_target(classes: ClassPath) -> Target:
    """The target that stands for the cluster itself."""
    return _bootstrap_target(classes, _having_defaults(classes))


def _bootstrap_target(classes: ClassPath, having: frozenset[str]) -> Target:
    names = ["params.cluster", *_defaults(classes, having, {}), "global.commodore"]
    return {"classes": names, "parameters": {"_instance": BOOTSTRAP}}


def _instance_target(
    instance: Instance, classes: ClassPath, having: frozenset[str], programs: dict[str, str]
) -> Target:
    # An instance may have another version than its component: its own defaults replace these.
    own_defaults = {instance.component: instance.name}
    return {
        "classes": [
            "params.cluster",
            *_defaults(classes, having, own_defaults),
            "global.commodore",
            f"components.{instance.name}",
        ],
        "parameters": _parameters(instance, classes, programs),
    }


def single_target(
    instance: Instance, classes: ClassPath, values: Iterable[str], *, kustomize_wrapper: Path
) -> Target:
    """The target of a component by itself, with the classes of further values above its own."""
    defaults = _defaults(classes, _having_defaults(classes), {})
    return {
        "classes": ["params.cluster", *defaults, f"components.{instance.component}", *values],
        "parameters": _parameters(instance, classes, _programs(kustomize_wrapper)),
    }


def _programs(kustomize_wrapper: Path) -> dict[str, str]:
    python = sys.executable or _python_of_path()
    return {"_kustomize_wrapper": str(kustomize_wrapper), "_python3": python}


def _python_of_path() -> str:
    import shutil

    return shutil.which("python3") or "NOT_AVAILABLE"


def _parameters(instance: Instance, classes: ClassPath, programs: dict[str, str]) -> dict[str, Any]:
    checkout = classes.component(instance.name)
    if checkout is None:
        raise CommodoreError(f"no checkout for {instance.component} as {instance.name}")
    parameters: dict[str, Any] = {
        "_base_directory": str(checkout.directory),
        "_instance": instance.name,
        **programs,
        "kapitan": {"vars": {"target": instance.name}},
    }
    if instance.aliased:
        parameters[instance.key] = {}
        parameters[instance.component_key] = f"${{{instance.key}}}"
    return parameters


def has_defaults(component: Dependency) -> bool:
    """Whether the checkout of a component still holds its defaults."""
    return (component.directory / DEFAULTS).is_file()


def _having_defaults(classes: ClassPath) -> frozenset[str]:
    # Every target includes them all: each checkout is read once.
    checkouts = classes.of_kind(Kind.COMPONENT, Kind.INSTANCE)
    return frozenset(one.spec.name for one in checkouts if has_defaults(one))


def _defaults(classes: ClassPath, having: frozenset[str], replaced: dict[str, str]) -> list[str]:
    names = (one.spec.name for one in classes.of_kind(Kind.COMPONENT))
    own = (replaced.get(name, name) for name in names)
    return [f"defaults.{name}" for name in own if name in having]
