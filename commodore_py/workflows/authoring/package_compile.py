"""Compile a package by itself, with one of its classes in place of a cluster's configuration."""

from __future__ import annotations

import logging
from dataclasses import replace
from datetime import datetime
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from commodore_py import pipeline, run_log
from commodore_py.adapters import yaml
from commodore_py.adapters.files import link, remove, write_if_changed, write_tree
from commodore_py.catalog.clean import clean
from commodore_py.config import WorkPaths
from commodore_py.dependencies.discover import instances_of, wanted_components
from commodore_py.dependencies.fetch import fetcher, refuse_missing
from commodore_py.dependencies.protection.run_lock import exclusive_run
from commodore_py.errors import CommodoreError, located
from commodore_py.inventory.resolve import locator_of, resolve_bootstrap
from commodore_py.inventory.single import explain_missing
from commodore_py.problems.refuse import refuse

from .folders import TENANT, PackageFolder
from .workspace import Compiled, Workspace, cluster_for_package, workspace, write_argocd_stub

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from commodore_py.config import Config
    from commodore_py.dependencies.lock.run import LockedRun
    from commodore_py.dependencies.lock.shared import SharedLock
    from commodore_py.model.cluster import Cluster
    from commodore_py.model.stages import Rendered, Sources
    from commodore_py.model.tree import Tree

log = logging.getLogger(__name__)

_LACKING = "other packages and configurations are not fetched to compile a package by itself"


def compile_package(
    config: Config,
    package: PackageFolder,
    *,
    keep: Path | None,
    kept: bool,
    lock: SharedLock | None = None,
) -> Compiled:
    """Compile a package in the user's folder, or in a new one that is removed unless `kept`.

    The trees of its instances are written to `compiled/` of the package; other files there
    remain.
    """
    with workspace("package-", folder=keep, kept=kept) as work:
        if work.folder.is_relative_to(package.directory):
            log.warning(
                "the package is compiled in a folder of its own: all that lands there counts as"
                " classes of the package, and the next compile may fail because of it",
                extra={"where": str(work.folder), "hint": "name a folder beside the package"},
            )
        config = replace(config, paths=WorkPaths(work.folder))
        locked = lock.run() if lock is not None else None
        rendered = render_package(config, package, work, locked)
        if lock is not None and locked is not None:
            lock.add(locked.findings)
            rendered = replace(rendered, notices=(*rendered.notices, *lock.finish()))
        if not work.temporary:
            _leave(config, rendered)
    place = package.directory / "compiled"
    for name, tree in placed(rendered.instances).items():
        write_tree(place / name, tree)
    folder = None if work.temporary else work.folder
    return Compiled(place, rendered.notices, folder)


def render_package(
    config: Config, package: PackageFolder, work: Workspace, lock: LockedRun | None
) -> Rendered:
    """Compile a package in a working directory; nothing is written to the package itself."""
    with work.user_paths(), exclusive_run(config.paths):
        if not config.local:
            log.info("Cleaning the folder in which the package is compiled")
            clean(config)
        sources = _gather(config, package, lock)
        log.info("Compiling %d component instances", len(sources.inventory.instances))
        rendered = pipeline.render(config, sources, lock)
    of_lock = lock.notices if lock is not None else ()
    notices = work.notices((*rendered.notices, *sources.notices, *of_lock))
    refuse(notices, strict=config.strict)
    return replace(rendered, notices=notices)


def placed(trees: Mapping[str, Tree]) -> dict[str, Tree]:
    """The trees by their folders; a tree inside of another's folder is part of that (pure).

    Two instances with different contents for one file are an error.
    """
    folders: dict[str, Tree] = {}
    for name in sorted(trees, key=lambda name: name.count(".")):
        folder = PurePosixPath(name.replace(".", "/"))
        outer = next((top for top in folders if folder.is_relative_to(top)), "")
        if not outer:
            folders[str(folder)] = trees[name]
            continue
        tree = trees[name].below(folder.relative_to(outer))
        present = folders[outer]
        for path in tree:
            if path in present and present[path] != tree[path]:
                raise CommodoreError(
                    f"two instances have different contents for {outer}/{path}",
                    where=f"instance {name}, and one whose folder is around its own",
                    hint="name one of the instances otherwise",
                )
        folders[outer] = present | tree
    return folders


@run_log.act("gather")
def _gather(config: Config, package: PackageFolder, lock: LockedRun | None) -> Sources:
    """The steps of `pipeline.gather` that need no cluster, in its order."""
    log.info("Gathering what package %s is made of", package.name)
    now = datetime.now().astimezone()
    cluster = cluster_for_package()
    _lay_out(config, cluster, package)
    fetch = fetcher(config)
    if lock is not None:
        fetch = lock.fetching(config, fetch)
    classes = package.classes(config.paths)
    try:
        node = resolve_bootstrap(config, cluster, classes)
    except CommodoreError as error:
        explain_missing(error, _LACKING)
        raise
    places = locator_of(config, cluster, classes)
    dependency_specs = wanted_components(node, places)
    with located(places.parameter):
        classes = classes.plus(fetch(dependency_specs))
    if lock is not None:
        lock.refuse_requests(places)
    refuse_missing(config, dependency_specs, classes)
    instances = instances_of(node, classes)
    sources = pipeline.gather_instances(config, cluster, classes, instances, now, lock=lock)
    write_argocd_stub(config.paths.libraries)
    return sources


def _lay_out(config: Config, cluster: Cluster, package: PackageFolder) -> None:
    """The configuration of a made-up tenant, and a global one that only includes the package."""
    paths = config.paths
    entry = {"classes": [*(f"{TENANT}.{name}" for name, _ in package.values), package.entry]}
    write_if_changed(paths.classes / "global" / "commodore.yml", yaml.dump(entry))
    write_if_changed(paths.params_file, yaml.dump(cluster.parameters()))
    tenant = paths.classes / TENANT
    remove(tenant)
    tenant.mkdir(parents=True)
    for name, file in package.values:
        link(tenant / f"{name}{file.suffix}", file)


def _leave(config: Config, rendered: Rendered) -> None:
    """Write the usual files of a working directory that is not removed."""
    for name, tree in rendered.instances.items():
        write_tree(config.paths.compiled / name.replace(".", "/"), tree)
    for file in rendered.references:
        write_if_changed(config.paths.catalog / "refs" / file.path, file.content)
