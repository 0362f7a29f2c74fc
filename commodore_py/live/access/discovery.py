"""The kinds that a server has, in the version that is used of each."""

from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import quote

from commodore_py.adapters.http import HttpError, NotFound
from commodore_py.manifests.objects import mapping, mappings, text, texts

from .client import AT_ONCE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .client import Client

log = logging.getLogger(__name__)

_NEEDED = frozenset({"list", "watch"})


@dataclass(frozen=True, slots=True)
class Api:
    """A kind as a server has it."""

    group: str
    version: str
    kind: str
    resource: str
    namespaced: bool
    verbs: frozenset[str] = frozenset()

    def path(self, namespace: str = "", name: str = "") -> str:
        """Where its objects are."""
        within = f"/namespaces/{namespace}" if namespace and self.namespaced else ""
        root = _root(self.group, self.version)
        return f"{root}{within}/{self.resource}" + (f"/{quote(name, safe=':')}" if name else "")

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
        """True if its objects can be listed and watched."""
        return self.verbs >= _NEEDED


@dataclass(frozen=True)
class Discovery:
    """Every kind in every version, the preferred one first."""

    apis: tuple[Api, ...]
    silent_groups: frozenset[str] = frozenset()
    """Groups of which a version does not answer."""

    def preferred(self) -> tuple[Api, ...]:
        """Each kind once: in the first version of its group that has it."""
        preferred: dict[tuple[str, str], Api] = {}
        for api in self.apis:
            if api.can_be_watched:
                preferred.setdefault(api.key, api)
        return tuple(preferred.values())

    @cached_property
    def _by_kind(self) -> dict[tuple[str, str], list[Api]]:
        by_kind: dict[tuple[str, str], list[Api]] = {}
        for api in self.apis:
            by_kind.setdefault(api.key, []).append(api)
        return by_kind

    def find(self, group: str, kind: str, version: str = "") -> Api | None:
        """A kind, in a version if the server has it there."""
        of_kind = self._by_kind.get((group, kind), [])
        exact = [api for api in of_kind if api.version == version]
        return next(iter(exact or of_kind), None)


def discover(client: Client) -> Discovery:
    """Ask the server for its groups, and then for the kinds of each version."""
    versions = [
        ("", core_version) for core_version in texts(mapping(client.get("/api")).get("versions"))
    ]
    if not versions:  # every cluster has v1: without it, all of its objects would be missing
        raise HttpError("answered without any version of its API", where="/api")
    versions += _versions(client.get("/apis"))
    with ThreadPoolExecutor(AT_ONCE) as pool:
        answers = list(pool.map(lambda version: _kinds(client, *version), versions))
    silent = {group for (group, _), apis in zip(versions, answers, strict=True) if apis is None}
    apis = [api for apis in answers for api in apis or ()]
    return Discovery(tuple(apis), frozenset(silent))


def _versions(answer: object) -> Iterator[tuple[str, str]]:
    for group in mappings(mapping(answer).get("groups")):
        first = text(mapping(group.get("preferredVersion")).get("version"))
        names = [text(entry.get("version")) for entry in mappings(group.get("versions"))]
        yield from ((text(group.get("name")), name) for name in sorted(names, key=first.__ne__))


def _kinds(client: Client, group: str, version: str) -> list[Api] | None:
    try:
        resources = mapping(client.get(_root(group, version))).get("resources")
    except NotFound:
        return []  # it has gone in the meantime
    except HttpError as error:
        log.info("the kinds of %s/%s are not known: %s", group, version, error)
        return None
    if not isinstance(resources, list):
        log.info("the kinds of %s/%s are not known: the answer lists none", group, version)
        return None
    return [
        Api(
            *(group, version, text(resource.get("kind")), text(resource.get("name"))),
            namespaced=resource.get("namespaced") is True,
            verbs=frozenset(texts(resource.get("verbs"))),
        )
        for resource in mappings(resources)
        if "/" not in text(resource.get("name"))  # else it is a part of another one
    ]


def _root(group: str, version: str) -> str:
    return f"/apis/{group}/{version}" if group else f"/api/{version}"
