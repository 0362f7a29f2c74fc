"""Check a catalog that was compiled before, or any folder of manifests."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from commodore_py.adapters.files import read_tree
from commodore_py.checks import parameters_schema
from commodore_py.checks.base import Settings
from commodore_py.checks.online import vault_parameters
from commodore_py.checks.origins import Origins
from commodore_py.checks.policy import check as policy
from commodore_py.checks.run import check_catalog, policies_for, settings_in
from commodore_py.errors import CommodoreError
from commodore_py.inventory import parameter_schema
from commodore_py.inventory.explain.hierarchy import compiled_hierarchy
from commodore_py.inventory.locator import Locator
from commodore_py.inventory.parameter_schema import Subject
from commodore_py.inventory.unknown_parameters import unknown_parameters
from commodore_py.model.inventory import BOOTSTRAP
from commodore_py.model.problem import Place, Problem
from commodore_py.model.tree import Tree
from commodore_py.model.verdict import CheckRun
from commodore_py.problems.judge import verdict_of
from commodore_py.workflows.inventory.sources import (
    compiled_trees,
    instances_of_working_directory,
    parameters_here,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from commodore_py.checks.base import Content, ServerVerdict
    from commodore_py.config import Config, WorkPaths
    from commodore_py.model.inventory import Parameters
    from commodore_py.model.problems.vault import VaultSettings
    from commodore_py.model.spot import PlaceOf
    from commodore_py.model.verdict import Checked, Verdict


_WITHOUT_HIERARCHY = tuple(
    CheckRun(name, "skipped", "there is no hierarchy, as the last compile has it")
    for name in (policy.NAME, parameters_schema.NAME)
)


def check(
    config: Config,
    cluster: str,
    folder: Path | None,
    *,
    vault: VaultSettings | None,
    server: str | None,
    strict: bool,
) -> tuple[Checked, Verdict]:
    """Check the last compile in the working directory, or manifests in a folder.

    Secrets are looked up in `vault`, and objects tried on the `server` of a context of the
    kubeconfig, which is empty for the default; neither is used if it is None.
    """
    if folder is not None:
        settings = replace(
            _settings(config, {}, below=f"{PurePosixPath(folder)}/"),
            vault=vault,
            server=_server(config, server, cluster),
        )
        checked = _check_alone(settings, folder)
        return checked, verdict_of(checked.problems, cluster=cluster, strict=strict)
    paths = config.paths
    trees = compiled_trees(paths)
    parameters_of = partial(_parameters, paths)
    parameters = parameters_of(BOOTSTRAP) or {}
    place_of = Locator(lambda: compiled_hierarchy(paths)).parameter
    ids = parameters.get("cluster", {})
    compiled = str(ids.get("name", ""))
    if cluster not in ("", compiled):
        raise CommodoreError(
            f"cluster {cluster} was not compiled here",
            where=str(paths.root),
            hint=f"the last compile was of {compiled}" if compiled else "",
        )
    settings = replace(
        _settings(config, parameters, below="compiled/"),
        policy=policies_for(
            paths.classes / "global",
            parameters,
            (instance for instance, _ in instances_of_working_directory(paths, parameters)),
            shown="inventory/classes/global",
        ),
        vault=vault,
        vault_parameters=vault_parameters(parameters),
        server=_server(config, server, compiled),
        parameters=lambda: _problems_of_parameters(paths, parameters_of, place_of),
    )
    checked = check_catalog(trees, settings, Origins(parameters_of, place_of, str(paths.root)))
    verdict = verdict_of(
        (*checked.problems, *_outdated(paths)),
        (paths.classes / "global",),
        cluster=compiled,
        strict=strict,
    )
    return checked, verdict


def _parameters(paths: WorkPaths, instance: str) -> Parameters | None:
    """The parameters of an instance as the classes are now, if these are valid."""
    try:
        return parameters_here(paths, instance)
    except CommodoreError:
        return None


def _problems_of_parameters(
    paths: WorkPaths,
    parameters_of: Callable[[str], Parameters | None],
    place_of: PlaceOf,
) -> Iterator[Problem]:
    subjects = [
        Subject(instance, folder / parameter_schema.FILE, parameters)
        for instance, folder in instances_of_working_directory(
            paths, parameters_of(BOOTSTRAP) or {}
        )
        if (parameters := parameters_of(instance.name)) is not None
    ]
    yield from parameter_schema.problems_of(subjects, place_of)
    yield from unknown_parameters(subjects, place_of)


def _server(
    config: Config, context: str | None, cluster: str
) -> Callable[[Content], ServerVerdict] | None:
    if context is None:
        return None
    from .server import server_of  # most checks send no requests

    return server_of(context, cluster, timeout=config.request_timeout)


def _outdated(paths: WorkPaths) -> Iterator[Problem]:
    """A warning if a class or a file of a component changed since the last compile."""
    compiled = paths.compiled.stat().st_mtime  # set at the end of each compile
    for file in _sources(paths):
        with suppress(OSError):
            if os.stat(file).st_mtime > compiled:  # noqa: PTH116 - links are followed
                yield Problem.at(
                    Place(os.path.relpath(file, paths.root)),
                    "checks/outdated",
                    "the last compile is older than its sources",
                    remedy="run `commodore catalog compile`, or use its option --check",
                )
                return


def _sources(paths: WorkPaths) -> Iterator[str]:
    for top in (paths.classes, paths.dependencies):
        for folder, inner, files in os.walk(top):
            inner[:] = sorted(name for name in inner if not name.startswith("."))
            yield from (os.path.join(folder, file) for file in sorted(files))  # noqa: PTH118


def _check_alone(settings: Settings, folder: Path) -> Checked:
    """Manifests without a hierarchy: checks that need one are skipped."""
    items_view = read_tree(folder).items()
    tree = Tree({path: entry for path, entry in items_view if ".git" not in path.parts})
    checked = check_catalog({"": tree}, settings)
    return replace(checked, runs=(*checked.runs, *_WITHOUT_HIERARCHY))


def _settings(config: Config, parameters: Mapping[str, object], *, below: str) -> Settings:
    return Settings(cache=config.result_cache, below=below, **settings_in(parameters))
