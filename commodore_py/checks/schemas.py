"""Validators for kinds of objects: made from schemas, and their errors as issues."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from .base import Issue, items, mapping
from .formats.texts import FORMATS, accepts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from jsonschema_rs import KeywordValidator, ValidationError, Validator

    from .base import Content

EXTRA = "install commodore-py with the extra checks"
FORMAT = "k8s-"
"""What our formats begin with: JSON Schema has others of the same names."""
_WORDS = {
    "null": "null",
    "string": "a string",
    "boolean": "a boolean",
    "integer": "an integer",
    "number": "a number",
    "array": "a list",
    "object": "a mapping",
}
_NONE: tuple[object, ...] = (None, "", 0, [])
_SCALARS = {str, int, bool, type(None)}
MOST = 20
"""Errors of one object that are shown."""


def is_installed() -> bool:
    """Whether the library that validates is there."""
    from importlib.util import find_spec

    return find_spec("jsonschema_rs") is not None


def validator_of(
    schema: Mapping[str, Any], keywords: Mapping[str, type[KeywordValidator]] | None = None
) -> Validator:
    """A validator; formats are ours, as the API server has other rules than JSON Schema."""
    import jsonschema_rs

    return jsonschema_rs.Draft202012Validator(
        dict(schema),
        validate_formats=True,
        formats={
            **{f"{FORMAT}{name}": accepts(name) for name in FORMATS},
            "byte": accepts("byte"),
        },
        ignore_unknown_formats=True,
        keywords=dict(keywords or {}),
    )


def issues_of(
    area: str, validator: Validator, content: Content, schema: Mapping[str, Any]
) -> Iterator[Issue]:
    """What a validator finds, without any value of the object."""
    if validator.is_valid(content):
        return
    found = validator.iter_errors(content)
    secret = content.get("kind") == "Secret"
    for number, error in enumerate(found):
        if number == MOST:
            return
        yield from _issues(area, error, schema, secret=secret)


def as_json(value: Any) -> Any:  # noqa: ANN401 - any value
    """The value as the API server reads it: dates are strings, and so are all keys."""
    return value if _is_json(value) else _converted(value)


def _is_json(value: object) -> bool:
    waiting: list[Any] = [value]
    while waiting:
        one = waiting.pop()
        kind = type(one)
        if kind is dict:
            if not all(type(key) is str for key in one):
                return False
            waiting += one.values()
        elif kind is list:
            waiting += one
        elif kind not in _SCALARS:
            return False
    return True


def _converted(value: Any) -> Any:  # noqa: ANN401 - any value
    if isinstance(value, dict):
        return {_key(key): _converted(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_converted(inner) for inner in value]
    if value is None or isinstance(value, str | bool | int | float):
        return value if value == value else str(value)  # noqa: PLR0124 - not a number
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _key(key: object) -> str:
    if isinstance(key, bool):
        return str(key).lower()
    return "null" if key is None else str(key)


def _issues(
    area: str, error: ValidationError, schema: Mapping[str, Any], *, secret: bool
) -> Iterator[Issue]:
    about: Any = error.kind
    kind = type(about).__name__
    path = list(error.instance_path)
    field = written(path)
    subject = "" if secret else _text(error.instance)
    match kind:
        case "Type":
            wanted = " or ".join(_WORDS.get(one, one) for one in about.types if one != "null")
            text = f"it is {_word(error.instance)}, not {wanted}"
            yield Issue(f"{area}/wrong-type", text, field, subject=field, value=subject)
        case "Required":
            missing = str(about.property)
            yield Issue(
                f"{area}/missing-field",
                f"the required field {missing} is missing",
                field,
                subject=missing,
            )
        case "AdditionalProperties":
            yield from _unknown(area, error, schema)
        case "Enum":
            options = tuple(str(one) for one in about.options if one is not None)
            text = "the value is not one of those that are accepted"
            yield Issue(
                f"{area}/wrong-value", text, field, subject=field, options=options, value=subject
            )
        case "OneOfNotValid" | "AnyOf" | "OneOfMultipleValid" if names := _alternatives(
            schema, list(error.schema_path)
        ):
            several = kind == "OneOfMultipleValid"
            code = "wrong-value" if several else "missing-field"
            words = "only one of these may be set" if several else "one of these must be set"
            text = f"{words}: {', '.join(names)}"
            yield Issue(f"{area}/{code}", text, field, subject=field, options=names)
        case _:
            text = _short(about, kind, error.instance) or (
                f"the value is not accepted: {_rule(error, kind)}"
            )
            yield Issue(f"{area}/wrong-value", text, field, subject=field, value=subject)


def _unknown(area: str, error: ValidationError, schema: Mapping[str, Any]) -> Iterator[Issue]:
    about: Any = error.kind
    known = list(mapping(mapping(_part(schema, list(error.schema_path)[:-1])).get("properties")))
    for name in about.unexpected:
        near = get_close_matches(str(name), known, n=1, cutoff=0.6)
        yield Issue(
            f"{area}/unknown-field",
            f"unknown field {name}",
            written([*error.instance_path, name]),
            f"did you mean {near[0]}?" if near else "",
            subject=str(name),
            options=tuple(near),
        )


def _short(about: Any, kind: str, instance: object) -> str:  # noqa: ANN401 - of any kind
    """What is wrong with a value, where we know better words than the rule's."""
    if kind == "Custom":
        return str(about.message)
    if kind == "Format":
        name = str(about.format).removeprefix(FORMAT)
        return (
            f"the value is not accepted: write {FORMATS[name].words if name in FORMATS else name}"
        )
    if kind in ("MinLength", "MinItems") and about.limit == 1:
        return "it is empty"
    if kind == "MaxItems" and about.limit == 0:
        return "it must be empty"
    return "the value is the same as none" if kind == "Not" and instance in _NONE else ""


