"""Which Jsonnet libraries are used: found level by level, chosen depth-first (pure)."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from commodore_py.adapters.git.urls import without_password
from commodore_py.errors import CommodoreError

from .jsonnetfile import GitSource, JsonnetFile, LocalSource, Requirement

if TYPE_CHECKING:
    from collections.abc import Iterable

Key: TypeAlias = tuple[str, str]
"""A library's name and the version that was asked for."""

CACHE = ".cache"
"""The folder below `vendor/` that holds the contents; no library may be called that."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A requirement, and whose it is."""

    name: str
    """Its path below `vendor/`."""
    requirement: Requirement
    by: str
    """The library or component that wants it; empty where that is no library."""
    where: str
    """File and line that say so."""
    folder: Path | None = None
    """What a local source means."""

    @property
    def key(self) -> Key:
        """What is brought once only."""
        return self.name, self.requirement.version

    def __str__(self) -> str:
        source, wanted_by = self.requirement.source, f" (wanted by {self.by})" if self.by else ""
        if isinstance(source, LocalSource):
            return f"{source.directory}{wanted_by}"
        version = self.requirement.version or "no version"
        return f"{without_password(self.name)} in {version}{wanted_by}"


@dataclass(frozen=True, slots=True)
class Package:
    """A library as brought."""

    wanted: Wanted
    """The requirement that it was brought for; others share it."""
    directory: Path
    commit: str = ""
    sum: str = ""


Outcome: TypeAlias = Package | CommodoreError
Bring: TypeAlias = Callable[[Sequence[Wanted]], Sequence[Outcome]]
Read: TypeAlias = Callable[[Package], JsonnetFile]


@dataclass(frozen=True, slots=True)
class Missing:
    """A library that another one wants and cannot have; the rest of that list is left out too."""

    wanted: Wanted
    error: CommodoreError
    left_out: tuple[Wanted, ...] = ()


@dataclass(frozen=True, slots=True)
class Conflict:
    """Something else under a name that is taken."""

    used: Wanted
    other: Wanted


@dataclass(slots=True)
class Resolution:
    """The libraries to use, in the order in which they are linked, and what is wrong."""

    packages: list[Package] = field(default_factory=list)
    refused: list[CommodoreError] = field(default_factory=list)
    """What is wrong with direct dependencies: nothing can be used."""
    missing: list[Missing] = field(default_factory=list)
    conflicts: list[Conflict] = field(default_factory=list)


def wanted_by(file: JsonnetFile, *, by: str, where: str, folder: Path) -> tuple[Wanted, ...]:
    """The requirements of a file by their names; of two with one name, the later counts."""
    wanted: dict[str, Wanted] = {}
    for requirement in file.requirements:
        place = f"{where}:{requirement.line}" if requirement.line else where
        match requirement.source:
            case GitSource() as source:
                one = Wanted(source.name, requirement, by, place)
            case LocalSource(directory):
                absolute = Path(os.path.abspath(folder / directory))  # noqa: PTH100 - links stay
                one = Wanted(absolute.name, requirement, by, place, absolute)
        wanted[one.name] = one
    return tuple(wanted.values())


def resolve(direct: Sequence[Wanted], bring: Bring, read: Read) -> Resolution:
    """Bring everything that is reachable, then choose: the first of each name wins."""
    outcomes: dict[Key, Outcome] = {}
    nested: dict[Key, tuple[Wanted, ...]] = {}
    level: Sequence[Wanted] = direct
    while level:
        level = _bring_level(level, bring, read, outcomes, nested)
    resolution = Resolution()
    chosen: dict[str, Wanted] = {}
    for one in direct:
        failed = _choose((one,), outcomes, nested, chosen, resolution)
        if failed is not None:
            resolution.refused.append(_told(failed.error, one))
    return resolution


def _bring_level(
    level: Iterable[Wanted],
    bring: Bring,
    read: Read,
    outcomes: dict[Key, Outcome],
    nested: dict[Key, tuple[Wanted, ...]],
) -> list[Wanted]:
    """Bring what is new, and return what that wants in its turn."""
    new: dict[Key, Wanted] = {}
    for wanted in level:
        if wanted.key not in outcomes:
            new.setdefault(wanted.key, wanted)
    problems = {key: _unusable(wanted) for key, wanted in new.items()}
    fine = [wanted for key, wanted in new.items() if problems[key] is None]
    outcomes |= {key: problem for key, problem in problems.items() if problem is not None}
    outcomes |= dict(zip([wanted.key for wanted in fine], bring(fine), strict=True))
    further: list[Wanted] = []
    for wanted in fine:
        package = outcomes[wanted.key]
        if isinstance(package, CommodoreError) or wanted.requirement.single:
            continue
        try:
            file = read(package)
        except CommodoreError as error:
            outcomes[wanted.key] = error  # whoever cannot say what it wants cannot be used
            continue
        nested[wanted.key] = wanted_by(
            file,
            by=f"{wanted.by}: {wanted.name}" if wanted.by and wanted.folder else wanted.name,
            where=str(package.directory / "jsonnetfile.json"),
            # A local source means a folder beside the real one, not beside a link to it.
            folder=package.directory.resolve(),
        )
        further += nested[wanted.key]
    return further


def _choose(
    level: Sequence[Wanted],
    outcomes: dict[Key, Outcome],
    nested: dict[Key, tuple[Wanted, ...]],
    chosen: dict[str, Wanted],
    resolution: Resolution,
) -> Missing | None:
    """Take each library and what it wants; a failure ends this list, but not those around it."""
    for index, wanted in enumerate(level):
        if wanted.name in chosen:
            if _differ(chosen[wanted.name], wanted, outcomes):
                resolution.conflicts.append(Conflict(chosen[wanted.name], wanted))
            continue
        chosen[wanted.name] = wanted
        outcome = outcomes[wanted.key]
        if isinstance(outcome, CommodoreError):
            return Missing(wanted, outcome, tuple(level[index + 1 :]))
        resolution.packages.append(outcome)
        failed = _choose(nested.get(wanted.key, ()), outcomes, nested, chosen, resolution)
        if failed is not None:
            resolution.missing.append(failed)
    return None


def _differ(used: Wanted, other: Wanted, outcomes: dict[Key, Outcome]) -> bool:
    if used.folder is not None or other.folder is not None:
        return used.folder != other.folder
    first, second = outcomes[used.key], outcomes[other.key]
    if isinstance(first, Package) and isinstance(second, Package):
        return first.commit != second.commit
    return used.key != other.key


def _unusable(wanted: Wanted) -> CommodoreError | None:
    """What is wrong with a requirement as such, before anything is asked for."""
    source = wanted.requirement.source
    parts = wanted.name.split("/")
    if any(part in ("", ".", "..") for part in parts) or parts[0].casefold() == CACHE:
        subdir = source.subdir if isinstance(source, GitSource) else ""
        clean = posixpath.normpath(f"/{subdir}").strip("/")
        return CommodoreError(
            f"{wanted.name or '/'} is no name that a library may have in vendor/",
            hint=f'write "subdir": "{clean}"' if subdir else "give the source another name",
        )
    if isinstance(source, GitSource) and not wanted.requirement.version:
        return CommodoreError("no version is given", hint="name a branch, a tag or a commit")
    if "\0" in f"{wanted.name}{wanted.requirement.version}":
        return CommodoreError("a null character is in its name or version")
    return None


def _told(error: CommodoreError, wanted: Wanted) -> CommodoreError:
    error.where = error.where or wanted.where
    error.add_note(f"while bringing {wanted}")
    return error
