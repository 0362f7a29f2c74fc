"""What a cache holds: kinds, namespaces, and of which objects the whole content."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from commodore_py.live.access.discovery import Api
    from commodore_py.manifests.objects import ObjectId

_REQUIREMENT = re.compile(
    r"(?P<not>!\s*)?(?P<key>[A-Za-z0-9][\w./-]*)\s*"
    r"(?:(?P<operator>==|=|!=)\s*(?P<value>[\w.-]*)"
    r"|(?P<among>\bin\b|\bnotin\b)\s*\((?P<values>[^)]*)\))?\s*"
)


@dataclass(frozen=True, slots=True)
class Pattern:
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


@dataclass(frozen=True, slots=True)
class Filter:
    """Which kinds are held: an exclusion wins, and with inclusions only these are."""

    exclusions: tuple[Pattern, ...] = OUT_AT_FIRST
    inclusions: tuple[Pattern, ...] = ()

    def holds(self, api: Api) -> bool:
        """Whether a kind is held."""
        if any(pattern.fits(api) for pattern in self.exclusions):
            return False
        return not self.inclusions or any(pattern.fits(api) for pattern in self.inclusions)


@dataclass(frozen=True, slots=True)
class Settings:
    """Which objects are held, and how."""

    filter: Filter = Filter()
    namespaces: tuple[str, ...] = ()
    """Only these, and what is outside of namespaces; all, if there are none."""
    whole: Callable[[Api], bool] = lambda _: False
    """Kinds that are read as whole objects; of others, only metadata leaves the server."""
    keeps: Callable[[ObjectId], bool] = lambda _: True
    """Objects of these kinds whose content is kept."""
    annotations: frozenset[str] = frozenset()
    """Annotations that are kept."""
    versions: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """Versions of kinds, by group and kind, where it shall not be the preferred one."""
    resync: float = 600
    """Seconds until everything that is watched is listed again."""


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
        is_present = not found["not"]
        return lambda labels: (key in labels) is is_present
    listed = found["values"] if found["among"] else found["value"]
    values = {value.strip() for value in listed.split(",")}
    if operator in ("!=", "notin"):
        return lambda labels: labels.get(key) not in values
    return lambda labels: labels.get(key) in values
