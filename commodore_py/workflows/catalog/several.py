"""Several clusters in one command: which they are, and a working directory for each."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from commodore_py.config import WorkPaths, facts_folder
from commodore_py.errors import CommodoreError, UsageError
from commodore_py.lieutenant.api_objects import is_plain_name
from commodore_py.lieutenant.clusters import invalid_id, load_cluster, load_clusters
from commodore_py.lieutenant.last_compile import cluster_id_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from commodore_py.config import Config
    from commodore_py.model.cluster import Cluster


class NotCompiled(CommodoreError):
    """A cluster was not compiled in a working directory."""

    problem_code = "clusters/not-compiled"


FOLDER = "clusters"
"""Below the working directory: the working directories of the clusters."""


def select(
    config: Config, names: Iterable[str] = (), tenant: str = ""
) -> dict[str, Cluster | None]:
    """The named clusters, or all, or those of a tenant, by their ids.

    Without the API, these are the ones that were compiled before. A cluster that cannot be loaded
    is None: its compile reports why.
    """
    where, hint = "", "`commodore catalog list` lists the clusters"
    if not config.local:
        clusters = load_clusters(config, tuple(names), tenant=tenant)
    else:
        clusters = dict.fromkeys(tuple(names) or _compiled_before(config, tenant))
        where, hint = str(config.paths.root / FOLDER), "compile once without --local and --offline"
    if not clusters:
        what = f"no cluster belongs to tenant {tenant}" if tenant else "there are no clusters"
        raise CommodoreError(what, where=where, hint=hint)
    return clusters


def config_for(config: Config, cluster_id: str) -> Config:
    """The settings of one of several clusters: nothing of it is below the folder of another."""
    if not is_plain_name(cluster_id):
        raise invalid_id(cluster_id)
    for folder in (config.paths.root / FOLDER, config.paths.root / FOLDER / cluster_id):
        if folder.is_symlink():
            raise CommodoreError(
                "this is a link, but a compile writes below it",
                where=str(folder),
                hint="remove it, or name another folder with --working-dir",
            )
    out = config.output_dir
    return replace(
        config,
        paths=WorkPaths(config.paths.root / FOLDER / cluster_id),
        output_dir=out and out / cluster_id,
    )


def compiled_in(paths: WorkPaths) -> dict[str, WorkPaths]:
    """The clusters that were compiled here, with their working directories."""
    at_root = {cluster_id_in(paths): paths} if paths.params_file.is_file() else {}
    below = {name: WorkPaths(paths.root / FOLDER / name) for name in _compiled_below(paths.root)}
    return {**below, **at_root}


def paths_of(paths: WorkPaths, cluster_id: str = "") -> WorkPaths:
    """The working directory of a cluster that was compiled here: this one, or one of several.

    Without an id it is this one, unless only several clusters were compiled in it.
    """
    compiled = compiled_in(paths)
    if cluster_id in compiled:
        return compiled[cluster_id]
    names = ", ".join(compiled)
    if cluster_id:
        raise NotCompiled(
            f"cluster {cluster_id} was not compiled here",
            where=str(paths.root),
            hint=f"compiled here: {names}"
            if names
            else f"run `commodore catalog compile {cluster_id}`",
        )
    if compiled and not paths.params_file.is_file():
        raise UsageError(
            "several clusters were compiled here",
            where=str(paths.root),
            hint=f"name one with --cluster: {names}",
        )
    return paths


def check_folder(config: Config) -> None:
    """Refuse to write between the facts of clusters."""
    facts, folder = facts_folder(config.api_url), config.paths.root / FOLDER
    if facts is not None and (facts / FOLDER).resolve() == folder.resolve():
        raise UsageError(
            "the working directory is the folder of facts: both use clusters/",
            where=str(folder),
            hint="choose another one with --working-dir",
        )


def _compiled_before(config: Config, tenant: str) -> Iterator[str]:
    for name in _compiled_below(config.paths.root):
        of_cluster = replace(config, paths=WorkPaths(config.paths.root / FOLDER / name))
        belongs = True
        if tenant:
            with suppress(CommodoreError):  # reported by the compile of this cluster
                belongs = load_cluster(of_cluster, name).tenant == tenant
        if belongs:
            yield name


def _compiled_below(root: Path) -> list[str]:
    folder = root / FOLDER
    names = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else ()
    return [name for name in names if WorkPaths(folder / name).params_file.is_file()]
