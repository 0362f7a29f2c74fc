"""Objects of Kubernetes' own kinds, compared with the schemas of a version."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import json_text
from commodore_py.adapters.reading import content_of
from commodore_py.checks.base import Issue, Version, mapping
from commodore_py.checks.formats.names import name_issues
from commodore_py.checks.schemas import EXTRA, FORMAT, MOST, is_installed, issues_of, validator_of

from .consistency import consistency_issues
from .rules import PLAIN, ranged, refined

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from jsonschema_rs import Validator

    from commodore_py.checks.base import Content, Context

NAME = "kubernetes-schema"
WRONG_TYPE = f"{NAME}/wrong-type"
OLDEST = Version(1, 25)
_LARGEST = 64 << 20
_REF = "$ref"
_REPLACED: dict[str, dict[str, Any]] = {
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": {
        "type": ["string", "integer", "null"],
        **ranged({"type": "integer", "format": "int32"}),
    },
    "io.k8s.apimachinery.pkg.api.resource.Quantity": {
        "type": ["string", "number", "null"],
        "format": f"{FORMAT}quantity",
    },
    "io.k8s.apimachinery.pkg.apis.meta.v1.Time": {
        "type": ["string", "null"],
        "format": f"{FORMAT}time",
    },
    "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime": {
        "type": ["string", "null"],
        "format": f"{FORMAT}micro-time",
    },
    "io.k8s.apimachinery.pkg.runtime.RawExtension": {"type": ["object", "null"]},
    "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON": {},
    "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray": {},
    "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool": {},
    "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrStringArray": {},
}


_DECODED = (WRONG_TYPE, f"{NAME}/unknown-field")
"""What is wrong with fields that the server decodes, but does not keep."""


class Schemas:
    """The schemas of one version of Kubernetes."""

    def __init__(self, file: Path, version: Version) -> None:
        self._version = version
        content = json_text.load(content_of(file, limit=_LARGEST), name=str(file), levels=200)
        self._definitions: Mapping[str, Any] = content["$defs"]
        self._names = {
            (one["group"], one["version"], one["kind"]): name
            for name, definition in self._definitions.items()
            if "metadata" in definition.get("properties", {})
            for one in definition.get("x-kubernetes-group-version-kind", ())
        }
        self.groups = frozenset(group for group, _, _ in self._names)
        self._made: dict[str, tuple[dict[str, Any], Validator]] = {}

    def knows(self, api_version: str, kind: str) -> bool:
        """Whether there is a schema for a kind."""
        return self._name(api_version, kind) in self._definitions

    def _name(self, api_version: str, kind: str) -> str:
        group, _, version = api_version.rpartition("/")
        return str(self._names.get((group, version, kind), ""))

    def of(self, api_version: str, kind: str) -> tuple[dict[str, Any], Validator]:
        """The schema of a kind, and its validator."""
        name = self._name(api_version, kind)
        if name not in self._made:
            schema = self._schema(name)
            self._made[name] = schema, validator_of(schema)
        return self._made[name]

    def _schema(self, name: str) -> dict[str, Any]:
        """A definition with those that it needs."""
        needed: dict[str, Any] = {}
        waiting = [name]
        while waiting:
            one = waiting.pop()
            if one not in needed:
                needed[one] = _REPLACED.get(one) or self._refined(one, waiting)
        for definition in needed.values():
            fields = definition.get("properties", {})
            for one in (
                *(fields[name] for name in definition.get("required", ())),
                *(mapping(field.get("items")) for field in fields.values()),
            ):
                # To servers, null is an empty object here.
                demands = needed.get(one.get(_REF, "").rpartition("/")[2], ())
                if any(key in demands for key in ("required", "oneOf", "anyOf")):
                    one["type"] = "object"
        return {"$ref": f"#/$defs/{name}", "$defs": needed}

    def _refined(self, name: str, waiting: list[str]) -> dict[str, Any]:
        """A definition with the rules of servers, unless it is used without."""
        known = name.removesuffix(PLAIN)
        definition: dict[str, Any] = _reduced(self._definitions[known], waiting)
        if known != name:
            return definition
        found = refined(name, definition, self._version)
        references = (one.get(_REF, "") for one in found.get("properties", {}).values())
        waiting += [one.rpartition("/")[2] for one in references if one.endswith(PLAIN)]
        return found


def _without_nulls(value: Any) -> Any:  # noqa: ANN401 - any value
    if isinstance(value, dict):
        return {key: _without_nulls(one) for key, one in value.items() if one is not None}
    if isinstance(value, list):
        return [_without_nulls(one) for one in value if one is not None]
    return value


def _reduced(definition: Any, waiting: list[str]) -> Any:  # noqa: ANN401 - a part of a schema
    """A schema without what is for people, whose references are local."""
    if isinstance(definition, list):
        return [_reduced(one, waiting) for one in definition]
    if not isinstance(definition, dict):
        return definition
    if isinstance(definition.get(_REF), str):
        name = definition[_REF].rpartition("/")[2]
        waiting.append(name)
        return {_REF: f"#/$defs/{name}"}
    found: dict[str, Any] = dict(ranged(definition))
    for key, value in definition.items():
        if key in ("description", "title") and isinstance(value, str):
            continue
        if key.startswith("x-kubernetes"):
            continue
        if key == "format" and value in ("date-time", "int32", "int64", "double"):
            continue
        if key == "enum" and isinstance(value, list):
            found[key] = [*value, None]
            continue
        found[key] = (
            {name: _reduced(inner, waiting) for name, inner in value.items()}
            if key == "properties"
            else _reduced(value, waiting)
        )
    return found


@lru_cache(maxsize=1)
def folder() -> Path | None:
    """Where the schemas are; None if they are not installed."""
    from importlib.util import find_spec

    found = find_spec("kubernetes_validate")
    if found is None or found.origin is None:
        return None
    return Path(found.origin).parent / "kubernetes-json-schema"


@lru_cache(maxsize=64)
def version_for(wanted: Version | None) -> Version | None:
    """The version whose schemas are used; None without any that fit."""
    there = folder()
    if there is None:
        return None
    names = (re.fullmatch(r"v1\.(\d+)\.0-local-strict", path.name) for path in there.iterdir())
    minors = sorted(int(found[1]) for found in names if found)
    if not minors or (wanted is not None and wanted < OLDEST):
        return None
    if wanted is None or wanted.minor >= minors[-1]:
        return Version(1, minors[-1])
    return Version(1, max(one for one in minors if one <= wanted.minor))


@lru_cache(maxsize=2)
def schemas_of(version: Version) -> Schemas:
    """The schemas of a version that is there."""
    there = folder()
    if there is None:
        raise ValueError(EXTRA)
    return Schemas(there / f"v{version}.0-local-strict" / "_definitions.json", version)


def unavailable(context: Context) -> str:
    """Whether validator and schemas are installed, and fit."""
    if not is_installed() or folder() is None:
        return EXTRA
    if version_for(context.version) is None:
        return f"there are no schemas for Kubernetes {context.version}"
    return ""


def notice(context: Context) -> str:
    """Why the schemas are not those of the cluster; empty if they are."""
    used = version_for(context.version)
    if used is None or used == context.version:
        return ""
    why = f"there are none for {context.version}" if context.version else "none is reported"
    return f"the schemas of Kubernetes {used} are used: {why}"


def used(context: Context) -> Version | None:
    """The version whose schemas are used; None where there are none that fit."""
    return version_for(context.version)


def examine(content: Content, context: Context) -> Iterable[Issue]:
    """Fields and names of an object."""
    version = version_for(context.version)
    api_version, kind = content["apiVersion"], content["kind"]
    # A definition in the catalog takes precedence.
    if version is None or (api_version.rpartition("/")[0], kind) in context.definitions:
        return
    schemas = schemas_of(version)
    if not schemas.knows(api_version, kind):
        yield Issue(
            "kubernetes-schema/unknown-kind",
            f"there is no schema for {kind} of {api_version}",
            "apiVersion",
            "add its definition to the catalog" if "." in api_version else "",
            subject=f"{api_version} {kind}",
        )
        return
    schema, validator = schemas.of(api_version, kind)
    if "status" in content:
        # The server decodes it, and then drops it.
        content = {**content, "status": _without_nulls(content["status"])}
    found = [
        one
        for one in issues_of(NAME, validator, content, schema)
        if one.code in _DECODED or not f"{one.field}.".startswith(("status.", "status["))
    ]
    yield from found
    yield from name_issues(NAME, content, version)
    # Parts are compared where each has its type; more errors than are shown may be of types.
    if len(found) < MOST and not any(one.code == WRONG_TYPE for one in found):
        yield from consistency_issues(content)
