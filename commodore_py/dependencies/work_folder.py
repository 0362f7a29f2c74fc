"""Local mode: dependencies as they lie in the working directory, with no network reached."""

from __future__ import annotations

import logging
from dataclasses import replace
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

from .git.contents import incomplete

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from commodore_py.model.dependency import DependencySpec

log = logging.getLogger(__name__)


def find_all(places: Mapping[DependencySpec, Path]) -> tuple[Dependency, ...]:
    """What is there; components and packages that are not are skipped with a warning."""
    components = {s.name for s, p in places.items() if s.kind is Kind.COMPONENT and p.is_dir()}
    found: list[Dependency] = []
    errors: list[CommodoreError] = []
    dropped: list[str] = []
    for spec, place in places.items():
        if place.is_dir():
            dependency = _as_found(spec, place) if is_repository(place) else None
            problem = _no_checkout(spec, place) if dependency is None else incomplete(dependency)
            if problem is not None:
                errors.append(problem)
            elif dependency is not None:
                found.append(dependency)
        elif spec.kind is Kind.INSTANCE and spec.component not in components:
            dropped.append(spec.name)
        elif spec.kind in (Kind.COMPONENT, Kind.PACKAGE):
            log.warning("%s is not in %s: skipped in local mode", spec, place)
        else:
            errors.append(_missing(spec, place))
    if dropped:
        log.warning("instances of skipped components are skipped too: %s", ", ".join(dropped))
    raise_collected(errors, "the working directory is not complete")
    short = short_commits_of((one.worktree, one.commit) for one in found if one.commit)
    return tuple(
        replace(one, short_commit=short.get((one.worktree, one.commit), "")) for one in found
    )


def _as_found(spec: DependencySpec, place: Path) -> Dependency:
    url = remote_settings(place).get("remote.origin.url", "")
    commit, branch = head_of(place)
    lacks = [name for name, value in (("remote", url), ("commit", commit)) if not value]
    if lacks and spec.kind in (Kind.GLOBAL, Kind.TENANT):
        log.warning(
            "%s in %s has no %s: its version is unknown", spec, place, " and no ".join(lacks)
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
        f"{spec}: the folder is no Git checkout",
        where=str(place),
        hint="its commit belongs into the catalog's history: `git init` it and commit once",
    )
