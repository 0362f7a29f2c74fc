"""A single component: its node, from its classes and files of values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError
from commodore_py.model.classpath import ClassPath
from commodore_py.model.inventory import BOOTSTRAP, Inventory

from .checks import check_components, check_support, check_values
from .engine.loader import MissingClass
from .layout import lay_out, params_of
from .locator import Locator, with_place
from .resolve import files_of, hierarchy_of, render
from .targets import single_target

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from commodore_py.config import Config
    from commodore_py.model.cluster import Cluster
    from commodore_py.model.dependency import Dependency
    from commodore_py.model.inventory import Instance

    from .targets import Target

_AVAILABLE = (
    "only the component, its defaults and the files given as values are part of the inventory"
)


class SingleClassPath(ClassPath):
    """The classes of a component, and values as more of them, by class name."""

    __slots__ = ("values",)

    def __init__(
        self, dependencies: tuple[Dependency, ...], values: tuple[tuple[str, Path], ...]
    ) -> None:
        super().__init__(dependencies)
        self.values = values

    def entries(self) -> Iterator[tuple[str, Path]]:
        """Pairs of class prefix and file, as of any class path."""
        yield from ClassPath.entries(self)
        yield from self.values


def resolve_single(
    config: Config, cluster: Cluster, classes: SingleClassPath, instance: Instance
) -> Inventory:
    """The node of a component's instance, laid out below the working directory.

    The instance is also the cluster's own node, as there is no cluster.
    """
    check_components(classes)
    check_values(file for _, file in classes.values)
    target = _target(classes, instance)
    try:
        nodes = render(config, cluster, classes, {instance.name: target}, missing_ok=False)
    except CommodoreError as error:
        explain_missing(error, _AVAILABLE)
        raise
    node = nodes[instance.name]
    inventory = Inventory({BOOTSTRAP: node, instance.name: node}, (instance,))
    where = single_locator(config, cluster, classes, instance)
    _check_key(inventory, instance, where)
    check_support(inventory, where)
    params = params_of(config, cluster)
    lay_out(config.paths.inventory, classes, {instance.name: target}, params)
    return inventory


def single_locator(
    config: Config, cluster: Cluster, classes: SingleClassPath, instance: Instance
) -> Locator:
    """Places in the instance, which is also the cluster's own target."""
    target = _target(classes, instance)
    roles = {BOOTSTRAP: target, instance.name: target}
    return Locator(lambda: hierarchy_of(config, files_of(config, cluster, classes), roles))


def _target(classes: SingleClassPath, instance: Instance) -> Target:
    names = [name for name, _ in classes.values]
    return single_target(instance, classes, names)


def explain_missing(error: CommodoreError, why: str) -> None:
    """Add the reason to the hint of each missing class."""
    for part in error.parts:
        if isinstance(part, MissingClass):
            part.hint = (
                f"{part.hint} Otherwise: {why}" if part.hint.startswith("did you mean") else why
            )


def _check_key(inventory: Inventory, instance: Instance, locator: Locator) -> None:
    """Other checks need the parameters of the component; so this comes first."""
    key = instance.component_key
    if isinstance(inventory.bootstrap.parameters.get(key), Mapping):
        return
    file = locator.class_file(f"defaults.{instance.component}")
    raise CommodoreError(
        f"component {instance.component} has no parameters of its own",
        where=with_place(f"parameters.{key}", file),
        hint=f"define parameters.{key} there, or name the component with -n if it is another one",
    )
