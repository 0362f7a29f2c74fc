"""Objects of Kubernetes' own kinds, validated by the published schemas of a version."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import json_text
from commodore_py.adapters.reading import content_of
from commodore_py.checks.base import Issue, Unavailable, Version

from .definitions import definitions_in
from .validation import EXTRA, is_installed, issues_of, validator_of_kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from jsonschema_rs import Validator

    from commodore_py.checks.base import Item, Settings

NAME = "kubernetes-schema"
OLDEST = Version(1, 25)
_LARGEST = 64 << 20
_METADATA = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"


class Schemas:
    """The schemas of one version of Kubernetes."""

    def __init__(self, file: Path) -> None:
        content = json_text.load(content_of(file, limit=_LARGEST), name=str(file), levels=200)
        self.definitions: dict[str, Any] = content
        self._names = {
            (kind["group"], kind["version"], kind["kind"]): name
            for name, definition in content["$defs"].items()
            if "metadata" in definition.get("properties", {})
            for kind in definition.get("x-kubernetes-group-version-kind", ())
        }
        self._validators: dict[str, Validator] = {}

    def knows(self, api_version: str, kind: str) -> bool:
        """Return whether there is a schema for a kind."""
        return _key(api_version, kind) in self._names

    def of(self, api_version: str, kind: str) -> Validator:
        """The validator of a kind."""
        return self._validator(self._names[_key(api_version, kind)])

    def of_metadata(self) -> Validator:
        """The validator of the metadata that all objects have."""
        return self._validator(_METADATA)

    def _validator(self, name: str) -> Validator:
        if name not in self._validators:
            self._validators[name] = validator_of_kind(self.definitions, name)
        return self._validators[name]


def _key(api_version: str, kind: str) -> tuple[str, str, str]:
    group, _, version = api_version.rpartition("/")
    return group, version, kind


def _directory() -> Path | None:
    """The directory of the schemas; None if they are not installed."""
    package = find_spec("kubernetes_validate")
    if package is None or package.origin is None:
        return None
    return Path(package.origin).parent / "kubernetes-json-schema"


@lru_cache(maxsize=64)
def version_for(version: Version | None) -> Version | None:
    """The version whose schemas are used; None without any that fit."""
    directory = _directory()
    if directory is None:
        return None
    names = (re.fullmatch(r"v1\.(\d+)\.0-local-strict", path.name) for path in directory.iterdir())
    minors = sorted(int(name[1]) for name in names if name)
    if not minors or (version is not None and version < OLDEST):
        return None
    if version is None or version.minor >= minors[-1]:
        return Version(1, minors[-1])
    return Version(1, max(minor for minor in minors if minor <= version.minor))


@lru_cache(maxsize=2)
def schemas_of(version: Version) -> Schemas:
    """The schemas of an installed version."""
    directory = _directory()
    if directory is None:
        raise ValueError(EXTRA)
    return Schemas(directory / f"v{version}.0-local-strict" / "_definitions.json")


def check(items: Sequence[Item], settings: Settings) -> Iterator[tuple[Item | None, Issue]]:
    """The fields of each object; a definition in the catalog takes precedence."""
    if not is_installed() or _directory() is None:
        raise Unavailable(EXTRA)
    version = version_for(settings.version)
    if version is None:
        raise Unavailable(f"there are no schemas for Kubernetes {settings.version}", "unchecked")
    if version != settings.version:
        why = f"there are none for {settings.version}" if settings.version else "none is reported"
        text = f"the schemas of Kubernetes {version} are used: {why}"
        yield None, Issue("kubernetes-schema/version", text, subject=NAME)
    schemas = schemas_of(version)
    defined = {definition.of for definition in definitions_in(items)}
    for item in items:
        if (item.api_version.rpartition("/")[0], item.id.kind) not in defined:
            for issue in _issues(item, schemas):
                yield item, issue


def _issues(item: Item, schemas: Schemas) -> Iterator[Issue]:
    api_version, kind = item.api_version, item.id.kind
    if not schemas.knows(api_version, kind):
        yield Issue(
            "kubernetes-schema/unknown-kind",
            f"there is no schema for {kind} of {api_version}",
            "apiVersion",
            "add its definition to the catalog" if "." in api_version else "",
            subject=f"{api_version} {kind}",
        )
        return
    # The server drops the status of an object that is applied.
    content = {key: value for key, value in item.content.items() if key != "status"}
    yield from issues_of(NAME, schemas.of(api_version, kind), content, schemas.definitions)
