"""What a cache holds: kinds, namespaces, and what handlers make of whole objects."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from commodore_py.live.access.discovery import Api
    from commodore_py.manifests.objects import Content

Rights = Literal["ask", "react", "off"]
ALWAYS_WHOLE = {
    ("apps", "StatefulSet"),
    ("apiextensions.k8s.io", "CustomResourceDefinition"),
    ("apiregistration.k8s.io", "APIService"),
}
"""Kinds that are read as whole objects: their content tells relations and kinds."""

_REQUIREMENT = re.compile(
    r"(?P<not>!\s*)?(?P<key>[A-Za-z0-9][\w./-]*)\s*"
    r"(?:(?P<operator>==|=|!=)\s*(?P<value>[\w.-]*)"
    r"|(?P<among>\bin\b|\bnotin\b)\s*\((?P<values>[^)]*)\))?\s*"
)


class Pattern(NamedTuple):
    """A group as a glob, and an exact kind or `*`."""

    group: str = "*"
    kind: str = "*"

    def fits(self, api: Api) -> bool:
        """Whether a kind is meant."""
        return fnmatchcase(api.group, self.group) and self.kind in ("*", api.kind)


OUT_AT_FIRST = (
    Pattern("", "Event"),
    Pattern("events.k8s.io"),
    Pattern("metrics.k8s.io"),
    Pattern("coordination.k8s.io", "Lease"),
)
"""What changes all the time and is of no interest here."""


class Filter(NamedTuple):
    """Which kinds are held: an exclusion wins, and with inclusions only these are."""

    exclusions: tuple[Pattern, ...] = OUT_AT_FIRST
    inclusions: tuple[Pattern, ...] = ()

    def holds(self, api: Api) -> bool:
        """Whether a kind is held."""
        if any(one.fits(api) for one in self.exclusions):
            return False
        return not self.inclusions or any(one.fits(api) for one in self.inclusions)


class Made(NamedTuple):
    """What a handler makes of an object."""

    info: object = None
    """Anything small: at most 2 KiB when pickled."""
    manifest: bool = False
    """Whether the whole object is kept."""


class Settings(NamedTuple):
    """Which objects are held, and how."""

    filter: Filter = Filter()
    namespaces: tuple[str, ...] = ()
    """Only these; all, if there are none."""
    cluster_resources: bool = True
    """With namespaces: whether objects outside of namespaces are held, too."""
    rights: Rights = "ask"
    whole: Callable[[Api], bool] = lambda _: False
    """Kinds whose whole objects are read, for `make`."""
    make: Callable[[Api, Content], Made] | None = None
    annotations: frozenset[str] = frozenset()
    """Annotations that are kept."""
    versions: Mapping[tuple[str, str], str] = {}
    """Versions of kinds, by group and kind, where it shall not be the preferred one."""
    resync: float = 24 * 3600
    """Seconds until everything is loaded again."""
    relist: float = 600
    """Seconds until a kind is listed again, so that nothing missed stays missed."""
    most_watches: int = 400
    poll: float = 60
    """Seconds between lists of the kinds that are not watched."""

    def checked(self) -> Settings:
        """Itself, if it can work."""
        for name in ("resync", "relist", "poll"):
            if getattr(self, name) <= 0:
                raise ValueError(f"{name} must be more than zero seconds")
        if self.rights not in ("ask", "react", "off"):
            raise ValueError(f"rights must be ask, react or off, not {self.rights}")
        if self.most_watches < 0:
            raise ValueError("most_watches must not be negative")
        if any(not one for one in self.namespaces):
            raise ValueError("a namespace has no name")
        return self


def selects(selector: str) -> Callable[[Mapping[str, str]], bool]:
    """Whether labels fit a selector in kubectl's form: `a=b,c!=d,e,!f,g in (h,i)`."""
    tests = []
    rest = selector.strip()
    while rest:
        found = _REQUIREMENT.match(rest)
        if found is None or (found.end() < len(rest) and rest[found.end()] != ","):
            raise ValueError(f"{selector!r} is not a label selector")
        tests.append(_test(found))
        rest = rest[found.end() + 1 :].strip()
    return lambda labels: all(test(labels) for test in tests)


def _test(found: re.Match[str]) -> Callable[[Mapping[str, str]], bool]:
    key, operator = found["key"], found["operator"] or found["among"]
    if operator is None:
        wanted = not found["not"]
        return lambda labels: (key in labels) is wanted
    listed = found["values"] if found["among"] else found["value"]
    values = {one.strip() for one in listed.split(",")}
    if operator in ("!=", "notin"):
        return lambda labels: labels.get(key) not in values
    return lambda labels: labels.get(key) in values
