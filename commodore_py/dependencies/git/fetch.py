"""Fetch dependencies from Git, the repositories in parallel."""

from __future__ import annotations

import logging
from functools import cache, partial
from typing import TYPE_CHECKING, NamedTuple

from commodore_py import run_log
from commodore_py.adapters.git.abbreviations import short_commits_in
from commodore_py.adapters.git.blueprint import Blueprint
from commodore_py.adapters.parallel import in_parallel
from commodore_py.adapters.process import ProgramFailed
from commodore_py.dependencies.protection.journal import Journal
from commodore_py.dependencies.protection.local_work import LocalWork
from commodore_py.errors import CommodoreError, raise_collected
from commodore_py.model.dependency import CONFIGURATION, Dependency, DependencySpec, Fetch

from . import checkouts, clones, worktrees
from .groups import (
    CheckedOut,
    bare_clone_of,
    groups_of,
    incomplete,
    override_of,
    place_of,
    register,
)
from .object_cache import ObjectCache
from .queries import PARALLEL, query_all
from .remotes import RemoteClient

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
    from pathlib import Path

    from commodore_py.config import Config

    from .groups import Group
    from .queries import ResponsesByClone
    from .remotes import RemoteRefs

log = logging.getLogger(__name__)


class _Run(NamedTuple):
    """What all repositories of a run share."""

    config: Config
    client: RemoteClient
    blueprint: Blueprint
    object_cache: Callable[[], ObjectCache | None]
    """Opened when it is needed: most runs have nothing to clone."""


def git_fetcher(config: Config) -> Fetch:
    """A function that fetches; what remotes have is listed once."""
    paths = config.paths
    remotes: dict[str, str] = {}
    run = _Run(
        config, RemoteClient(paths.root), Blueprint(), cache(partial(ObjectCache.of, config))
    )

    def from_git(specs: Iterable[DependencySpec]) -> tuple[Dependency, ...]:
        wanted = tuple(specs)
        register(wanted, remotes)
        groups = groups_of(wanted, remotes, paths)
        settled, responses = query_all(groups, config, run.client, run.object_cache)
        groups = tuple(one for one in groups if one.clone not in settled)
        known = _look_around(groups, responses, config)
        done = [one for found in settled.values() for one in found]
        return _pinned(wanted, [*done, *_fetch_all(groups, known, run)])

    return from_git


def _look_around(
    groups: tuple[Group, ...], responses: ResponsesByClone, config: Config
) -> Mapping[Path, RemoteRefs | None]:
    """Look for local work before anything is changed."""

    def obstacle(spec: DependencySpec) -> CommodoreError | None:
        place = place_of(spec, config.paths)
        try:
            if spec.kind in CONFIGURATION:
                return checkouts.obstacle(spec, place)
            return worktrees.obstacle(spec, place, bare_clone_of(spec, config.paths))
        except CommodoreError as error:
            error.add_note(f"while looking for local work of {spec}")
            if isinstance(error, ProgramFailed):
                error.hint = error.hint or "if it is damaged, move it away; it is fetched again"
            return error

    specs = [spec for group in groups for spec in group.specs]
    obstacles = {
        spec: problem
        for spec, problem in zip(specs, in_parallel(obstacle, specs, at_most=PARALLEL), strict=True)
        if problem is not None
    }
    _clear_the_way(obstacles, responses, config)
    return {clone: one for clone, one in responses.items() if not isinstance(one, CommodoreError)}


def _clear_the_way(
    obstacles: Mapping[DependencySpec, CommodoreError],
    responses: ResponsesByClone,
    config: Config,
) -> None:
    """Report all obstacles; with `--force`, back up local work instead of reporting it."""
    force, paths = config.force, config.paths
    raise_collected(
        (
            *(
                problem
                for problem in obstacles.values()
                if not (force and isinstance(problem, LocalWork))
            ),
            *(problem for problem in responses.values() if isinstance(problem, CommodoreError)),
        ),
        "nothing was fetched",
    )
    for spec in obstacles:
        if spec.kind in CONFIGURATION:
            checkouts.put_work_aside(str(spec), place_of(spec, paths), Journal.of(paths))
        else:
            worktrees.put_work_aside(spec, place_of(spec, paths), Journal.of(paths))


def _fetch_all(
    groups: tuple[Group, ...], responses: Mapping[Path, RemoteRefs | None], run: _Run
) -> list[Dependency | CheckedOut | CommodoreError]:
    def fetch_group(group: Group) -> list[Dependency | CheckedOut | CommodoreError]:
        try:
            with run_log.item("repository", group.clone.name):
                if group.configuration is not None:
                    return [_fetch_configuration(group, responses[group.clone], run)]
                return [*_fetch_repository(group, responses[group.clone], run)]
        except CommodoreError as error:
            error.add_note(f"while fetching {', '.join(map(str, group.specs))}")
            return [error]

    with run_log.stage("fetch", of="repository", total=len(groups)):
        fetched = in_parallel(fetch_group, groups, at_most=PARALLEL)
        return [one for group in fetched for one in group]


def _pinned(
    specs: tuple[DependencySpec, ...],
    results: Collection[Dependency | CheckedOut | CommodoreError],
) -> tuple[Dependency, ...]:
    """What was fetched, in the order of the requests; all errors are reported at once."""
    checked_out = [one for one in results if isinstance(one, CheckedOut)]
    short = short_commits_in((one.group.clone, one.commit) for one in checked_out)
    done = [one.pinned(short[one.group.clone, one.commit]) for one in checked_out]
    problems = [one for one in results if isinstance(one, CommodoreError)]
    problems += [problem for one in done if (problem := incomplete(one)) is not None]
    raise_collected(problems, "could not fetch everything")
    done += [one for one in results if isinstance(one, Dependency)]
    fetched = {one.spec: one for one in done}
    return tuple(fetched[spec] for spec in specs)


def _fetch_configuration(group: Group, response: RemoteRefs | None, run: _Run) -> Dependency:
    spec, config = group.specs[0], run.config
    return checkouts.update_configuration(
        spec,
        group.clone,
        Journal.of(config.paths),
        response,
        override=override_of(spec, config),
        force=config.force,
    )


def _fetch_repository(
    group: Group, response: RemoteRefs | None, run: _Run
) -> Iterator[CheckedOut | CommodoreError]:
    bare, config = group.clone, run.config
    journal = Journal.of(config.paths)
    refs = clones.update_clone(
        bare,
        group.url,
        group.specs,
        response,
        object_cache=run.object_cache(),
        client=run.client,
        blueprint=run.blueprint,
    )
    for spec in group.specs:
        place = place_of(spec, config.paths)
        try:
            commit = worktrees.check_out(spec, place, bare, refs, journal, force=config.force)
        except CommodoreError as error:
            error.add_note(f"while checking out {spec}")
            yield error
        else:
            yield CheckedOut(group, spec, commit, place)
