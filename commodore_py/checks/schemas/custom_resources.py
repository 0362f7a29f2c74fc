"""Custom resources, validated by the definitions that are in the same catalog."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from commodore_py.checks.base import Issue, Unavailable
from commodore_py.manifests.objects import items as items_of
from commodore_py.manifests.objects import mapping

from .definitions import definitions_in
from .kubernetes import schemas_of, version_for
from .validation import EXTRA, is_installed, issues_of, validator_of_definition

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from jsonschema_rs import Validator

    from commodore_py.checks.base import Item, Settings

    from .definitions import Definition

NAME = "custom-resources"
_OBJECT_FIELDS: dict[str, Any] = {
    "apiVersion": {"type": "string"},
    "kind": {"type": "string"},
    "metadata": {"type": "object"},
}
_REFERENCES = ("$ref", "$schema", "id", "$id")


def check(items: Sequence[Item], settings: Settings) -> Iterator[tuple[Item, Issue]]:
    """Definitions that cannot be used; version, scope and fields of each object."""
    if not is_installed():
        raise Unavailable(EXTRA)
    listed = tuple(definitions_in(items))
    definitions = {definition.of: definition for definition in listed}
    for definition in listed:
        for issue in _bad_versions(definition):
            yield definition.item, issue
    for item in items:
        group, _, version = item.api_version.rpartition("/")
        if of_kind := definitions.get((group, item.id.kind)):
            for issue in _issues(item, version, of_kind, settings):
                yield item, issue


def _issues(
    item: Item, version: str, definition: Definition, settings: Settings
) -> Iterator[Issue]:
    if version not in definition.served:
        yield Issue(
            "custom-resources/not-served",
            f"the definition does not serve version {version}",
            "apiVersion",
            subject=version,
            options=definition.served,
            value=item.api_version,
        )
        return
    metadata = mapping(item.content.get("metadata"))
    if definition.scope == "Cluster" and metadata.get("namespace"):
        yield Issue(
            "custom-resources/wrong-scope",
            "objects of this kind have no namespace",
            "metadata.namespace",
            "remove the namespace",
            severity="warning",
        )
    validated = _validator(definition.schemas[version])
    if validated is not None:
        schema, validator = validated
        # The server drops the status of an object that is applied.
        content = {key: value for key, value in item.content.items() if key != "status"}
        yield from issues_of(NAME, validator, content, schema)
    kubernetes = version_for(settings.version)
    if kubernetes is not None:
        schemas = schemas_of(kubernetes)
        for issue in issues_of(NAME, schemas.of_metadata(), metadata, schemas.definitions):
            yield replace(issue, field=f"metadata.{issue.field}".rstrip("."))


def _bad_versions(definition: Definition) -> Iterator[Issue]:
    """Versions whose schema cannot be used."""
    for name, schema in definition.schemas.items():
        if schema == "null":
            text = f"version {name} has no schema: the API server rejects the definition"
            yield Issue("custom-resources/bad-definition", text, "spec.versions")
        elif _validator(schema) is None:
            text = f"the schema of version {name} cannot be used: its objects are not validated"
            yield Issue("custom-resources/bad-definition", text, "spec.versions")


@lru_cache(maxsize=512)
def _validator(text: str) -> tuple[Mapping[str, Any], Validator] | None:
    """A structural schema and its validator; None if it is not a usable one."""
    content = json.loads(text)
    if not isinstance(content, dict):
        return None
    schema = _strict(_without_references(content))
    schema["properties"] = {**schema.get("properties", {}), **_OBJECT_FIELDS}
    schema["required"] = [name for name in items_of(schema.get("required")) if name != "status"]
    if not schema["required"]:
        del schema["required"]
    try:
        return schema, validator_of_definition(schema)
    except ValueError:  # a pattern that the library does not support
        return None


def _without_references(schema: Any) -> Any:  # noqa: ANN401 - a part of a definition
    """A schema without what would have a validator fetch others; structural ones have none."""
    if isinstance(schema, list):
        return [_without_references(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: _without_references(part)
        for key, part in schema.items()
        if not (key in _REFERENCES and isinstance(part, str))
    }


def _strict(schema: Any) -> dict[str, Any]:  # noqa: ANN401 - a part of a definition
    """A structural schema as JSON Schema in which unknown fields are errors.

    Its `allOf`, `anyOf`, `oneOf` and `not` list only some fields and stay as they are.
    """
    if not isinstance(schema, dict):
        return {}
    strict = dict(schema)
    kind = ["integer", "string"] if schema.get("x-kubernetes-int-or-string") else schema.get("type")
    kinds = kind if isinstance(kind, list) else [kind] if isinstance(kind, str) else []
    nullable = [None] if schema.get("nullable") else []
    if kinds:
        strict["type"] = [*kinds, "null"] if nullable else kinds
    if isinstance(schema.get("enum"), list):
        strict["enum"] = [*schema["enum"], *nullable]
    if isinstance(schema.get("properties"), dict):
        strict["properties"] = {
            name: _strict(field) for name, field in schema["properties"].items()
        }
    else:
        strict.pop("properties", None)
    if isinstance(schema.get("items"), dict):
        strict["items"] = _strict(schema["items"])
    others = schema.get("additionalProperties")
    if schema.get("x-kubernetes-embedded-resource"):
        strict["properties"] = {**strict.get("properties", {}), **_OBJECT_FIELDS}
    if isinstance(others, dict):
        strict["additionalProperties"] = _strict(others)
    elif "object" in kinds and not schema.get("x-kubernetes-preserve-unknown-fields"):
        # The fields are listed even if there are none: an error names each unknown one.
        strict["properties"] = strict.get("properties", {})
        strict["additionalProperties"] = others is True
    return strict
