"""Fetch dependencies from Git, or in local mode find them in the working directory."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from commodore_py.adapters.git.repository import (
    default_branch_of,
    head_of,
    is_repository,
    remote_settings,
)
from commodore_py.adapters.git.worktrees import commit_at
from commodore_py.adapters.process import ProgramFailed
from commodore_py.adapters.workers import in_parallel
from commodore_py.errors import CommodoreError, raise_collected
from commodore_py.model.dependency import CONFIGURATION, Dependency, Kind

from .git.fetch import GitFetcher
from .git.groups import incomplete, place_of
from .protection.checkout_record import CheckedOut, CheckoutRecord

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from commodore_py.config import Config
    from commodore_py.model.classpath import ClassPath
    from commodore_py.model.dependency import DependencySpec, Fetch

log = logging.getLogger(__name__)

_PARALLEL = 8  # waiting for programs, not computing


def fetcher(config: Config) -> Fetch:
    """The function that fetches dependencies, or only finds them in local mode."""
    if not config.local:
        return GitFetcher(config)
    # Instead of a warning, there is an error later, once everything that is missing is known.
    level = logging.DEBUG if must_be_complete(config) else logging.WARNING
    paths, record = config.paths, CheckoutRecord(config.paths)
    return lambda specs: _find_all({spec: place_of(spec, paths) for spec in specs}, record, level)


def not_found(specs: Iterable[DependencySpec], classes: ClassPath) -> tuple[DependencySpec, ...]:
    """The requested dependencies that were skipped in local mode."""
    dependency_specs = {dependency.spec for dependency in classes.dependencies}
    return tuple(spec for spec in specs if spec not in dependency_specs)


def refuse_missing(config: Config, specs: Iterable[DependencySpec], classes: ClassPath) -> None:
    """Fail a run that would compile only a part of the cluster, if it is offline or strict."""
    if must_be_complete(config):
        option = "--offline" if config.offline else "--local"
        missing = not_found(specs, classes)
        errors = [_missing(spec, place_of(spec, config.paths), option) for spec in missing]
        raise_collected(errors, "the working directory is incomplete")


def must_be_complete(config: Config) -> bool:
    """Return whether a local run fails if something is not checked out."""
    return config.offline or (config.local and config.strict)


def _find_all(
    places: Mapping[DependencySpec, Path], record: CheckoutRecord, level: int
) -> tuple[Dependency, ...]:
    """The checkouts that exist; missing components and packages are skipped and logged."""
    components = {s.name for s, p in places.items() if s.kind is Kind.COMPONENT and p.is_dir()}
    dependencies: list[Dependency] = []
    errors: list[CommodoreError] = []
    skipped: list[str] = []
    folders = tuple({place for place in places.values() if place.is_dir()})
    seen = in_parallel(lambda place: _checkout_at(place, record), folders, at_most=_PARALLEL)
    checkouts = dict(zip(folders, seen, strict=True))
    for spec, place in places.items():
        if place.is_dir():
            checkout = checkouts[place]
            dependency = _as_found(spec, place, checkout) if checkout else None
            problem = _no_checkout(spec, place) if dependency is None else incomplete(dependency)
            if problem is not None:
                errors.append(problem)
            elif dependency is not None:
                dependencies.append(dependency)
        elif spec.kind is Kind.INSTANCE and spec.component not in components:
            skipped.append(spec.name)
        elif spec.kind in (Kind.COMPONENT, Kind.PACKAGE):
            log.log(level, "%s is not in %s: skipped in local mode", spec, place)
        else:
            errors.append(_missing(spec, place))
    if skipped:
        log.log(level, "instances of skipped components are skipped too: %s", ", ".join(skipped))
    raise_collected(errors, "the working directory is incomplete")
    return tuple(dependencies)


def _checkout_at(directory: Path, record: CheckoutRecord) -> CheckedOut | None:
    """The checkout in a directory, of which parts may be empty; None if there is none."""
    if not (directory / ".git").exists():
        return None
    try:
        commit, short = commit_at(directory)
    except ProgramFailed:
        if not is_repository(directory):
            return None
        commit = short = ""
    return record.at(directory, commit) or CheckedOut(
        commit, short, remote_settings(directory).get("url", "")
    )


def _as_found(spec: DependencySpec, place: Path, checkout: CheckedOut) -> Dependency:
    commit, short, url = checkout
    missing = [name for name, value in (("remote", url), ("commit", commit)) if not value]
    if missing and spec.kind in CONFIGURATION:
        log.warning(
            "%s in %s has no %s: its version is unknown", spec, place, " and no ".join(missing)
        )
    version = spec.version or (default_branch_of(place) if url else head_of(place)[1] or "")
    return Dependency(spec, url, version, commit, short, place)


def _missing(spec: DependencySpec, place: Path, option: str = "--local") -> CommodoreError:
    name = f"{spec.component} as {spec.name}" if spec.kind is Kind.INSTANCE else f"the {spec}"
    return CommodoreError(
        f"no checkout of {name}",
        where=str(place),
        hint=f"compile once without {option} to fetch it",
    )


def _no_checkout(spec: DependencySpec, place: Path) -> CommodoreError:
    return CommodoreError(
        f"{spec}: the folder is not a Git checkout",
        where=str(place),
        hint="the catalog records its commit: run `git init` there and commit once",
    )
