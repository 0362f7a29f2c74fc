"""The two fetchers: from Git, in parallel by repository, and from the work folder alone."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from commodore_py.adapters import git_urls
from commodore_py.adapters.git import short_commits
from commodore_py.errors import CommodoreError, raise_collected
from commodore_py.model import Dependency, DependencySpec, Kind

from . import checkouts, work_folder, worktrees
from .contents import incomplete
from .journal import Journal
from .lending import Lender
from .safety import LocalWork

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.config import Config, WorkPaths

log = logging.getLogger(__name__)

Fetch: TypeAlias = Callable[[Iterable[DependencySpec]], tuple[Dependency, ...]]

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

_PARALLEL = 8  # waiting for servers, not computing
_CONFIGURATION = (Kind.GLOBAL, Kind.TENANT)


def fetcher(config: Config) -> Fetch:
    """A function that fetches, or one that only looks into the working directory."""
    paths = config.paths
    remotes: dict[str, str] = {}

    def from_git(specs: Iterable[DependencySpec]) -> tuple[Dependency, ...]:
        wanted = tuple(specs)
        _clear_the_way(wanted, paths, force=config.force)
        register(wanted, remotes)
        return _fetch_all(wanted, config, remotes)

    def from_work_folder(specs: Iterable[DependencySpec]) -> tuple[Dependency, ...]:
        return work_folder.find_all({spec: place_of(spec, paths) for spec in specs})

    return from_work_folder if config.local else from_git


def place_of(spec: DependencySpec, paths: WorkPaths) -> Path:
    """The folder that a dependency is checked out to."""
    match spec.kind:
        case Kind.GLOBAL | Kind.TENANT:
            return paths.classes / spec.name
        case Kind.PACKAGE:
            return paths.dependencies / f"pkg.{spec.name}"
        case Kind.COMPONENT | Kind.INSTANCE:
            return paths.dependencies / spec.name


def _clear_the_way(specs: tuple[DependencySpec, ...], paths: WorkPaths, *, force: bool) -> None:
    """Look for local work everywhere before anything is changed; put it aside if forced."""

    def obstacle(spec: DependencySpec) -> CommodoreError | None:
        place = place_of(spec, paths)
        try:
            if spec.kind in _CONFIGURATION:
                return checkouts.obstacle(spec, place)
            return worktrees.obstacle(spec, place, _bare_clone(spec, paths))
        except CommodoreError as error:
            error.add_note(f"while looking for local work of {spec}")
            return error

    obstacles = dict(zip(specs, _in_parallel(obstacle, specs), strict=True))
    raise_collected(
        (
            problem
            for problem in obstacles.values()
            if problem is not None and not (force and isinstance(problem, LocalWork))
        ),
        "nothing was fetched",
    )
    for spec, problem in obstacles.items():
        if problem is not None and spec.kind in _CONFIGURATION:
            checkouts.put_work_aside(str(spec), place_of(spec, paths), Journal.of(paths))
        elif problem is not None:
            worktrees.put_work_aside(spec, place_of(spec, paths), Journal.of(paths))


def register(specs: Iterable[DependencySpec], remotes: dict[str, str]) -> None:
    """Decide on one URL per repository: the first one asked for, but SSH wins."""
    for spec in specs:
        if spec.kind not in _CONFIGURATION:
            key = git_urls.dependency_key(spec.url)
            if key not in remotes or spec.url.startswith("ssh://"):
                remotes[key] = spec.url


def _fetch_all(
    specs: tuple[DependencySpec, ...], config: Config, remotes: dict[str, str]
) -> tuple[Dependency, ...]:
    # One group per bare clone: Git locks a clone while it changes, and one fetch serves them all.
    groups: dict[str, list[DependencySpec]] = {}
    for spec in specs:
        own_clone = spec.kind in _CONFIGURATION
        key = f"{spec.kind.value} {spec.name}" if own_clone else git_urls.dependency_key(spec.url)
        groups.setdefault(key, []).append(spec)

    def fetch_group(key: str) -> list[Dependency | CommodoreError]:
        group = groups[key]
        try:
            if group[0].kind in _CONFIGURATION:
                return [_fetch_configuration(group[0], config)]
            return _fetch_repository(group, remotes[key], config)
        except CommodoreError as error:
            error.add_note(f"while fetching {', '.join(str(spec) for spec in group)}")
            return [error]

    results = [one for group in _in_parallel(fetch_group, groups) for one in group]
    raise_collected(
        (one for one in results if isinstance(one, CommodoreError)), "could not fetch everything"
    )
    fetched = {one.spec: one for one in results if isinstance(one, Dependency)}
    return tuple(fetched[spec] for spec in specs)


def _fetch_configuration(spec: DependencySpec, config: Config) -> Dependency:
    given = config.global_revision if spec.kind is Kind.GLOBAL else config.tenant_revision
    place, journal = place_of(spec, config.paths), Journal.of(config.paths)
    return checkouts.update_configuration(spec, place, journal, override=given, force=config.force)


def _fetch_repository(
    group: list[DependencySpec], url: str, config: Config
) -> list[Dependency | CommodoreError]:
    bare = _bare_clone(group[0], config.paths)
    lender = Lender.of(config)
    refs, journal = worktrees.update_clone(bare, url, group, lender), Journal.of(config.paths)
    commits: dict[DependencySpec, str] = {}
    errors: list[CommodoreError] = []
    for spec in group:
        place = place_of(spec, config.paths)
        try:
            commits[spec] = worktrees.check_out(
                spec, place, bare, refs, journal, force=config.force
            )
        except CommodoreError as error:
            error.add_note(f"while checking out {spec}")
            errors.append(error)
    remote = git_urls.normalise(url)
    short = short_commits(bare, commits.values())
    results: list[Dependency | CommodoreError] = list(errors)
    for spec, commit in commits.items():
        place = place_of(spec, config.paths)
        version = spec.version or "HEAD"
        dependency = Dependency(spec, remote, version, commit, short[commit], place)
        results.append(incomplete(dependency) or dependency)
    return results


def _bare_clone(spec: DependencySpec, paths: WorkPaths) -> Path:
    return paths.bare_clones / git_urls.dependency_key(spec.url)


def _in_parallel(work: Callable[[_Item], _Result], items: Iterable[_Item]) -> tuple[_Result, ...]:
    with ThreadPoolExecutor(max_workers=_PARALLEL) as pool:
        return tuple(pool.map(work, items))
