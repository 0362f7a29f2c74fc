"""Calls that components and filters can make: tables of expressions, and what each gives.

A value `{fails: TEXT}` stands for an error with this text.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.support.tables import load_yaml


def _read(name: str) -> dict[str, Any]:
    content: dict[str, Any] = load_yaml(Path(__file__).with_name(name))
    return content


COMPILING, FILTERING = _read("compiling.yaml"), _read("filtering.yaml")


def values(*tables: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Expressions that can be evaluated, and their values."""
    return {call: value for call, value in _rows(tables) if not _is_failure(value)}


def failures(*tables: dict[str, dict[str, Any]]) -> dict[str, str]:
    """Expressions that fail, and a part of each error."""
    return {call: value["fails"] for call, value in _rows(tables) if _is_failure(value)}


def _rows(tables: tuple[dict[str, dict[str, Any]], ...]) -> list[tuple[str, Any]]:
    return [row for table in tables for calls in table.values() for row in calls.items()]


def _is_failure(value: object) -> bool:
    return isinstance(value, dict) and value.keys() == {"fails"}
