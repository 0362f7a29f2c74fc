"""The kinds that a server has, in the version that is used of each."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, NamedTuple

from commodore_py.adapters.http import HttpError

from .answers import mapping, mappings, text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .client import Client

log = logging.getLogger(__name__)

_AGGREGATED = (
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,"
    "application/json"
)
_NEEDED = frozenset({"list", "watch"})


class Api(NamedTuple):
    """A kind as a server has it."""

    group: str
    version: str
    kind: str
    resource: str
    namespaced: bool
    verbs: frozenset[str] = frozenset()

    def path(self, namespace: str = "", name: str = "") -> str:
        """Where its objects are."""
        root = f"/apis/{self.group}" if self.group else "/api"
        within = f"/namespaces/{namespace}" if namespace and self.namespaced else ""
        return f"{root}/{self.version}{within}/{self.resource}" + (f"/{name}" if name else "")

    @property
    def api_version(self) -> str:
        """As an object names it."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def key(self) -> tuple[str, str]:
        """Group and kind."""
        return self.group, self.kind

    @property
    def can_be_watched(self) -> bool:
        """Whether its objects can be listed and watched."""
        return self.verbs >= _NEEDED


class Discovery(NamedTuple):
    """Every kind in every version, the preferred one first, and the groups without an answer."""

    apis: tuple[Api, ...]
    silent: tuple[str, ...] = ()

    def preferred(self) -> tuple[Api, ...]:
        """Each kind once: in the first version of its group that has it."""
        found: dict[tuple[str, str], Api] = {}
        for one in self.apis:
            if one.can_be_watched:
                found.setdefault(one.key, one)
        return tuple(found.values())

    def find(self, group: str, kind: str, version: str = "") -> Api | None:
        """A kind, in a version if the server has it there."""
        of_kind = [one for one in self.apis if one.key == (group, kind)]
        exact = [one for one in of_kind if one.version == version]
        return next(iter(exact or of_kind), None)


def discover(client: Client) -> Discovery:
    """Ask the server: in two requests, or in one per group if it is older."""
    apis: list[Api] = []
    silent: list[str] = []
    for path in ("/api", "/apis"):
        answer = client.get(path, accept=_AGGREGATED)
        kind = answer.get("kind") if isinstance(answer, dict) else None
        if kind == "APIGroupDiscoveryList":
            found, quiet = _aggregated(answer)
        elif kind == "APIVersions":
            found, quiet = _of_groups(client, [("", _texts(answer.get("versions")))])
        else:
            found, quiet = _of_groups(client, list(_groups(answer)))
        apis += found
        silent += quiet
    return Discovery(tuple(apis), tuple(sorted(set(silent))))


def _aggregated(answer: dict[str, Any]) -> tuple[list[Api], list[str]]:
    apis: list[Api] = []
    silent = []
    for group in mappings(answer.get("items")):
        name = text(mapping(group.get("metadata")).get("name"))
        for version in mappings(group.get("versions")):
            number = text(version.get("version"))
            if version.get("freshness") == "Stale":
                silent.append(f"{name}/{number}")
            for one in mappings(version.get("resources")):
                served = mapping(one.get("responseKind"))
                apis.append(
                    Api(
                        name,
                        number,
                        text(served.get("kind")),
                        text(one.get("resource")),
                        one.get("scope") == "Namespaced",
                        frozenset(_texts(one.get("verbs"))),
                    )
                )
    return apis, silent


def _groups(answer: object) -> Iterator[tuple[str, list[str]]]:
    for group in mappings(mapping(answer).get("groups")):
        first = mapping(group.get("preferredVersion")).get("version")
        numbers = [text(one.get("version")) for one in mappings(group.get("versions"))]
        yield text(group.get("name")), sorted(numbers, key=lambda number: number != first)


def _of_groups(
    client: Client, groups: Iterable[tuple[str, list[str]]]
) -> tuple[list[Api], list[str]]:
    apis: list[Api] = []
    silent = []
    for group, versions in groups:
        for version in versions:
            root = f"/apis/{group}" if group else "/api"
            try:
                answer = client.get(f"{root}/{version}")
            except HttpError as error:
                log.info("the kinds of %s/%s are not known: %s", group, version, error)
                silent.append(f"{group}/{version}")
                continue
            for one in mappings(mapping(answer).get("resources")):
                name = text(one.get("name"))
                if "/" in name:
                    continue  # a part of another one
                apis.append(
                    Api(
                        group,
                        version,
                        text(one.get("kind")),
                        name,
                        one.get("namespaced") is True,
                        frozenset(_texts(one.get("verbs"))),
                    )
                )
    return apis, silent


def _texts(value: object) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
