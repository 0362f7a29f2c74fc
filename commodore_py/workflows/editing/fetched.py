"""Fetch what only an edit requests, where nothing else is updated."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from commodore_py.dependencies.discover import (
    wanted_components,
    wanted_configuration,
    wanted_packages,
)
from commodore_py.dependencies.fetch import fetcher
from commodore_py.inventory.resolve import resolve_bootstrap
from commodore_py.lieutenant.clusters import load_cluster
from commodore_py.model.classpath import ClassPath

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from commodore_py.config import Config
    from commodore_py.model.dependency import DependencySpec


def fetch_requested(
    config: Config, cluster_id: str, known: Collection[DependencySpec]
) -> frozenset[DependencySpec]:
    """What a hierarchy requests; what is not known is fetched, into a copy of a working directory.

    With nothing known, nothing is fetched.
    """
    cluster = load_cluster(config, cluster_id)
    find = fetcher(config)
    classes = ClassPath(find(wanted_configuration(cluster)))
    packages = wanted_packages(resolve_bootstrap(config, cluster, classes, missing_ok=True))
    _fetch(config, packages, known)
    classes = classes.plus(find(packages))
    components = wanted_components(resolve_bootstrap(config, cluster, classes, missing_ok=True))
    _fetch(config, components, known)
    return frozenset((*packages, *components))


def _fetch(
    config: Config, wanted: Iterable[DependencySpec], known: Collection[DependencySpec]
) -> None:
    new = [one for one in wanted if known and one not in known]
    if new:
        fetcher(replace(config, local=False))(tuple(new))
