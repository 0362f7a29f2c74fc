"""Resolve the required Jsonnet libraries: found level by level, chosen depth-first (pure)."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

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


@dataclass(frozen=True, slots=True)
class LibraryRequest:
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
        source, required_by = (
            self.requirement.source,
            f" (required by {self.by})" if self.by else "",
        )
        if isinstance(source, LocalSource):
            return f"{source.directory}{required_by}"
        version = self.requirement.version or "no version"
        return f"{without_secrets(self.name)} in {version}{required_by}"


@dataclass(frozen=True, slots=True)
class Package:
    """A fetched library."""

    request: LibraryRequest
    """The first requirement for it; others share it."""
    directory: Path
    commit: str = ""
    sum: str = ""


Outcome: TypeAlias = Package | CommodoreError
FetchAll: TypeAlias = Callable[[Sequence[LibraryRequest]], Sequence[Outcome]]
Read: TypeAlias = Callable[[Package], JsonnetFile]


@dataclass(frozen=True, slots=True)
class Missing:
    """A library that cannot be fetched; the rest of the list that requires it is skipped, too."""

    request: LibraryRequest
    error: CommodoreError
    skipped: tuple[LibraryRequest, ...] = ()


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two different requirements with one name."""

    used: LibraryRequest
    other: LibraryRequest


@dataclass(frozen=True, slots=True)
class Resolution:
    """The libraries to use, in the order of their links, and the problems."""

    packages: list[Package]
    refused: list[CommodoreError]
    """Errors of direct dependencies, which make the installation fail."""
    missing: list[Missing]
    conflicts: list[Conflict]


Resolve: TypeAlias = Callable[[Sequence[LibraryRequest], FetchAll, Read], Resolution]


def requests_in(
    file: JsonnetFile, *, by: str, where: str, folder: Path
) -> tuple[LibraryRequest, ...]:
    """The requirements of a file by their names; the last one of a name wins."""
    requests: dict[str, LibraryRequest] = {}
    for requirement in file.requirements:
        place = f"{where}:{requirement.line}" if requirement.line else where
        match requirement.source:
            case GitSource() as source:
                request = LibraryRequest(source.name, requirement, by, place)
            case LocalSource(directory):
                absolute = Path(os.path.abspath(folder / directory))  # noqa: PTH100 - links stay
                request = LibraryRequest(absolute.name, requirement, by, place, absolute)
        requests[request.name] = request
    return tuple(requests.values())


def resolve(direct: Sequence[LibraryRequest], fetch: FetchAll, read: Read) -> Resolution:
    """Fetch everything that is reachable, then choose: the first of each name wins."""
    outcomes: dict[Key, Outcome] = {}
    nested: dict[Key, tuple[LibraryRequest, ...]] = {}
    level: Sequence[LibraryRequest] = direct
    while level:
        level = _fetch_level(level, fetch, read, outcomes, nested)
    resolution = Resolution([], [], [], [])
    chosen: dict[str, LibraryRequest] = {}
    for request in direct:
        failed = _choose((request,), outcomes, nested, chosen, resolution)
        if failed is not None:
            failed.error.where = failed.error.where or request.where
            failed.error.add_note(f"while fetching {request}")
            resolution.refused.append(failed.error)
    return resolution


def _fetch_level(
    level: Iterable[LibraryRequest],
    fetch: FetchAll,
    read: Read,
    outcomes: dict[Key, Outcome],
    nested: dict[Key, tuple[LibraryRequest, ...]],
) -> list[LibraryRequest]:
    """Fetch what is new, and return its own requirements."""
    new: dict[Key, LibraryRequest] = {}
    for request in level:
        if request.key not in outcomes:
            new.setdefault(request.key, request)
    problems = {key: _unusable(request) for key, request in new.items()}
    valid = [request for key, request in new.items() if problems[key] is None]
    outcomes |= {key: problem for key, problem in problems.items() if problem is not None}
    outcomes |= dict(zip([request.key for request in valid], fetch(valid), strict=True))
    further: list[LibraryRequest] = []
    for request in valid:
        package = outcomes[request.key]
        if isinstance(package, CommodoreError) or request.requirement.single:
            continue
        try:
            file = read(package)
        except CommodoreError as error:
            outcomes[request.key] = error  # a library with an invalid list cannot be used
            continue
        nested[request.key] = requests_in(
            file,
            by=f"{request.by}: {request.name}" if request.by and request.folder else request.name,
            where=str(package.directory / "jsonnetfile.json"),
            # A local source is relative to the real folder, not to a link to it.
            folder=Path(os.path.realpath(package.directory)),
        )
        further += nested[request.key]
    return further


def _choose(
    level: Sequence[LibraryRequest],
    outcomes: dict[Key, Outcome],
    nested: dict[Key, tuple[LibraryRequest, ...]],
    chosen: dict[str, LibraryRequest],
    resolution: Resolution,
) -> Missing | None:
    """Choose each library and its requirements; a failure ends this list, but not outer ones."""
    for index, request in enumerate(level):
        if request.name in chosen:
            if _differ(chosen[request.name], request, outcomes):
                resolution.conflicts.append(Conflict(chosen[request.name], request))
            continue
        chosen[request.name] = request
        outcome = outcomes[request.key]
        if isinstance(outcome, CommodoreError):
            return Missing(request, outcome, tuple(level[index + 1 :]))
        resolution.packages.append(outcome)
        failed = _choose(nested.get(request.key, ()), outcomes, nested, chosen, resolution)
        if failed is not None:
            resolution.missing.append(failed)
    return None


def _differ(used: LibraryRequest, other: LibraryRequest, outcomes: dict[Key, Outcome]) -> bool:
    if used.folder is not None or other.folder is not None:
        return used.folder != other.folder
    first, second = outcomes[used.key], outcomes[other.key]
    if isinstance(first, Package) and isinstance(second, Package):
        return first.commit != second.commit
    return used.key != other.key


def _unusable(request: LibraryRequest) -> CommodoreError | None:
    """The error of an invalid requirement, before anything is fetched."""
    source = request.requirement.source
    parts = request.name.split("/")
    if any(part in ("", ".", "..") for part in parts) or parts[0].casefold() == CACHE:
        subdir = source.subdir if isinstance(source, GitSource) else ""
        clean = posixpath.normpath(f"/{subdir}").strip("/")
        return CommodoreError(
            f"{request.name or '/'} is not a valid name of a library in vendor/",
            hint=f'write "subdir": "{clean}"' if subdir else "use another name for the source",
        )
    if isinstance(source, GitSource) and not request.requirement.version:
        return CommodoreError("no version is given", hint="name a branch, a tag or a commit")
    problem = problem_of_path(request.name) or problem_of_text(request.requirement.version)
    if problem:
        return CommodoreError(f"its name or version {problem}")
    return None
