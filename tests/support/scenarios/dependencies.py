"""A working directory and the repositories that things are fetched from."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pytest

from commodore_py.dependencies.fetch import fetcher
from commodore_py.errors import CommodoreError
from commodore_py.model.dependency import Dependency, DependencySpec, Kind
from tests.support.builders import (
    commit_to,
    component_files,
    errors_in,
    git,
    make_config,
    make_repository,
    url_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from commodore_py.config import Config


@dataclass(frozen=True)
class Workspace:
    """Bare repositories in one folder, a working directory in another."""

    root: Path
    config: Config = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "config", make_config(self.root / "work"))

    @property
    def work(self) -> Path:
        """The working directory."""
        return self.root / "work"

    def place(self, name: str) -> Path:
        """The checkout of a component, an instance or (with `pkg.`) a package."""
        return self.work / "dependencies" / name

    def bare(self, repository: Path) -> Path:
        """Our bare clone of a repository."""
        return self.work / "dependencies/.repos" / str(repository).strip("/")

    def repository(self, name: str, files: Mapping[str, str | bytes] | None = None) -> Path:
        """A new repository; by default with a component of that name."""
        content = component_files(name) if files is None else files
        return make_repository(self.root / "remotes" / f"{name}.git", content)

    def fetch(self, *specs: DependencySpec, **settings: Any) -> tuple[Dependency, ...]:  # noqa: ANN401 - Config checks them by name
        """One step of a run."""
        return fetcher(replace(self.config, **settings))(specs)

    def refused(self, *specs: DependencySpec, **settings: Any) -> tuple[CommodoreError, ...]:  # noqa: ANN401 - as above
        """The failures of a step that must fail."""
        with pytest.raises(CommodoreError) as caught:
            self.fetch(*specs, **settings)
        return errors_in(caught.value)


def component(
    repository: Path, version: str = "master", *, name: str = "", path: str = ""
) -> DependencySpec:
    """The spec of a component, named after its repository."""
    name = name or repository.stem
    return DependencySpec(Kind.COMPONENT, name, url_of(repository), version, path, component=name)


def instance(spec: DependencySpec, name: str, **changes: Any) -> DependencySpec:  # noqa: ANN401 - DependencySpec checks them by name
    """An instance of a component."""
    return spec._replace(kind=Kind.INSTANCE, name=name, component=spec.name, **changes)


def package(
    repository: Path, version: str = "master", *, name: str = "", path: str = ""
) -> DependencySpec:
    """The spec of a package."""
    return DependencySpec(Kind.PACKAGE, name or repository.stem, url_of(repository), version, path)


def configuration(
    repository: Path, revision: str | None = None, *, kind: Kind = Kind.GLOBAL
) -> DependencySpec:
    """The spec of the global or the tenant configuration."""
    name = "global" if kind is Kind.GLOBAL else "t-acme"
    return DependencySpec(kind, name, url_of(repository), revision)


def head(checkout: Path) -> str:
    """The commit of a checkout."""
    return git(checkout, "rev-parse", "HEAD")


def branch(checkout: Path) -> str:
    """The branch of a checkout; HEAD where it is detached."""
    return git(checkout, "rev-parse", "--symbolic-full-name", "HEAD").removeprefix("refs/heads/")


def tag(repository: Path, name: str, *, at: str = "master") -> None:
    """Make or move an annotated tag."""
    who = ("-c", "user.name=User", "-c", "user.email=user@example.com")
    git(repository, *who, "tag", "--force", "--annotate", "--message", name, name, at)


def rewrite_history(
    repository: Path, files: Mapping[str, str | bytes], *, name: str = "master"
) -> str:
    """Replace the history of a branch, as a force push does."""
    git(repository, "update-ref", "-d", f"refs/heads/{name}")
    return commit_to(repository, files, branch=name, message="Another history")


def backups(repository: Path) -> list[str]:
    """The refs of backups."""
    return git(
        repository, "for-each-ref", "--format=%(refname)", "refs/commodore/backup"
    ).splitlines()
