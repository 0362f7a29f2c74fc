"""Dependencies: requested, and fetched."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from pathlib import Path


class Kind(Enum):
    """The purpose of a Git dependency."""

    GLOBAL = "global configuration"
    TENANT = "tenant configuration"
    PACKAGE = "package"
    COMPONENT = "component"
    INSTANCE = "component instance"


CONFIGURATION = (Kind.GLOBAL, Kind.TENANT)
"""The kinds that hold configuration: never a component's or a package's."""


class DependencySpec(NamedTuple):
    """A dependency as requested; no version means the repository's default branch."""

    kind: Kind
    name: str
    url: str
    version: str | None
    path: str = ""
    component: str = ""
    """For an instance: the component it is an instance of."""

    def __str__(self) -> str:
        return f"{self.kind.value} {self.name}"


@dataclass(frozen=True, slots=True)
class Dependency:
    """A dependency as fetched: the request, and what it was resolved to."""

    spec: DependencySpec
    url: str
    """The remote as configured, after normalisation."""
    version: str
    """The wanted version, or the name of the default branch."""
    commit: str
    short_commit: str
    worktree: Path

    @property
    def directory(self) -> Path:
        """The requested part of the worktree."""
        return self.worktree / self.spec.path.strip("/") if self.spec.path else self.worktree


Fetch: TypeAlias = Callable[[Iterable[DependencySpec]], tuple[Dependency, ...]]
