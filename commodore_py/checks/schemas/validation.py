"""Objects validated by JSON Schema, and the errors of the validator as issues."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from commodore_py.checks.base import Issue
from commodore_py.manifests.objects import mapping
from commodore_py.model.names import did_you_mean, nearest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from jsonschema_rs import ValidationError, Validator

    from commodore_py.checks.base import Content

EXTRA = "install commodore-py with the extra checks"
SHOWN_ERRORS = 20
"""Errors of an object that are reported."""
_MASK = "the value"
_TYPES = {
    "null": "null",
    "string": "a string",
    "boolean": "a boolean",
    "integer": "an integer",
    "number": "a number",
    "array": "a list",
    "object": "a mapping",
}


def is_installed() -> bool:
    """Return whether the validator of the extra `checks` is installed."""
    return find_spec("jsonschema_rs") is not None


def validator_of_kind(definitions: dict[str, Any], name: str) -> Validator:
    """A validator for a definition of a published file."""
    import jsonschema_rs

    uri = "urn:definitions"
    return jsonschema_rs.Draft202012Validator(
        {"$ref": f"{uri}#/$defs/{name}"},
        registry=jsonschema_rs.Registry([(uri, definitions)]),
        validate_formats=False,
        mask=_MASK,
    )


def validator_of_definition(schema: dict[str, Any]) -> Validator:
    """A validator for the schema of a custom resource: `exclusiveMinimum` is a boolean there."""
    import jsonschema_rs

    return jsonschema_rs.Draft4Validator(
        schema, validate_formats=False, mask=_MASK, retriever=_refuse_to_fetch
    )


def _refuse_to_fetch(uri: str) -> Any:  # noqa: ANN401 - it raises
    raise ValueError(f"{uri} is not fetched")


def issues_of(
    area: str, validator: Validator, content: Content, schema: Mapping[str, Any]
) -> Iterator[Issue]:
    """The errors of an object; messages contain no value of it.

    As API servers do, fields that are null are treated as absent.
    """
    if validator.is_valid(content):
        return
    hides_values = str(content.get("kind")).casefold() == "secret"
    for number, error in enumerate(validator.iter_errors(_without_nulls(content))):
        if number == SHOWN_ERRORS:
            return
        yield from _issues(area, error, schema, hides_values=hides_values)


def as_json(value: Any) -> Any:  # noqa: ANN401 - any value
    """The value as an API server reads it: dates are strings, and so are all keys."""
    if isinstance(value, dict):
        return {
            key if isinstance(key, str) else _scalar_text(key): as_json(inner)
            for key, inner in value.items()
        }
    if isinstance(value, list | tuple):
        return [as_json(inner) for inner in value]
    if value is None or isinstance(value, str | bool | int | float):
        return value if value == value else str(value)  # noqa: PLR0124 - not a number
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _without_nulls(value: Any) -> Any:  # noqa: ANN401 - any value
    if isinstance(value, dict):
        return {key: _without_nulls(inner) for key, inner in value.items() if inner is not None}
    return [_without_nulls(inner) for inner in value] if isinstance(value, list) else value


def _issues(
    area: str, error: ValidationError, schema: Mapping[str, Any], *, hides_values: bool
) -> Iterator[Issue]:
    about: Any = error.kind
    path = list(error.instance_path)
    field = written(path)
    is_plain = isinstance(error.instance, str | int | float) and not hides_values
    value = _scalar_text(error.instance) if is_plain else ""
    if types := _accepted_types(error):
        expected = " or ".join(_TYPES.get(name, name) for name in types)
        text = f"it is {_type_of(error.instance)}, not {expected}"
        yield Issue(f"{area}/wrong-type", text, field, subject=field, value=value)
        return
    match type(about).__name__:
        case "Required":
            missing = str(about.property)
            text = f"the required field {missing} is missing"
            yield Issue(f"{area}/missing-field", text, field, subject=missing)
        case "AdditionalProperties":
            fields = list(mapping(_at(schema, error.schema_path[:-1]).get("properties")))
            for name in about.unexpected:
                near = nearest(str(name), fields)
                yield Issue(
                    f"{area}/unknown-field",
                    f"unknown field {name}",
                    written([*path, name]),
                    did_you_mean(str(name), fields),
                    subject=str(name),
                    options=tuple(near),
                )
        case "Enum":
            options = tuple(str(option) for option in about.options if option is not None)
            text = "the value is not one of those that are accepted"
            yield Issue(
                f"{area}/wrong-value", text, field, subject=field, options=options, value=value
            )
        case "OneOfMultipleValid":
            text = "only one of the alternatives may be set"
            yield Issue(f"{area}/wrong-value", text, field, subject=field, value=value)
        case _:
            yield Issue(f"{area}/wrong-value", error.message, field, subject=field, value=value)


def _accepted_types(error: ValidationError) -> list[str]:
    """The types of which a value should be; empty if its type is not the problem."""
    about: Any = error.kind
    if type(about).__name__ == "Type":
        return [name for name in about.types if name != "null"]
    if type(about).__name__ not in ("AnyOf", "OneOfNotValid"):
        return []
    alternatives = [_accepted_types(inner) for errors in about.context for inner in errors[:1]]
    return [name for names in alternatives for name in names] if all(alternatives) else []


def _type_of(value: object) -> str:
    for kind, name in (
        (bool, "boolean"),
        (int, "integer"),
        (float, "number"),
        (str, "string"),
        (dict, "object"),
        (list, "array"),
    ):
        if isinstance(value, kind):
            return _TYPES[name]
    return _TYPES["null"]


def _scalar_text(value: object) -> str:
    """A scalar as JSON has it."""
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _at(schema: Mapping[str, Any], path: Sequence[Any]) -> Mapping[str, Any]:
    """A part of a schema."""
    part: Any = schema
    for step in path:
        part = part[step]
    return mapping(part)


def written(path: Sequence[object]) -> str:
    """A path as people write it."""
    text = ""
    for step in path:
        if isinstance(step, int) and not isinstance(step, bool):
            text += f"[{step}]"
        else:
            text += f".{step}" if text else str(step)
    return text
