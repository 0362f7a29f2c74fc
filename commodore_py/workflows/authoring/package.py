"""A package in its author's checkout: its name, its test class, and their problems."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError, raise_collected
from commodore_py.model.classpath import ClassPath
from commodore_py.model.dependency import Dependency, DependencySpec, Kind

from .value_files import classes_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from commodore_py.config import WorkPaths

TENANT = "t-fake"

_PREFIX = "package-"
_AS_DEPENDENCY = "pkg."
_SUFFIXES = (".yml", ".yaml")
_INIT = "init"
_RESERVED = {"components", "defaults", "global", "params", TENANT}


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
        classes, errors = classes_of(values)
        test = Path(os.path.normpath(directory / test_class))
        package = cls(directory, name_of(directory), test, classes)
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


def name_of(directory: Path) -> str:
    """The name of a package by its folder."""
    if directory.name.startswith(_AS_DEPENDENCY):
        return directory.name.removeprefix(_AS_DEPENDENCY)
    return directory.stem.replace(_PREFIX, "")


def _local(kind: Kind, name: str, folder: Path) -> Dependency:
    return Dependency(DependencySpec(kind, name, "", None), "", "", "", "", folder)
