"""The fields of a dataclass by their names; nested values stay as they are."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def field_values(value: DataclassInstance) -> dict[str, Any]:
    """The fields of a value, by name."""
    return {one.name: getattr(value, one.name) for one in fields(value)}


def field_names(value: DataclassInstance | type[DataclassInstance]) -> tuple[str, ...]:
    """The names of the fields of a value or of a class."""
    return tuple(one.name for one in fields(value))
