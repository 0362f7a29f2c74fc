"""A component in its author's checkout: its name, its files, and their problems."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.dependencies.jsonnet.component_libraries import misnamed_libraries
from commodore_py.errors import CommodoreError, raise_collected
from commodore_py.inventory.single import SingleClassPath
from commodore_py.model.dependency import Dependency, DependencySpec, Kind
from commodore_py.model.inventory import BOOTSTRAP, Instance

from .value_files import classes_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

log = logging.getLogger(__name__)

_PREFIX = "component-"


@dataclass(frozen=True, slots=True)
class ComponentFolder:
    """A component's folder, the repository around it, and the classes above it."""

    directory: Path
    repository: Path
    instance: Instance
    values: tuple[tuple[str, Path], ...] = ()
    beside: tuple[ComponentFolder, ...] = ()
    """Others whose defaults and libraries are there, too."""

    @classmethod
    def find(
        cls,
        folder: Path,
        values: Sequence[Path],
        *,
        name: str = "",
        alias: str = "",
        beside: Sequence[Path] = (),
    ) -> ComponentFolder:
        """The component in a folder; all problems of its files are reported together."""
        directory = folder.resolve()
        component = name or name_of(directory)
        repository = repository_around(directory)
        if repository is None:
            log.info("%s is in no Git repository", directory)
        classes, errors = classes_of(values)
        component_folder = cls(
            directory,
            repository or directory,
            Instance(alias or component, component),
            classes,
            tuple(cls.find(other, ()) for other in dict.fromkeys(map(Path.resolve, beside))),
        )
        raise_collected(
            [*component_folder._problems(named=bool(name)), *errors], "cannot compile this"
        )
        if BOOTSTRAP in (component, component_folder.instance.name):
            log.warning(
                "the name %s is reserved: in a catalog, it stands for the cluster itself", BOOTSTRAP
            )
        return component_folder

    def checkout(self, kind: Kind = Kind.COMPONENT) -> Dependency:
        """The component, or the instance of it, as any other dependency."""
        name = self.instance.component if kind is Kind.COMPONENT else self.instance.name
        inner = str(self.directory.relative_to(self.repository))
        path = "" if inner == "." else inner
        spec = DependencySpec(kind, name, "", None, path, self.instance.component)
        return Dependency(spec, "", "", "", "", self.repository)

    def classes(self) -> SingleClassPath:
        """The component's classes with the values, and its instance."""
        checkouts = [self.checkout()]
        if self.instance.aliased:
            checkouts.append(self.checkout(Kind.INSTANCE))
        checkouts += [other.checkout() for other in self.beside]
        return SingleClassPath(tuple(checkouts), self.values)

    def _problems(self, *, named: bool) -> Iterator[CommodoreError]:
        component = self.instance.component
        for name in dict.fromkeys((component, self.instance.name)):
            if "/" in name or name.startswith("."):
                yield CommodoreError(
                    f"{name!r} cannot be the name of a component or an instance",
                    hint="it names a folder: choose one without `/` that starts with no dot",
                )
        source = "" if named else ", as its folder is"
        hint = f"give its name with -n, if the component is not called {component}{source}"
        missing = [
            file
            for file in (f"{component}.yml", "defaults.yml")
            if not (self.directory / "class" / file).is_file()
        ]
        for file in missing:
            yield CommodoreError(
                f"component {component} has no class/{file}",
                where=str(self.directory / "class" / file),
                hint=f"write it, even an empty one; or {hint}",
            )
        names = [component, *(other.instance.component for other in self.beside)]
        for name in sorted({name for name in names if names.count(name) > 1}):
            yield CommodoreError(
                f"two components are called {name}",
                where=", ".join(
                    str(folder.directory)
                    for folder in (self, *self.beside)
                    if folder.instance.component == name
                ),
                hint="leave out one of them",
            )
        for error in misnamed_libraries(self.checkout()):
            error.hint = f"{error.hint}; or {hint}"
            yield error


def name_of(directory: Path) -> str:
    """The name of a component by its folder."""
    return directory.stem.replace(_PREFIX, "")


def repository_around(directory: Path) -> Path | None:
    """The root of the Git checkout that contains a folder; None if there is none."""
    for folder in (directory, *directory.parents):
        if (folder / ".git").exists():
            return folder
    return None
