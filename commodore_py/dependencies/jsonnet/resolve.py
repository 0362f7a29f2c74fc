"""Resolve the required Jsonnet libraries: found level by level, chosen depth-first (pure)."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from commodore_py.adapters.masking import without_secrets
from commodore_py.errors import CommodoreError
from commodore_py.model.names import problem_of_path, problem_of_text

from .jsonnetfile import GitSource, JsonnetFile, LocalSource, Requirement

if TYPE_CHECKING:
    from collections.abc import Iterable

Key: TypeAlias = tuple[str, str]
"""The name of a library and the requested version."""

CACHE = ".cache"
"""The folder below `vendor/` with the contents; not allowed as the name of a library."""


class Wanted(NamedTuple):
    """A requirement, and where it comes from."""

    name: str
    """Its path below `vendor/`."""
    requirement: Requirement
    by: str
    """The library or component that requires it; empty for the root."""
    where: str
    """File and line of the requirement."""
    folder: Path | None = None
    """The folder of a local source."""

    @property
    def key(self) -> Key:
        """Identifies what is fetched once."""
        return self.name, self.requirement.version

    def __str__(self) -> str:
        source, wanted_by = self.requirement.source, f" (required by {self.by})" if self.by else ""
        if isinstance(source, LocalSource):
            return f"{source.directory}{wanted_by}"
        version = self.requirement.version or "no version"
        return f"{without_secrets(self.name)} in {version}{wanted_by}"


class Package(NamedTuple):
    """A fetched library."""

    wanted: Wanted
    """The first requirement for it; others share it."""
    directory: Path
    commit: str = ""
    sum: str = ""


Outcome: TypeAlias = Package | CommodoreError
FetchAll: TypeAlias = Callable[[Sequence[Wanted]], Sequence[Outcome]]
Read: TypeAlias = Callable[[Package], JsonnetFile]


class Missing(NamedTuple):
    """A library that cannot be fetched; the rest of the list that requires it is skipped, too."""

    wanted: Wanted
    error: CommodoreError
    skipped: tuple[Wanted, ...] = ()


class Conflict(NamedTuple):
    """Two different requirements with one name."""

    used: Wanted
    other: Wanted


class Resolution(NamedTuple):
    """The libraries to use, in the order of their links, and the problems."""

    packages: list[Package]
    refused: list[CommodoreError]
    """Errors of direct dependencies, which make the installation fail."""
    missing: list[Missing]
    conflicts: list[Conflict]


Resolve: TypeAlias = Callable[[Sequence[Wanted], FetchAll, Read], Resolution]


def wanted_by(file: JsonnetFile, *, by: str, where: str, folder: Path) -> tuple[Wanted, ...]:
    """The requirements of a file by their names; the last one of a name wins."""
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


def resolve(direct: Sequence[Wanted], fetch: FetchAll, read: Read) -> Resolution:
    """Fetch everything that is reachable, then choose: the first of each name wins."""
    outcomes: dict[Key, Outcome] = {}
    nested: dict[Key, tuple[Wanted, ...]] = {}
    level: Sequence[Wanted] = direct
    while level:
        level = _fetch_level(level, fetch, read, outcomes, nested)
    resolution = Resolution([], [], [], [])
    chosen: dict[str, Wanted] = {}
    for one in direct:
        failed = _choose((one,), outcomes, nested, chosen, resolution)
        if failed is not None:
            resolution.refused.append(_located(failed.error, one))
    return resolution


def _fetch_level(
    level: Iterable[Wanted],
    fetch: FetchAll,
    read: Read,
    outcomes: dict[Key, Outcome],
    nested: dict[Key, tuple[Wanted, ...]],
) -> list[Wanted]:
    """Fetch what is new, and return its own requirements."""
    new: dict[Key, Wanted] = {}
    for wanted in level:
        if wanted.key not in outcomes:
            new.setdefault(wanted.key, wanted)
    problems = {key: _unusable(wanted) for key, wanted in new.items()}
    valid = [wanted for key, wanted in new.items() if problems[key] is None]
    outcomes |= {key: problem for key, problem in problems.items() if problem is not None}
    outcomes |= dict(zip([wanted.key for wanted in valid], fetch(valid), strict=True))
    further: list[Wanted] = []
    for wanted in valid:
        package = outcomes[wanted.key]
        if isinstance(package, CommodoreError) or wanted.requirement.single:
            continue
        try:
            file = read(package)
        except CommodoreError as error:
            outcomes[wanted.key] = error  # a library with an invalid list cannot be used
            continue
        nested[wanted.key] = wanted_by(
            file,
            by=f"{wanted.by}: {wanted.name}" if wanted.by and wanted.folder else wanted.name,
            where=str(package.directory / "jsonnetfile.json"),
            # A local source is relative to the real folder, not to a link to it.
            folder=Path(os.path.realpath(package.directory)),
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
    """Choose each library and its requirements; a failure ends this list, but not outer ones."""
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
    """The error of an invalid requirement, before anything is fetched."""
    source = wanted.requirement.source
    parts = wanted.name.split("/")
    if any(part in ("", ".", "..") for part in parts) or parts[0].casefold() == CACHE:
        subdir = source.subdir if isinstance(source, GitSource) else ""
        clean = posixpath.normpath(f"/{subdir}").strip("/")
        return CommodoreError(
            f"{wanted.name or '/'} is not a valid name of a library in vendor/",
            hint=f'write "subdir": "{clean}"' if subdir else "use another name for the source",
        )
    if isinstance(source, GitSource) and not wanted.requirement.version:
        return CommodoreError("no version is given", hint="name a branch, a tag or a commit")
    problem = problem_of_path(wanted.name) or problem_of_text(wanted.requirement.version)
    if problem:
        return CommodoreError(f"its name or version {problem}")
    return None


def _located(error: CommodoreError, wanted: Wanted) -> CommodoreError:
    error.where = error.where or wanted.where
    error.add_note(f"while fetching {wanted}")
    return error
