"""Parts of a server's answers, which may be anything."""

from __future__ import annotations

from typing import Any


def mapping(value: object) -> dict[str, Any]:
    """The value if it is an object, or an empty one."""
    return value if isinstance(value, dict) else {}


def mappings(value: object) -> list[dict[str, Any]]:
    """The objects in a list; what else is in it, or instead of it, is left out."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def texts(value: object) -> list[str]:
    """The texts in a list; what else is in it, or instead of it, is left out."""
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def text(value: object) -> str:
    """The value if it is a text, or an empty one."""
    return value if isinstance(value, str) else ""
