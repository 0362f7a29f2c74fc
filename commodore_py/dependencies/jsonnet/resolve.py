"""Resolve the required Jsonnet libraries: found level by level, chosen depth-first."""

from __future__ import annotations

import posixpath
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from commodore_py.errors import CommodoreError
from commodore_py.model.names import problem_of_path, problem_of_text

from .jsonnetfile import GitSource, Key, LocalSource, Requirement, read_jsonnetfile

if TYPE_CHECKING:
    from pathlib import Path

    from .jsonnetfile import Remote

CACHE = ".cache"
"""The folder below `vendor/` with the contents; not allowed as the name of a library."""


@dataclass(frozen=True, slots=True)
class Package:
    """A fetched library."""

    request: Requirement
    """The first requirement for it; others share it."""
    directory: Path
    commit: str = ""
    sum: str = ""


Outcome: TypeAlias = Package | CommodoreError
FetchAll: TypeAlias = Callable[[Sequence[Requirement]], Sequence[Outcome]]


@dataclass(frozen=True, slots=True)
class Failure:
    """A library that cannot be used; the rest of the list that requires it is skipped, too."""

    request: Requirement
    error: CommodoreError
    skipped: tuple[Requirement, ...] = ()


@dataclass(frozen=True, slots=True)
class Resolution:
    """The libraries to use, in the order of their links, and the problems."""

    packages: list[Package] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    """Those of what the root requires make the installation fail."""
    conflicts: dict[tuple[Key, Key, str], CommodoreError] = field(default_factory=dict)
    """Warnings about different requirements with one name, each once."""


ResolveLocked: TypeAlias = (
    "Callable[[Sequence[Requirement], FetchAll, Callable[[Remote], Path]], Resolution]"
)
"""Another way to resolve libraries, with a function that finds the clone of a remote."""


def resolve(direct: Sequence[Requirement], fetch: FetchAll) -> Resolution:
    """Fetch everything that is reachable, then choose: the first of each name wins."""
    graph = _Graph(fetch)
    level: Sequence[Requirement] = direct
    while level:
        level = graph.fetch_level(level)
    for request in direct:
        failed = graph.choose(request)
        if failed is not None:
            failed.error.where = failed.error.where or request.where
            failed.error.add_note(f"while fetching {request}")
            graph.resolution.failures.append(failed)
    return graph.resolution


class _Graph:
    """Everything that is reachable, and what is chosen of it."""

    def __init__(self, fetch: FetchAll) -> None:
        self._fetch = fetch
        self._outcomes: dict[Key, Outcome] = {}
        self._nested: dict[Key, tuple[Requirement, ...]] = {}
        self._chosen: dict[str, Requirement] = {}
        self.resolution = Resolution()

    def fetch_level(self, level: Sequence[Requirement]) -> list[Requirement]:
        """Fetch what is new, and return its own requirements."""
        new: dict[Key, Requirement] = {}
        for request in level:
            if request.key not in self._outcomes:
                new.setdefault(request.key, request)
        problems = {key: _unusable(request) for key, request in new.items()}
        self._outcomes |= {key: problem for key, problem in problems.items() if problem is not None}
        valid = {key: request for key, request in new.items() if problems[key] is None}
        self._outcomes |= zip(valid, self._fetch(list(valid.values())), strict=True)
        for key, request in valid.items():
            package = self._outcomes[key]
            if isinstance(package, CommodoreError) or request.single:
                continue
            is_local = isinstance(request.source, LocalSource)
            by = f"{request.by}: {request.name}" if request.by and is_local else request.name
            try:
                file = read_jsonnetfile(package.directory / "jsonnetfile.json", by=by)
            except CommodoreError as error:
                self._outcomes[key] = error  # a library with an invalid list cannot be used
            else:
                self._nested[key] = file.by_name()
        return [requirement for key in valid for requirement in self._nested.get(key, ())]

    def choose(self, request: Requirement) -> Failure | None:
        """Choose a library and its requirements; a failure ends its list, not outer ones."""
        lists = [deque([request])]
        while lists:
            left = lists[-1]
            if not left:
                lists.pop()
                continue
            request = left.popleft()
            used = self._chosen.setdefault(request.name, request)
            outcome = self._outcomes[request.key]
            if used is not request:
                if self._differ(used, request):
                    key = used.key, request.key, request.by
                    self.resolution.conflicts[key] = _conflict(used, request)
            elif isinstance(outcome, Package):
                self.resolution.packages.append(outcome)
                lists.append(deque(self._nested.get(request.key, ())))
            else:
                failure = Failure(request, outcome, tuple(lists.pop()))
                if not lists:
                    return failure
                self.resolution.failures.append(failure)
        return None

    def _differ(self, used: Requirement, other: Requirement) -> bool:
        if isinstance(used.source, LocalSource) or isinstance(other.source, LocalSource):
            return used.source != other.source
        first, second = self._outcomes[used.key], self._outcomes[other.key]
        if isinstance(first, Package) and isinstance(second, Package):
            return first.commit != second.commit
        return used.key != other.key


def _conflict(used: Requirement, other: Requirement) -> CommodoreError:
    first, second = (
        f"{request.version or getattr(request.source, 'folder', None)}"
        + (f", by {request.by}" if request.by else "")
        for request in (used, other)
    )
    return CommodoreError(
        f"Jsonnet library {used.name} is required more than once: {first},"
        f" is used instead of {second}",
        where=f"{used.where}, {other.where}",
        hint="require the same version in both",
    )


def _unusable(request: Requirement) -> CommodoreError | None:
    """The error of an invalid requirement, before anything is fetched."""
    source = request.source
    parts = request.name.split("/")
    if any(part in ("", ".", "..") for part in parts) or parts[0].casefold() == CACHE:
        subdir = source.subdir if isinstance(source, GitSource) else ""
        clean = posixpath.normpath(f"/{subdir}").strip("/")
        return CommodoreError(
            f"{request.name or '/'} is not a valid name of a library in vendor/",
            hint=f'write "subdir": "{clean}"' if subdir else "use another name for the source",
        )
    if isinstance(source, GitSource) and not request.version:
        return CommodoreError("no version is given", hint="name a branch, a tag or a commit")
    problem = problem_of_path(request.name) or problem_of_text(request.version)
    if problem:
        return CommodoreError(f"its name or version {problem}")
    return None
