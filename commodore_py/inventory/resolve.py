"""Nodes from layers: the cluster's own while it grows, then every target's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.lib import KUSTOMIZE_WRAPPER
from commodore_py.model import ClassPath, Cluster, Instance, Inventory, Node
from commodore_py.model.inventory import BOOTSTRAP

from . import reference
from .checks import check_components, check_instances
from .classes import ClassFiles
from .layout import params_of
from .native import render_targets
from .targets import bootstrap_target, targets_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from commodore_py.config import Config

    from .targets import Target


def resolve_bootstrap(
    config: Config, cluster: Cluster, classes: ClassPath, *, missing_ok: bool = False
) -> Node:
    """The cluster's own node, from the classes known so far."""
    targets = {BOOTSTRAP: bootstrap_target(classes)}
    return _render(config, cluster, classes, targets, missing_ok=missing_ok)[BOOTSTRAP]


def resolve(
    config: Config, cluster: Cluster, classes: ClassPath, instances: tuple[Instance, ...]
) -> Inventory:
    """Every target's node, and the rules that span several of them."""
    check_components(classes)
    targets = targets_of(classes, instances, kustomize_wrapper=KUSTOMIZE_WRAPPER)
    nodes = _render(config, cluster, classes, targets, missing_ok=False)
    inventory = Inventory(nodes, instances)
    check_instances(inventory)
    return inventory


def _render(
    config: Config,
    cluster: Cluster,
    classes: ClassPath,
    targets: Mapping[str, Target],
    *,
    missing_ok: bool,
) -> dict[str, Node]:
    params = params_of(config, cluster)
    if config.engine == "reference":
        return reference.render(classes, targets, params, missing_ok=missing_ok)
    files = ClassFiles(classes.entries(), generated={"params.cluster": params})
    uris = {name: f"yaml_fs://{config.paths.targets / name}.yml" for name in targets}
    return render_targets(files, targets, uris, missing_ok=missing_ok)
