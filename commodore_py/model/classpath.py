"""Where the classes of the hierarchy come from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .dependency import Dependency, Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path


class ClassPath:
    """Fetched dependencies in the order they were found, seen as places of classes."""

    __slots__ = ("_by_name", "dependencies")

    def __init__(self, dependencies: tuple[Dependency, ...] = ()) -> None:
        self.dependencies = dependencies
        self._by_name: dict[str, Dependency] = {}
        for dependency in dependencies:
            if dependency.spec.kind in (Kind.COMPONENT, Kind.INSTANCE):
                self._by_name.setdefault(dependency.spec.name, dependency)

    def plus(self, more: Iterable[Dependency]) -> ClassPath:
        """Extend the class path."""
        return ClassPath((*self.dependencies, *more))

    def of_kind(self, *kinds: Kind) -> tuple[Dependency, ...]:
        """The dependencies of these kinds, sorted by name."""
        dependencies = [d for d in self.dependencies if d.spec.kind in kinds]
        return tuple(sorted(dependencies, key=lambda d: d.spec.name))

    def component(self, name: str) -> Dependency | None:
        """The checkout of a component or an instance, by its name."""
        return self._by_name.get(name)

    def worktrees(self) -> Iterator[Path]:
        """The checkouts of all of them."""
        return (dependency.worktree for dependency in self.dependencies)

    def entries(self) -> Iterator[tuple[str, Path]]:
        """Pairs of class prefix (with `/`) and the file or folder that holds those classes."""
        for dependency in self.dependencies:
            name, directory = dependency.spec.name, dependency.directory
            match dependency.spec.kind:
                case Kind.GLOBAL:
                    yield "global", directory
                case Kind.TENANT | Kind.PACKAGE:
                    yield name, directory
                case Kind.COMPONENT | Kind.INSTANCE:
                    component = dependency.spec.component or name
                    yield f"components/{name}", directory / "class" / f"{component}.yml"
                    yield f"defaults/{name}", directory / "class" / "defaults.yml"
