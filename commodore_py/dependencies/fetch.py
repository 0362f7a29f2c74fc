"""The two fetchers: from Git, in parallel by repository, and from the work folder alone."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeAlias

from commodore_py.adapters import git_urls
from commodore_py.adapters.git import commit_of, default_branch, remote_settings, short_commit
from commodore_py.errors import CommodoreError, raise_collected
from commodore_py.model import Dependency, DependencySpec, Kind

from . import worktrees
from .checkouts import update_configuration
from .safety import is_repository

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.config import Config, WorkPaths

log = logging.getLogger(__name__)

Fetch: TypeAlias = Callable[[Iterable[DependencySpec]], tuple[Dependency, ...]]

_PARALLEL = 8  # waiting for servers, not computing


def fetcher(config: Config) -> Fetch:
    """A function that fetches, or one that only looks into the working directory."""
    paths, force = config.paths, config.force

    def from_git(specs: Iterable[DependencySpec]) -> tuple[Dependency, ...]:
        return _fetch_all(tuple(specs), paths, force=force)

    def from_work_folder(specs: Iterable[DependencySpec]) -> tuple[Dependency, ...]:
        return _find_all(tuple(specs), paths)

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


def _fetch_all(
    specs: tuple[DependencySpec, ...], paths: WorkPaths, *, force: bool
) -> tuple[Dependency, ...]:
    # One group per bare clone: Git locks a clone while it changes, and one fetch serves them all.
    groups: dict[str, list[DependencySpec]] = {}
    for spec in specs:
        own_clone = spec.kind in (Kind.GLOBAL, Kind.TENANT)
        key = spec.name if own_clone else git_urls.dependency_key(spec.url)
        groups.setdefault(key, []).append(spec)

    def fetch_group(group: list[DependencySpec]) -> list[Dependency | CommodoreError]:
        try:
            if group[0].kind in (Kind.GLOBAL, Kind.TENANT):
                return [update_configuration(group[0], place_of(group[0], paths), force=force)]
            return _fetch_group(group, paths, force=force)
        except CommodoreError as error:
            error.add_note(f"while fetching {', '.join(str(spec) for spec in group)}")
            return [error]

    with ThreadPoolExecutor(max_workers=_PARALLEL) as pool:
        results = [one for group in pool.map(fetch_group, groups.values()) for one in group]
    raise_collected(
        (one for one in results if isinstance(one, CommodoreError)), "could not fetch everything"
    )
    fetched = {one.spec: one for one in results if isinstance(one, Dependency)}
    return tuple(fetched[spec] for spec in specs)


def _fetch_group(
    group: list[DependencySpec], paths: WorkPaths, *, force: bool
) -> list[Dependency | CommodoreError]:
    url = _url_of(group)
    bare = paths.bare_clones / git_urls.dependency_key(url)
    problems: list[Dependency | CommodoreError] = []
    for spec in group:
        worktree = place_of(spec, paths)
        problem = worktrees.local_work(spec, worktree, bare)
        if problem is not None and force:
            worktrees.put_local_work_aside(spec, worktree, problem)
        elif problem is not None:
            problems.append(problem)
    if problems:
        return problems

    worktrees.ensure_bare_clone(bare, url)
    worktrees.fetch_bare_clone(bare, url, group)
    results: list[Dependency | CommodoreError] = []
    for spec in group:
        try:
            results.append(worktrees.check_out(spec, place_of(spec, paths), bare))
        except CommodoreError as error:
            error.add_note(f"while checking out {spec}")
            results.append(error)
    return [_checked(one) for one in results]


def _url_of(group: list[DependencySpec]) -> str:
    """The URL for a repository that is known by several: the first, but SSH wins."""
    over_ssh = [spec.url for spec in group if spec.url.startswith("ssh://")]
    return over_ssh[0] if over_ssh else group[0].url


def _checked(one: Dependency | CommodoreError) -> Dependency | CommodoreError:
    """A dependency whose sub-path, class and defaults are really there."""
    if isinstance(one, CommodoreError):
        return one
    spec, directory = one.spec, one.directory
    if not directory.is_dir():
        return CommodoreError(
            f"{spec}: there is no folder {spec.path} at version {one.version}",
            where=git_urls.without_password(one.url),
            hint="check the path in the hierarchy",
        )
    if spec.kind not in (Kind.COMPONENT, Kind.INSTANCE):
        return one
    wanted = (f"class/{spec.component}.yml", "class/defaults.yml")
    missing = [name for name in wanted if not (directory / name).is_file()]
    if missing:
        return CommodoreError(
            f"{spec}: no {' and no '.join(missing)} at version {one.version}",
            where=f"{git_urls.without_password(one.url)} {spec.path}".rstrip(),
            hint="a component carries both files; check its name, url, version and path",
        )
    return one


def _find_all(specs: tuple[DependencySpec, ...], paths: WorkPaths) -> tuple[Dependency, ...]:
    present = {spec.name for spec in specs if place_of(spec, paths).is_dir()}
    found: list[Dependency] = []
    errors: list[CommodoreError] = []
    for spec in specs:
        place = place_of(spec, paths)
        if spec.name in present:
            result = (
                _checked(_as_found(spec, place))
                if is_repository(place)
                else _no_checkout(spec, place)
            )
            (errors if isinstance(result, CommodoreError) else found).append(result)  # type: ignore[arg-type] # one of the two lists
        elif spec.kind is Kind.INSTANCE and spec.component in present:
            errors.append(
                CommodoreError(
                    f"no checkout for {spec.component} as {spec.name}",
                    where=str(place),
                    hint="compile once without --local to fetch it",
                )
            )
        elif spec.kind in (Kind.GLOBAL, Kind.TENANT):
            errors.append(
                CommodoreError(
                    f"no checkout of the {spec}",
                    where=str(place),
                    hint="compile once without --local to fetch it",
                )
            )
        else:
            log.warning("%s is not in %s: skipped in local mode", spec, place)
    raise_collected(errors, "the working directory is not complete")
    return tuple(found)


def _no_checkout(spec: DependencySpec, place: Path) -> CommodoreError:
    return CommodoreError(
        f"{spec}: the folder is no Git checkout",
        where=str(place),
        hint="its commit belongs into the catalog's history: `git init` it and commit once",
    )


def _as_found(spec: DependencySpec, place: Path) -> Dependency:
    url = remote_settings(place).get("remote.origin.url", "")
    commit = commit_of(place, "HEAD") or ""
    short = short_commit(place, commit) if commit else ""
    version = spec.version or (default_branch(place) if url else "")
    return Dependency(spec, url, version, commit, short, place)