def _alternatives(schema: Mapping[str, Any], path: Sequence[Any]) -> tuple[str, ...]:
    """The fields of which one is demanded; empty if it is something else."""
    each = [mapping(one).get("required") for one in items(_part(schema, path))]
    # The first may stand for none of them.
    found = each[1:] if each[:1] == [None] else each
    return tuple(str(one[0]) for one in found if one) if all(found) else ()


def _rule(error: ValidationError, kind: str) -> str:
    details = {
        key: value for key, value in error.kind.as_dict().items() if key not in ("value", "context")
    }
    words = re.sub(r"(?<!^)(?=[A-Z])", " ", kind).lower()
    shown = ", ".join(str(value) for value in details.values() if isinstance(value, str | int))
    return f"{words} {shown}" if shown else words


def _word(value: object) -> str:
    for kind, word in (
        (bool, "a boolean"),
        (int, "an integer"),
        (float, "a number"),
        (str, "a string"),
        (dict, "a mapping"),
        (list, "a list"),
    ):
        if isinstance(value, kind):
            return word
    return "null" if value is None else "of another type"


def _text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, str | int | float) else ""


def _part(schema: Mapping[str, Any], path: Sequence[Any]) -> Any:  # noqa: ANN401 - of any form
    """A part of a schema; None if there is none."""
    at: Any = schema
    for step in path:
        if step == "$ref":
            at = schema.get("$defs", {}).get(str(at.get("$ref")).rpartition("/")[2], {})
        elif isinstance(at, dict):
            at = at.get(step)
        elif isinstance(at, list) and isinstance(step, int) and step < len(at):
            at = at[step]
        else:
            return None
    return at


def written(path: Sequence[object]) -> str:
    """A path as people write it."""
    text = ""
    for step in path:
        if isinstance(step, int) and not isinstance(step, bool):
            text += f"[{step}]"
        else:
            text += f".{step}" if text else str(step)
    return text
