"""Validators for kinds of objects: made from schemas, and their errors as issues."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from commodore_py.manifests import quantities

from .base import Issue

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from jsonschema_rs import ValidationError, Validator

    from .base import Content

EXTRA = "it needs the extra checks: pip install 'commodore-py[checks]'"
_BASE64 = re.compile(r"(?:[A-Za-z0-9+/\r\n]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?[\r\n]*")
_SECONDS = r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])[Tt]\d\d:\d\d:\d\d"
_ZONE = r"(?:[Zz]|[+-]\d\d:\d\d)"
_TIME = re.compile(rf"{_SECONDS}(?:\.\d+)?{_ZONE}")
_MICRO_TIME = re.compile(rf"{_SECONDS}\.\d{{6}}{_ZONE}")
# Go's durations; otherwise one number with a unit is enough: `2 days`.
_DURATION = re.compile(r"[-+]?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)")
_LONG_DURATION = re.compile(
    r"\d\s*(?:(?:ns|us|µs|ms|s|m|hr?|d|wk?)(?![a-zµ])|nano|micro|milli|sec|min|hour|day|week)",
    re.IGNORECASE,
)
_WORDS = {
    "null": "null",
    "string": "a string",
    "boolean": "a boolean",
    "integer": "an integer",
    "number": "a number",
    "array": "a list",
    "object": "a mapping",
}
_MOST = 20
"""Errors of one object that are shown."""


def is_installed() -> bool:
    """Whether the library that validates is there."""
    from importlib.util import find_spec

    return find_spec("jsonschema_rs") is not None


def validator_of(schema: Mapping[str, Any]) -> Validator:
    """A validator; formats are ours, as the API server has other rules than JSON Schema."""
    import jsonschema_rs

    return jsonschema_rs.Draft202012Validator(
        dict(schema),
        validate_formats=True,
        formats={
            "quantity": _is_quantity,
            "byte": _is_base64,
            "k8s-byte": _is_base64,
            "k8s-time": _is_time,
            "k8s-micro-time": _is_micro_time,
            "k8s-duration": _is_duration,
        },
        ignore_unknown_formats=True,
    )


def _is_quantity(value: object) -> bool:
    return not isinstance(value, str) or quantities.parse(value) is not None


def _is_base64(value: object) -> bool:
    # References are replaced by their values before the API server sees them.
    return not isinstance(value, str) or "?{" in value or _BASE64.fullmatch(value) is not None


def _is_time(value: object) -> bool:
    return not isinstance(value, str) or _TIME.fullmatch(value) is not None


def _is_micro_time(value: object) -> bool:
    return not isinstance(value, str) or _MICRO_TIME.fullmatch(value) is not None


def _is_duration(value: object) -> bool:
    return (
        not isinstance(value, str)
        or _DURATION.fullmatch(value) is not None
        or _LONG_DURATION.search(value) is not None
    )


def issues_of(
    area: str, validator: Validator, content: Content, schema: Mapping[str, Any]
) -> Iterator[Issue]:
    """What a validator finds, without any value of the object."""
    try:
        if validator.is_valid(content):
            return
        found = validator.iter_errors(content)
    except (TypeError, ValueError, OverflowError):
        content = as_json(content)
        found = validator.iter_errors(content)
    secret = content.get("kind") == "Secret"
    for number, error in enumerate(found):
        if number == _MOST:
            return
        yield from _issues(area, error, schema, secret=secret)


def as_json(value: Any) -> Any:  # noqa: ANN401 - any value
    """The value as the API server reads it: dates are strings, and so are all keys."""
    if isinstance(value, dict):
        return {_key(key): as_json(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(inner) for inner in value]
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
            known = _properties(schema, list(error.schema_path)[:-1])
            for name in about.unexpected:
                near = get_close_matches(str(name), known, n=1, cutoff=0.6)
                yield Issue(
                    f"{area}/unknown-field",
                    f"unknown field {name}",
                    written([*path, name]),
                    f"did you mean {near[0]}?" if near else "",
                    subject=str(name),
                    options=tuple(near),
                )
        case "Enum":
            options = tuple(str(one) for one in about.options if one is not None)
            text = "the value is not one of those that are accepted"
            yield Issue(
                f"{area}/wrong-value", text, field, subject=field, options=options, value=subject
            )
        case _:
            text = f"the value is not accepted: {_rule(error, kind)}"
            yield Issue(f"{area}/wrong-value", text, field, subject=field, value=subject)


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


def _properties(schema: Mapping[str, Any], path: Sequence[Any]) -> list[str]:
    """The fields that a part of a schema knows."""
    at: Any = schema
    for step in path:
        if step == "$ref":
            at = schema.get("$defs", {}).get(str(at.get("$ref")).rpartition("/")[2], {})
        elif isinstance(at, dict):
            at = at.get(step, {})
        elif isinstance(at, list) and isinstance(step, int) and step < len(at):
            at = at[step]
        else:
            return []
    return list(at.get("properties", {})) if isinstance(at, dict) else []


def written(path: Sequence[object]) -> str:
    """A path as people write it."""
    text = ""
    for step in path:
        if isinstance(step, int) and not isinstance(step, bool):
            text += f"[{step}]"
        else:
            text += f".{step}" if text else str(step)
    return text
