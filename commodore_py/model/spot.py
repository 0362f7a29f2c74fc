"""Where in the configuration something stands, for messages."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeAlias

ParameterPath: TypeAlias = tuple[Hashable, ...]
"""Keys from the top of a target's parameters down; an item of a list is `[0]`."""

PlaceOf: TypeAlias = Callable[[str, ParameterPath], str]
"""File and line that gave a parameter of a target its value; empty if unknown."""


def nowhere(_target: str, _path: ParameterPath) -> str:
    """The location of every parameter if none is known."""
    return ""


class Spot(NamedTuple):
    """A parameter of a target."""

    target: str
    path: ParameterPath

    @property
    def parameter(self) -> str:
        """The path as people write it."""
        keys = (str(key) for key in self.path)
        return "parameters" + "".join(key if key.startswith("[") else f".{key}" for key in keys)

    def __str__(self) -> str:
        return f"target {self.target}, {self.parameter}"

    def seen_from(self, place_of: PlaceOf) -> str:
        """File and line as far as they are known, and the parameter."""
        place = place_of(self.target, self.path)
        return f"{place}\n{self}" if place else str(self)


_FACTS = {
    ("catalog", "url"): "gitRepo.url of the cluster",
    ("global", "url"): "globalGitRepoURL of the tenant",
    ("global", "version"): "globalGitRepoRevision of the cluster or the tenant",
    ("tenant", "url"): "gitRepo.url of the tenant",
    ("tenant", "version"): "tenantGitRepoRevision of the cluster or the tenant",
}


class Fact(NamedTuple):
    """The repository of a configuration, or its version, in the facts."""

    configuration: str
    field: str

    def __str__(self) -> str:
        return _FACTS[self.configuration, self.field]

    def seen_from(self, place_of: PlaceOf) -> str:
        """File and line as far as they are known, or else the field."""
        return place_of("", self) or str(self)


@dataclass(frozen=True, slots=True)
class Inclusion:
    """A line that includes a class."""

    name: str
    """The class, by its full name."""
    by: str
    """The class or target with the line."""
    place: str
    merged: bool
    """Whether the class is merged because of this line: of several, it is the first."""


class Places(Protocol):
    """Files and lines of what a target is made of, for messages; empty where there is none."""

    def application(self, target: str, name: str) -> str:
        """Where an application is listed."""
        ...

    def parameter(self, target: str, path: ParameterPath) -> str:
        """Where a parameter got its value, or the closest one above it."""
        ...

    def class_file(self, name: str) -> str:
        """The file of a class."""
        ...

    def included(self, target: str, prefix: str) -> tuple[Inclusion, ...]:
        """The lines that include classes whose full names begin so, in the order of merging."""
        ...


class Nowhere:
    """Places of what has no files."""

    def application(self, _target: str, _name: str) -> str:
        """Nowhere."""
        return ""

    def parameter(self, _target: str, _path: ParameterPath) -> str:
        """Nowhere."""
        return ""

    def class_file(self, _name: str) -> str:
        """Nowhere."""
        return ""

    def included(self, _target: str, _prefix: str) -> tuple[Inclusion, ...]:
        """None."""
        return ()


NOWHERE = Nowhere()
