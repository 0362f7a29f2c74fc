"""The `inventory/` folder, for users, local mode and the reference engine."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from commodore_py.adapters import yaml
from commodore_py.adapters.files import link, remove, write_if_changed
from commodore_py.adapters.git_urls import without_credentials
from commodore_py.adapters.masking import without_secrets
from commodore_py.adapters.reading import content_of

from .targets import Target, targets_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from collections.abc import Set as AbstractSet
    from pathlib import Path

    from commodore_py.config import Config
    from commodore_py.model.classpath import ClassPath
    from commodore_py.model.cluster import Cluster
    from commodore_py.model.inventory import Inventory

log = logging.getLogger(__name__)

_RECLASS_SETTINGS = "reclass-config.yml"
_CLASS_SUFFIXES = (".yml", ".yaml")
_GENERATED = ("targets", "classes/components", "classes/defaults")


def materialise(config: Config, cluster: Cluster, classes: ClassPath, inventory: Inventory) -> None:
    """Lay the inventory out in the working directory, touching only what differs."""
    targets = targets_of(classes, inventory.instances)
    folder = config.paths.inventory
    places = _places(folder, classes)
    expected = places.keys() | {folder / "targets" / f"{name}.yml" for name in targets}
    for name in _GENERATED:
        _sweep(folder / name, expected, links_only=False)
    if not config.local:
        _sweep(folder / "classes", expected, links_only=True)
    _lay_out(folder, places, targets, params_of(config, cluster))
    if (folder / _RECLASS_SETTINGS).exists():
        log.warning(
            "%s changes only what components see while they are compiled, and may contradict"
            " what was resolved here: better remove it",
            folder / _RECLASS_SETTINGS,
        )


def lay_out(folder: Path, classes: ClassPath, targets: Mapping[str, Target], params: bytes) -> None:
    """Write targets and parameters, and link the classes, below a folder."""
    _lay_out(folder, _places(folder, classes), targets, params)


def _lay_out(
    folder: Path, places: Mapping[Path, Path], targets: Mapping[str, Target], params: bytes
) -> None:
    write_if_changed(folder / "classes" / "params" / "cluster.yml", params)
    for place, source in places.items():
        if place != source:  # the configuration repositories are checked out in place
            link(place, source)
    for name, target in targets.items():
        write_if_changed(folder / "targets" / f"{name}.yml", yaml.dump(target))


def params_of(config: Config, cluster: Cluster) -> bytes:
    """The parameters of the cluster; in local mode, as the last run or a user left them."""
    if config.local:
        return content_of(config.paths.params_file)
    return cluster_parameters(cluster)


def cluster_parameters(cluster: Cluster) -> bytes:
    """The class of a cluster: components, and whoever reads its file, need no credentials."""
    url = without_secrets(without_credentials(cluster.catalog_url))
    return yaml.dump(replace(cluster, catalog_url=url).parameters())


def _places(folder: Path, classes: ClassPath) -> dict[Path, Path]:
    """The place of each class, with its file or folder.

    All but missing defaults: `resolve` warns of them, and no target includes them.
    """
    return {
        _class_place(folder, prefix, source): source
        for prefix, source in classes.entries()
        if source.exists() or not prefix.startswith("defaults/")
    }


def _class_place(folder: Path, prefix: str, source: Path) -> Path:
    place = folder / "classes" / prefix
    is_file = source.suffix in _CLASS_SUFFIXES and not source.is_dir()
    return place.with_name(f"{place.name}{source.suffix}") if is_file else place


def _sweep(folder: Path, expected: AbstractSet[Path], *, links_only: bool) -> None:
    if not folder.is_dir():
        return
    for present in folder.iterdir():
        if present.name.startswith(".") or present in expected:
            continue
        if present.is_symlink() or not links_only:
            remove(present)
