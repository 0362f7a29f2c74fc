"""Fetch dependencies from Git, or in local mode find them in the working directory."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from commodore_py.adapters.git.abbreviations import short_commits_of
from commodore_py.adapters.git.repository import (
    default_branch_of,
    head_of,
    is_repository,
    remote_settings,
)
from commodore_py.errors import CommodoreError, raise_collected
from commodore_py.model.dependency import Dependency, Kind

from .git.groups import incomplete, place_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from commodore_py.config import Config
    from commodore_py.model.dependency import DependencySpec, Fetch

log = logging.getLogger(__name__)


def fetcher(config: Config) -> Fetch:
    """The function that fetches dependencies, or only finds them in local mode."""
    if not config.local:
        from .git.fetch import git_fetcher  # noqa: PLC0415 - much code, not needed by local runs

        return git_fetcher(config)
    return lambda specs: _find_all({spec: place_of(spec, config.paths) for spec in specs})


def _find_all(places: Mapping[DependencySpec, Path]) -> tuple[Dependency, ...]:
    """The checkouts that exist; missing components and packages are skipped with a warning."""
    components = {s.name for s, p in places.items() if s.kind is Kind.COMPONENT and p.is_dir()}
    found: list[Dependency] = []
    errors: list[CommodoreError] = []
    skipped: list[str] = []
    for spec, place in places.items():
        if place.is_dir():
            dependency = _as_found(spec, place) if is_repository(place) else None
            problem = _no_checkout(spec, place) if dependency is None else incomplete(dependency)
            if problem is not None:
                errors.append(problem)
            elif dependency is not None:
                found.append(dependency)
        elif spec.kind is Kind.INSTANCE and spec.component not in components:
            skipped.append(spec.name)
        elif spec.kind in (Kind.COMPONENT, Kind.PACKAGE):
            log.warning("%s is not in %s: skipped in local mode", spec, place)
        else:
            errors.append(_missing(spec, place))
    if skipped:
        log.warning("instances of skipped components are skipped too: %s", ", ".join(skipped))
    raise_collected(errors, "the working directory is incomplete")
    short = short_commits_of((one.worktree, one.commit) for one in found if one.commit)
    return tuple(
        one._replace(short_commit=short.get((one.worktree, one.commit), "")) for one in found
    )


def _as_found(spec: DependencySpec, place: Path) -> Dependency:
    url = remote_settings(place).get("remote.origin.url", "")
    commit, branch = head_of(place)
    missing = [name for name, value in (("remote", url), ("commit", commit)) if not value]
    if missing and spec.kind in (Kind.GLOBAL, Kind.TENANT):
        log.warning(
            "%s in %s has no %s: its version is unknown", spec, place, " and no ".join(missing)
        )
    version = spec.version or (default_branch_of(place) if url else branch or "")
    return Dependency(spec, url, version, commit or "", "", place)


def _missing(spec: DependencySpec, place: Path) -> CommodoreError:
    name = f"{spec.component} as {spec.name}" if spec.kind is Kind.INSTANCE else f"the {spec}"
    return CommodoreError(
        f"no checkout of {name}",
        where=str(place),
        hint="compile once without --local to fetch it",
    )


def _no_checkout(spec: DependencySpec, place: Path) -> CommodoreError:
    return CommodoreError(
        f"{spec}: the folder is not a Git checkout",
        where=str(place),
        hint="the catalog records its commit: run `git init` there and commit once",
    )
