"""Read the fields that rules need with the types that Kubernetes gives them (pure)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from commodore_py.model.names import kind_of

Shape: TypeAlias = "type[int | str | bool] | Optional | Each | Texts | Mapping[str, Any]"
"""A scalar, an `Optional`, the items of a list, strings by name, or fields with their shapes."""

Decoded: TypeAlias = Any
_LARGEST = 2**63


@dataclass(frozen=True, slots=True)
class Optional:
    """A field that may be absent, which differs from a zero."""

    shape: Any


@dataclass(frozen=True, slots=True)
class Each:
    """A list of items of one shape."""

    shape: Any


@dataclass(frozen=True, slots=True)
class Texts:
    """Strings by name, such as annotations."""


class Undecodable(ValueError):
    """A field has a value of another type."""


def decoded(value: object, shape: Shape, path: str = "") -> Decoded:
    """The fields of the shape; those that are absent or null are zero, empty or None."""
    if isinstance(shape, Optional):
        return None if value is None else decoded(value, shape.shape, path)
    if isinstance(shape, Each):
        items = _expect(value, list, path)
        return [decoded(item, shape.shape, f"{path}[{at}]") for at, item in enumerate(items)]
    if isinstance(shape, Texts):
        texts = _expect(value, dict, path)
        return {key: decoded(text, str, f"{path}.{key}") for key, text in texts.items()}
    if isinstance(shape, Mapping):
        fields = _expect(value, dict, path)
        return {
            name: decoded(fields.get(name), inner, f"{path}.{name}" if path else name)
            for name, inner in shape.items()
        }
    return _scalar(value, shape, path)


def _scalar(value: object, kind: type, path: str) -> Decoded:
    if value is None:
        return kind()
    if kind is int:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise _wrong(value, kind, path)
        if -_LARGEST <= value < _LARGEST:
            return int(value)
        raise Undecodable(f"{path} is out of range: {value}")
    if not isinstance(value, kind):
        raise _wrong(value, kind, path)
    return value


def _expect(value: object, kind: type, path: str) -> Any:  # noqa: ANN401 - as the shape says
    if value is None:
        return kind()
    if not isinstance(value, kind):
        raise _wrong(value, kind, path)
    return value


def _wrong(value: object, kind: type, path: str) -> Undecodable:
    return Undecodable(f"{path or 'the object'} is {kind_of(value)}, not {kind_of(kind())}")
