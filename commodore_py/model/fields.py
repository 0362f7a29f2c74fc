"""The fields of a dataclass by their names; nested values stay as they are."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def field_values(value: DataclassInstance) -> dict[str, Any]:
    """The fields of a value, by name."""
    return {one.name: getattr(value, one.name) for one in fields(value)}
