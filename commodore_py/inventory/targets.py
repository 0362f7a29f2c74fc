"""The classes and parameters of each target."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, NamedTuple

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


class _Defaults(NamedTuple):
    """The classes of defaults of all components, made once for all targets."""

    by_component: dict[str, str]
    """Empty for a component that has none."""
    own: frozenset[str]
    """Components and instances that have some."""

    @classmethod
    def of(cls, classes: ClassPath) -> _Defaults:
        # Each checkout is looked at once.
        checkouts = classes.of_kind(Kind.COMPONENT, Kind.INSTANCE)
        own = frozenset(one.spec.name for one in checkouts if has_defaults(one))
        names = [one.spec.name for one in classes.of_kind(Kind.COMPONENT)]
        return cls({name: _class_of(name, own) for name in names}, own)

    def names(self) -> Iterable[str]:
        """All of them."""
        return filter(None, self.by_component.values())

    def names_for(self, instance: Instance) -> Iterable[str]:
        """Those of a target: an instance's own ones replace those of its component."""
        # It may have another version than its component.
        if instance.name == instance.component or instance.component not in self.by_component:
            return self.names()
        own = {instance.component: _class_of(instance.name, self.own)}
        return filter(None, {**self.by_component, **own}.values())


def _class_of(name: str, having: frozenset[str]) -> str:
    return f"defaults.{name}" if name in having else ""


def targets_of(
    classes: ClassPath, instances: Iterable[Instance], *, kustomize_wrapper: Path
) -> dict[str, Target]:
    """The content of every target file, by target name."""
    programs = _programs(kustomize_wrapper)
    defaults = _Defaults.of(classes)
    targets = {BOOTSTRAP: _bootstrap_target(defaults)}
    for instance in instances:
        targets[instance.name] = _instance_target(instance, classes, defaults, programs)
    return targets


def bootstrap_target(classes: ClassPath) -> Target:
    """The target that stands for the cluster itself."""
    return _bootstrap_target(_Defaults.of(classes))


def _bootstrap_target(defaults: _Defaults) -> Target:
    names = ["params.cluster", *defaults.names(), "global.commodore"]
    return {"classes": names, "parameters": {"_instance": BOOTSTRAP}}


def _instance_target(
    instance: Instance, classes: ClassPath, defaults: _Defaults, programs: dict[str, str]
) -> Target:
    return {
        "classes": [
            "params.cluster",
            *defaults.names_for(instance),
            "global.commodore",
            f"components.{instance.name}",
        ],
        "parameters": _parameters(instance, classes, programs),
    }


def single_target(
    instance: Instance, classes: ClassPath, values: Iterable[str], *, kustomize_wrapper: Path
) -> Target:
    """The target of a component by itself, with the classes of further values above its own."""
    defaults = _Defaults.of(classes).names()
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
