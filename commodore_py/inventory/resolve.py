"""Resolve the hierarchy: the cluster's own node while classes are fetched, then all targets."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from commodore_py.adapters import yaml
from commodore_py.adapters.files.reach import Reach
from commodore_py.adapters.masking import without_secrets
from commodore_py.model.dependency import CONFIGURATION, Kind
from commodore_py.model.inventory import BOOTSTRAP, Instance, Inventory, Node

from .checks import check_components, check_instances
from .engine.classes import ClassFiles
from .engine.render import TargetsFailed, render_targets
from .layout import params_of
from .locator import Locator
from .targets import DEFAULTS, bootstrap_target, has_defaults, targets_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from commodore_py.config import Config
    from commodore_py.model.classpath import ClassPath
    from commodore_py.model.cluster import Cluster

    from .explain.diagnostics import Context
    from .explain.hierarchy import Hierarchy
    from .targets import Target

log = logging.getLogger(__name__)

_FACTS = "params.cluster"
_NO_FILE = "facts of the cluster"


def resolve_bootstrap(
    config: Config, cluster: Cluster, classes: ClassPath, *, missing_ok: bool = False
) -> Node:
    """The cluster's own node, from the classes known so far."""
    targets = {BOOTSTRAP: bootstrap_target(classes)}
    return render(config, cluster, classes, targets, missing_ok=missing_ok)[BOOTSTRAP]


def resolve(
    config: Config, cluster: Cluster, classes: ClassPath, instances: tuple[Instance, ...]
) -> Inventory:
    """Every target's node, and the rules that span several of them."""
    check_components(classes)
    targets = targets_of(classes, instances)
    _warn_of_missing_defaults(classes)
    nodes = render(config, cluster, classes, targets, missing_ok=False)
    inventory = Inventory(nodes, instances)
    check_instances(inventory, locator_of(config, cluster, classes, instances))
    return inventory


def locator_of(
    config: Config, cluster: Cluster, classes: ClassPath, instances: tuple[Instance, ...] = ()
) -> Locator:
    """Places in target `cluster` and these instances, as far as classes are known."""

    def hierarchy() -> Hierarchy:
        targets = targets_of(classes, instances)
        return hierarchy_of(config, files_of(config, cluster, classes), targets)

    return Locator(hierarchy)


def render(
    config: Config,
    cluster: Cluster,
    classes: ClassPath,
    targets: Mapping[str, Target],
    *,
    missing_ok: bool,
) -> dict[str, Node]:
    """The nodes of these targets, by the chosen engine; errors have places."""
    if config.engine == "reference":
        from . import reference  # rarely used

        params = params_of(config, cluster)
        return reference.render(classes, targets, params, missing_ok=missing_ok)
    files = files_of(config, cluster, classes)
    uris = {name: f"yaml_fs://{config.paths.targets / name}.yml" for name in targets}
    try:
        return render_targets(files, targets, uris, missing_ok=missing_ok)
    except TargetsFailed as failure:
        from .explain.diagnostics import diagnose  # for failures only

        hierarchy = hierarchy_of(config, files, targets)
        context = _context(classes, missing_ok=missing_ok)
        raise diagnose(failure, hierarchy, context) from None


def files_of(config: Config, cluster: Cluster, classes: ClassPath) -> ClassFiles:
    """All class files, and the facts of the cluster."""
    root, private = config.paths.root, config.private_places()
    reach = Reach((root, *classes.worktrees()), work=(root,), private=private)
    facts = {_FACTS: params_of(config, cluster)}
    return ClassFiles(classes.entries(), generated=facts, reach=reach)


def _warn_of_missing_defaults(classes: ClassPath) -> None:
    for component in classes.of_kind(Kind.COMPONENT):
        if not has_defaults(component):
            log.warning(
                "component %s has no defaults any more: %s is ignored",
                component.spec.name,
                component.directory / DEFAULTS,
            )


def hierarchy_of(config: Config, files: ClassFiles, targets: Mapping[str, Target]) -> Hierarchy:
    """The hierarchy that was resolved, for places and explanations."""
    from .explain.hierarchy import Hierarchy
    from .explain.places import shown  # for places only, which messages have

    root = config.paths.root.resolve()
    return Hierarchy(
        files,
        {name: yaml.dump(target) for name, target in targets.items()},
        shown=lambda file: shown(file, root),
        # Local mode reads the facts that the last run wrote; otherwise there is no file yet.
        generated={_FACTS: shown(config.paths.params_file, root) if config.local else _NO_FILE},
        written=frozenset({_FACTS} if config.local else ()),
    )


def _context(classes: ClassPath, *, missing_ok: bool) -> Context:
    from .explain.diagnostics import Context  # for failures only

    origins = {
        dependency.spec.name: f"{without_secrets(dependency.url)}, version {dependency.version}"
        for dependency in classes.of_kind(*CONFIGURATION, Kind.PACKAGE)
        if dependency.url
    }
    early = not classes.of_kind(Kind.COMPONENT)
    return Context(missing_ok=missing_ok, early=early, origins=origins)
