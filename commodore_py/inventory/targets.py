"""The classes and parameters of each target."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING, Any

from commodore_py.errors import CommodoreError
from commodore_py.lib import KUSTOMIZE_WRAPPER
from commodore_py.model.dependency import Kind
from commodore_py.model.inventory import BOOTSTRAP, Instance

if TYPE_CHECKING:
    from collections.abc import Iterable

    from commodore_py.model.classpath import ClassPath
    from commodore_py.model.dependency import Dependency

Target = dict[str, Any]

DEFAULTS = "class/defaults.yml"


def targets_of(classes: ClassPath, instances: Iterable[Instance]) -> dict[str, Target]:
    """The content of every target file, by target name."""
    components, present = _with_defaults(classes)
    targets = {BOOTSTRAP: bootstrap_target(classes)}
    for instance in instances:
        # Those of an instance's own version replace those of its component.
        names = (
            instance.name if instance.component == component else component
            for component in components
        )
        targets[instance.name] = {
            "classes": [
                "params.cluster",
                *(f"defaults.{name}" for name in names if name in present),
                "global.commodore",
                f"components.{instance.name}",
            ],
            "parameters": _parameters(instance, classes),
        }
    return targets


def bootstrap_target(classes: ClassPath) -> Target:
    """The target that stands for the cluster itself."""
    names = ["params.cluster", *_defaults(classes), "global.commodore"]
    return {"classes": names, "parameters": {"_instance": BOOTSTRAP}}


def single_target(instance: Instance, classes: ClassPath, values: Iterable[str]) -> Target:
    """The target of a component by itself, with the classes of further values above its own."""
    return {
        "classes": [
            "params.cluster",
            *_defaults(classes),
            f"components.{instance.component}",
            *values,
        ],
        "parameters": _parameters(instance, classes),
    }


def _defaults(classes: ClassPath) -> list[str]:
    components, present = _with_defaults(classes)
    return [f"defaults.{name}" for name in components if name in present]


def _with_defaults(classes: ClassPath) -> tuple[list[str], set[str]]:
    """Components in the order of their classes; and what has defaults, with instances."""
    checkouts = classes.of_kind(Kind.COMPONENT, Kind.INSTANCE)
    present = {checkout.spec.name for checkout in checkouts if has_defaults(checkout)}
    return [component.spec.name for component in classes.of_kind(Kind.COMPONENT)], present


def has_defaults(component: Dependency) -> bool:
    """Test for the defaults in the checkout of a component."""
    return (component.directory / DEFAULTS).is_file()


def _parameters(instance: Instance, classes: ClassPath) -> dict[str, Any]:
    checkout = classes.component(instance.name)
    if checkout is None:
        raise CommodoreError(f"no checkout for {instance.component} as {instance.name}")
    parameters: dict[str, Any] = {
        "_base_directory": str(checkout.directory),
        "_instance": instance.name,
        "_kustomize_wrapper": str(KUSTOMIZE_WRAPPER),
        "_python3": sys.executable or shutil.which("python3") or "NOT_AVAILABLE",
        "kapitan": {"vars": {"target": instance.name}},
    }
    if instance.aliased:
        parameters[instance.key] = {}
        parameters[instance.component_key] = f"${{{instance.key}}}"
    return parameters
