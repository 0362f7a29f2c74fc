"""Components and packages in the class of a bundle (pure)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from commodore_py.adapters import yaml
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Iterator

KINDS = ("components", "packages")
FIELDS = ("url", "version", "path")

Content: TypeAlias = Mapping[tuple[str, str], Mapping[str, str]]
"""Fields by kind and name."""

_MARKS = "~="
_REFERENCE = re.compile(r"\$\{([^${}]+)\}")
_DEEPEST = 8


def content_of(text: bytes, where: str) -> Content:
    """The entries of a bundle's class."""
    return dict(_entries(yaml.load(text, name=where), where))


def digest_of(text: bytes) -> str:
    """The digest of a class file."""
    return hashlib.sha256(text).hexdigest()


def _entries(loaded: object, where: str) -> Iterator[tuple[tuple[str, str], dict[str, str]]]:
    parameters = _child(loaded, "parameters")
    for kind in KINDS:
        for name, fields in _pairs(_child(parameters, kind)):
            if not isinstance(fields, Mapping):
                raise CommodoreError(f"{kind}.{name} is not a mapping", where=where)
            stated = {str(key).lstrip(_MARKS): str(value) for key, value in fields.items()}
            yield (kind, name), {key: stated[key] for key in FIELDS if key in stated}


def _child(value: object, name: str) -> object:
    return dict(_pairs(value)).get(name)


def _pairs(value: object) -> Iterator[tuple[str, Any]]:
    for key, fields in value.items() if isinstance(value, Mapping) else ():
        yield str(key).lstrip(_MARKS), fields


def resolved(text: str, parameters: Mapping[str, Any]) -> str | None:
    """A text with its references replaced; None if one of them is not a plain value."""
    for _ in range(_DEEPEST):
        match = _REFERENCE.search(text)
        if match is None:
            return text
        path, given, default = match[1].partition("::")
        value: object = parameters
        for key in path.split(":"):
            value = value.get(key) if isinstance(value, Mapping) else None
        if value is None and given:
            value = default
        if not isinstance(value, str | int):
            return None
        text = f"{text[: match.start()]}{value}{text[match.end() :]}"
    return None
