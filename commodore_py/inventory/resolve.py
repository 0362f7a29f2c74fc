"""Nodes from layers: the cluster's own while it grows, then every target's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.lib import KUSTOMIZE_WRAPPER
from commodore_py.model import ClassPath, Cluster, Instance, Inventory, Node
from commodore_py.model.inventory import BOOTSTRAP

from . import reference
from .checks import check_components, check_instances
from .layout import params_of
from .targets import bootstrap_target, targets_of

if TYPE_CHECKING:
    from commodore_py.config import Config


def resolve_bootstrap(
    config: Config, cluster: Cluster, classes: ClassPath, *, missing_ok: bool = False
) -> Node:
    """The cluster's own node, from the classes known so far."""
    targets = {BOOTSTRAP: bootstrap_target(classes)}
    params = params_of(config, cluster)
    nodes = reference.render(classes, targets, params, missing_ok=missing_ok)
    return nodes[BOOTSTRAP]


def resolve(
    config: Config, cluster: Cluster, classes: ClassPath, instances: tuple[Instance, ...]
) -> Inventory:
    """Every target's node, and the rules that span several of them."""
    check_components(classes)
    targets = targets_of(classes, instances, kustomize_wrapper=KUSTOMIZE_WRAPPER)
    nodes = reference.render(classes, targets, params_of(config, cluster), missing_ok=False)
    inventory = Inventory(nodes, instances)
    check_instances(inventory)
    return inventory
