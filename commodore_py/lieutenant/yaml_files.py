"""Read YAML files that each hold one mapping."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.adapters import yaml
from commodore_py.adapters.reading import bytes_of
from commodore_py.errors import CommodoreError

from .api_objects import ApiObject, kind_of

if TYPE_CHECKING:
    from pathlib import Path


def read(path: Path, *, expected: str, content: bytes | None = None) -> ApiObject:
    """The mapping in a file, or in the `content` that it is to have.

    `expected` describes it for error messages.
    """
    try:
        text = bytes_of(str(path)) if content is None else content
    except OSError as error:
        raise CommodoreError(f"cannot read: {error.strerror}", where=str(path)) from error
    value = yaml.load(text, name=str(path))
    if not isinstance(value, dict):
        raise CommodoreError(
            f"expected a mapping, found {kind_of(value)}",
            where=f"{path}:1",
            hint=f"the file holds {expected}",
        )
    return ApiObject(value, str(path), lambda field: yaml.line_at(text, (0, *field)))
