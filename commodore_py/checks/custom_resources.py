"""Custom resources, compared with the definitions that are in the same catalog."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from .base import Issue, items, mapping
from .formats.names import name_issues
from .formats.paths import PATH_SEGMENT
from .kubernetes.rules import ranged
from .schemas import EXTRA, FORMAT, is_installed, issues_of, validator_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from jsonschema_rs import Validator

    from .base import Content, Context, Item

NAME = "custom-resources"
DEFINITION = "CustomResourceDefinition"
_TEXTS = {"type": ["object", "null"], "additionalProperties": {"type": ["string", "null"]}}
_TEXT, _NUMBER = {"type": ["string", "null"]}, {"type": ["integer", "null"]}
_TIME = {**_TEXT, "format": f"{FORMAT}time"}
_OWNER = {
    "type": "object",
    "required": ["apiVersion", "kind", "name", "uid"],
    "properties": {
        **{key: {"type": "string"} for key in ("apiVersion", "kind", "name", "uid")},
        **{key: {"type": ["boolean", "null"]} for key in ("controller", "blockOwnerDeletion")},
    },
    "additionalProperties": False,
}
_META: dict[str, Any] = {
    "type": "object",
    "properties": {
        **dict.fromkeys(
            ("name", "generateName", "namespace", "selfLink", "uid", "resourceVersion"), _TEXT
        ),
        **dict.fromkeys(("generation", "deletionGracePeriodSeconds"), _NUMBER),
        **dict.fromkeys(("creationTimestamp", "deletionTimestamp"), _TIME),
        "labels": _TEXTS,
        "annotations": _TEXTS,
        "finalizers": {"type": ["array", "null"], "items": _TEXT},
        "ownerReferences": {"type": ["array", "null"], "items": _OWNER},
        "managedFields": {},
    },
    "additionalProperties": False,
}
"""The server decodes the metadata of all objects in the same way, whatever a definition says."""
_OBJECT_FIELDS = {
    "apiVersion": {"type": "string"},
    "kind": {"type": "string"},
    "metadata": {"type": "object"},
}
_EMBEDDED_FIELDS = {
    "apiVersion": {"type": "string", "pattern": "^([^/]*/)?[^/]+$"},
    "kind": {"type": "string", "pattern": "^[A-Za-z]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?$"},
    "metadata": {
        **_META,
        "type": ["object", "null"],
        "properties": {**_META["properties"], "name": {**_TEXT, "pattern": PATH_SEGMENT}},
    },
}
_COPIED = (
    *("maximum", "minimum", "maxLength", "minLength", "pattern", "maxItems", "minItems"),
    *("uniqueItems", "multipleOf", "maxProperties", "minProperties", "required"),
)
_NESTED = ("allOf", "anyOf", "oneOf")
_DEEPEST = 100


def definition_of(content: Content) -> Any:  # noqa: ANN401 - plain data
    """What a definition says about a kind; None for other objects."""
    if content["kind"] != DEFINITION or content["apiVersion"] != "apiextensions.k8s.io/v1":
        return None
    spec = mapping(content.get("spec"))
    versions = {
        str(one.get("name")): {
            "served": one.get("served") is True,
            "status": "status" in mapping(one.get("subresources")),
            "schema": json.dumps(mapping(one.get("schema")).get("openAPIV3Schema"), sort_keys=True),
        }
        for one in items(spec.get("versions"))
        if isinstance(one, dict)
    }
    return {
        "group": str(spec.get("group")),
        "kind": str(mapping(spec.get("names")).get("kind")),
        "scope": str(spec.get("scope")),
        "versions": versions,
    }


def unavailable(_context: Context) -> str:
    """Whether the validator is installed."""
    return "" if is_installed() else EXTRA


def examine(content: Content, context: Context) -> Iterable[Issue]:
    """Version, scope and fields of an object."""
    group, _, version = content["apiVersion"].rpartition("/")
    definition = context.definitions.get((group, content["kind"]))
    if definition is None:
        return
    versions = definition["versions"]
    served = tuple(name for name, one in versions.items() if one["served"])
    if version not in served:
        yield Issue(
            "custom-resources/not-served",
            f"the definition does not serve version {version}",
            "apiVersion",
            subject=version,
            options=served,
            value=content["apiVersion"],
        )
        return
    metadata = mapping(content.get("metadata"))
    if definition["scope"] == "Cluster" and metadata.get("namespace"):
        yield Issue(
            "custom-resources/wrong-scope",
            "objects of this kind have no namespace",
            "metadata.namespace",
            "remove the namespace",
            severity="warning",
        )
    made = _validator(versions[version]["schema"], drops_status=versions[version]["status"])
    if made is not None:
        schema, validator = made
        if not validator.is_valid(content):
            content = _without_nulls(content, json.loads(versions[version]["schema"]))
        yield from issues_of(NAME, validator, content, schema)
    yield from name_issues(NAME, content)


def bad_definitions(definitions: Sequence[Item]) -> Iterator[tuple[Item, Issue]]:
    """Definitions with a version whose schema cannot be used."""
    for item in definitions:
        for name, version in (item.fact or {}).get("versions", {}).items():
            if version["schema"] == "null":
                text = f"version {name} has no schema: the API server rejects the definition"
                yield item, Issue("custom-resources/bad-definition", text, "spec.versions")


def _without_nulls(value: Any, schema: Any) -> Any:  # noqa: ANN401 - parts of both
    """An object as the server validates it: fields that are null and may not be are absent."""
    if isinstance(value, list):
        return [_without_nulls(one, mapping(schema).get("items")) for one in value]
    if not isinstance(value, dict) or not isinstance(schema, dict):
        return value
    fields, more = mapping(schema.get("properties")), schema.get("additionalProperties")
    found = {}
    for key, one in value.items():
        rule = mapping(fields.get(key, more))
        if one is not None or not rule or rule.get("nullable"):
            found[key] = _without_nulls(one, rule)
    return found


@lru_cache(maxsize=512)
def _validator(schema: str, *, drops_status: bool) -> tuple[Mapping[str, Any], Validator] | None:
    """The validator of a structural schema; None if it is not a usable one."""
    content = json.loads(schema)
    if not isinstance(content, dict):
        return None
    root = _converted(content, 0)
    fields = root.setdefault("properties", {})
    fields.update({**_OBJECT_FIELDS, "metadata": _META})
    if drops_status and "status" in fields:
        fields["status"] = _known_fields(fields["status"])
        root["required"] = [one for one in root.get("required", ()) if one != "status"]
    try:
        return root, validator_of(root, keywords={KEYWORD: Distinct})
    except ValueError:  # a pattern that the library does not know
        return None


def _converted(schema: Any, level: int) -> dict[str, Any]:  # noqa: ANN401 - a part of a definition
    """A structural schema as JSON Schema in which unknown fields are errors."""
    if not isinstance(schema, dict) or level > _DEEPEST:
        return {}
    # Whatever the format, the server has no longer integers.
    found = {**ranged({"format": "int64", **schema}), **_rules(schema, level)}
    kind = schema.get("type")
    if schema.get("x-kubernetes-int-or-string"):
        kind = ["integer", "string"]
    kinds = kind if isinstance(kind, list) else [kind] if isinstance(kind, str) else []
    if kinds:
        found["type"] = [*kinds, "null"] if schema.get("nullable") else kinds
    if isinstance(schema.get("enum"), list):
        found["enum"] = [*schema["enum"], *([None] if schema.get("nullable") else [])]
    properties = mapping(schema.get("properties"))
    more = schema.get("additionalProperties")
    keeps = schema.get("x-kubernetes-preserve-unknown-fields") is True
    if properties:
        found["properties"] = {key: _converted(one, level + 1) for key, one in properties.items()}
    if schema.get("x-kubernetes-embedded-resource"):
        found["properties"] = {**found.get("properties", {}), **_EMBEDDED_FIELDS}
        found["required"] = sorted({*found.get("required", ()), "apiVersion", "kind"})
    if isinstance(more, dict):
        found["additionalProperties"] = _converted(more, level + 1)
    elif "object" in kinds and more is not True and not keeps:
        # The fields are listed even if there are none: errors name each that is unknown.
        found = {"properties": {}, **found, "additionalProperties": False}
    if isinstance(schema.get("items"), dict):
        found["items"] = _converted(schema["items"], level + 1)
        found |= distinct(schema)
    return found


def _known_fields(schema: Any) -> Any:  # noqa: ANN401 - a part of a converted schema
    """What is left of the schema of a status: the server drops it, but refuses unknown fields."""
    if not isinstance(schema, dict):
        return schema
    found: dict[str, Any] = {}
    if "properties" in schema:
        found["properties"] = {key: _known_fields(one) for key, one in schema["properties"].items()}
    for key in ("additionalProperties", "items"):
        if key in schema:
            found[key] = _known_fields(schema[key])
    # Of values that are not mappings, every field is unknown.
    if "type" in schema and "object" not in schema["type"]:
        found |= {"properties": {}, "additionalProperties": False}
    return found


def _rules(schema: Mapping[str, Any], level: int) -> dict[str, Any]:
    """What a schema says about values."""
    found = {key: schema[key] for key in _COPIED if schema.get(key) is not None}
    for limit, exclusive in (("maximum", "exclusiveMaximum"), ("minimum", "exclusiveMinimum")):
        if schema.get(exclusive) is True and limit in found:
            found[exclusive] = found.pop(limit)
    for key in _NESTED:
        if isinstance(schema.get(key), list):
            found[key] = [_value_rules(one, level + 1) for one in schema[key]]
    if isinstance(schema.get("not"), dict):
        found["not"] = _value_rules(schema["not"], level + 1)
    if schema.get("format") == "date-time":
        found["format"] = f"{FORMAT}time"
    elif schema.get("format") in ("byte", "duration"):
        found["format"] = f"{FORMAT}{schema['format']}"
    return found


def _value_rules(schema: Any, level: int) -> dict[str, Any]:  # noqa: ANN401 - as above
    """A part that says something about values only: it does not list all fields."""
    if not isinstance(schema, dict) or level > _DEEPEST:
        return {}
    found = _rules(schema, level)
    if isinstance(schema.get("type"), str):
        found["type"] = schema["type"]
    if isinstance(schema.get("enum"), list):
        found["enum"] = schema["enum"]
    if isinstance(schema.get("properties"), dict):
        found["properties"] = {
            key: _value_rules(one, level + 1) for key, one in schema["properties"].items()
        }
    if isinstance(schema.get("items"), dict):
        found["items"] = _value_rules(schema["items"], level + 1)
    return found


KEYWORD = "x-commodore-distinct"
"""In schemas: the fields with their defaults; null for items that differ altogether."""


def distinct(schema: Mapping[str, Any]) -> dict[str, Any]:
    """What a structural schema says about the items of a list."""
    kind = schema.get("x-kubernetes-list-type")
    if kind not in ("map", "set"):
        return {}
    if kind == "set":
        return {KEYWORD: None}
    fields = mapping(mapping(schema.get("items")).get("properties"))
    keys = map(str, items(schema.get("x-kubernetes-list-map-keys")))
    return {KEYWORD: {key: mapping(fields.get(key)).get("default") for key in keys}}


class Distinct:
    """The rule, as the validator calls it."""

    def __init__(self, _parent: object, value: Any, _path: Sequence[object]) -> None:  # noqa: ANN401 - of a schema
        self._keys: Mapping[str, Any] | None = value

    def validate(self, instance: object) -> None:
        """Raise an error with the number of an item that is in the list before."""
        seen: set[str] = set()
        for number, one in enumerate(items(instance)):
            value = one
            if self._keys is not None:
                given = mapping(one)
                value = [given.get(key, default) for key, default in self._keys.items()]
            text = json.dumps(value, sort_keys=True, default=str)
            if text in seen:
                same = " and ".join(self._keys) if self._keys is not None else "value"
                message = f"item {number} has the same {same} as another one"
                raise ValueError(message)
            seen.add(text)
