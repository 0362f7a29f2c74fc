"""A component or a package in its author's checkout: its name, its files, and their problems."""

from __future__ import annotations

import logging
import os
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from commodore_py.dependencies.jsonnet.libraries import wrongly_named
from commodore_py.errors import CommodoreError, raise_collected
from commodore_py.inventory.single import SingleClassPath
from commodore_py.model.classpath import ClassPath
from commodore_py.model.dependency import Dependency, DependencySpec, Kind
from commodore_py.model.inventory import BOOTSTRAP, Instance

from .templates.kinds import COMPONENT, PACKAGE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from commodore_py.config import WorkPaths

log = logging.getLogger(__name__)

TENANT = "t-fake"

_SUFFIXES = (".yml", ".yaml")
_INIT = "init"  # the name of a folder's own class
_RESERVED = PACKAGE.reserved | {TENANT}


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
        component = name or directory.stem.replace(COMPONENT.prefix, "")
        above = (path for path in (directory, *directory.parents) if (path / ".git").exists())
        repository = next(above, None)
        if repository is None:
            log.info("%s is in no Git repository", directory)
        classes, errors = _classes_of(values)
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
        for error in wrongly_named(self.checkout()):
            error.hint = f"{error.hint}; or {hint}"
            yield error


@dataclass(frozen=True, slots=True)
class PackageFolder:
    """A package's folder, the class to compile it with, and values that come before."""

    directory: Path
    name: str
    test_class: Path
    values: tuple[tuple[str, Path], ...] = ()

    @classmethod
    def find(cls, folder: Path, test_class: Path, values: Sequence[Path]) -> PackageFolder:
        """The package in a folder; all problems of its files are reported together."""
        directory = folder.resolve()
        classes, errors = _classes_of(values)
        test = Path(os.path.normpath(directory / test_class))
        name = directory.name.removeprefix(PACKAGE.folder_prefix)
        if name == directory.name:
            name = directory.stem.replace(PACKAGE.prefix, "")
        package = cls(directory, name, test, classes)
        raise_collected([*package._problems(), *errors], "cannot compile this")
        return package

    @property
    def entry(self) -> str:
        """The name of the test class in the inventory."""
        inner = PurePosixPath(self.test_class.relative_to(self.directory)).with_suffix("")
        parts = inner.parts[:-1] if inner.name == _INIT else inner.parts
        return ".".join((self.name, *parts))

    def classes(self, paths: WorkPaths) -> ClassPath:
        """A placeholder configuration, and the package where it is."""
        return ClassPath(
            (
                _local(Kind.GLOBAL, "global", paths.classes / "global"),
                _local(Kind.TENANT, TENANT, paths.classes / TENANT),
                _local(Kind.PACKAGE, self.name, self.directory),
            )
        )

    def _problems(self) -> Iterator[CommodoreError]:
        if self.name in _RESERVED or not self.name or self.name.startswith("."):
            yield CommodoreError(
                f"{self.name!r} cannot be the name of a package",
                where=str(self.directory),
                hint="it is taken from the folder's name: rename the folder; "
                + ", ".join(sorted(_RESERVED))
                + " are taken",
            )
        is_inside = self.test_class.is_relative_to(self.directory)
        if (
            not is_inside
            or self.test_class.suffix not in _SUFFIXES
            or not self.test_class.is_file()
        ):
            yield CommodoreError(
                "there is no such test class in the package",
                where=str(self.test_class),
                hint="name the file as seen from the package, such as tests/defaults.yml",
            )


def _local(kind: Kind, name: str, folder: Path) -> Dependency:
    return Dependency(DependencySpec(kind, name, "", None), "", "", "", "", folder)


def _classes_of(
    files: Iterable[Path],
) -> tuple[tuple[tuple[str, Path], ...], list[CommodoreError]]:
    """Class name and file of each, in their order, and what is wrong with the others.

    Of two with one name the last counts, as it is linked over the other.
    """
    classes: dict[str, Path] = {}
    errors: list[CommodoreError] = []
    for file in files:
        path = file.resolve()
        problem = ""
        if path.suffix not in _SUFFIXES:
            problem = "a file of values must end in .yml or .yaml to be a class"
        elif path.stem == _INIT:
            problem = f"a file of values cannot be called {path.name}: that is its folder's class"
        if problem:
            errors.append(CommodoreError(problem, where=str(file), hint="rename it"))
            continue
        if classes.get(path.stem, path) != path:
            log.warning(
                "two files of values would be class %s: only the last counts",
                path.stem,
                extra={"where": f"{classes[path.stem]}, {path}", "hint": "rename one of them"},
            )
        classes[path.stem] = path
    return tuple(classes.items()), errors
