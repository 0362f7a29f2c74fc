"""Components and packages in the class of a bundle (pure)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from commodore_py.adapters import yaml
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Iterator

KINDS = ("components", "packages")
FIELDS = ("url", "version", "path")

Key: TypeAlias = tuple[str, str]
"""Kind, as in the class, and name."""


@dataclass(frozen=True, slots=True)
class Pinned:
    """A component or a package of a bundle."""

    url: str = ""
    version: str = ""
    path: str = ""
    commit: str = ""
    """Of a tag, when it was published."""
    branch: str = ""
    """The branch that the version was taken from, if it is a commit."""


Content: TypeAlias = Mapping[Key, Pinned]

_MARKS = "~="
_REFERENCE = re.compile(r"\$\{([^${}]+)\}")
_DEEPEST = 8


def content_of(text: bytes, where: str, commits: Mapping[str, str] | None = None) -> Content:
    """The entries of a bundle's class; `commits` are those of tags by name."""
    return dict(_entries(yaml.load(text, name=where), where, commits or {}))


def digest_of(text: bytes) -> str:
    """The digest of a class file."""
    return hashlib.sha256(text).hexdigest()


def _entries(
    loaded: object, where: str, commits: Mapping[str, str]
) -> Iterator[tuple[Key, Pinned]]:
    parameters = _child(loaded, "parameters")
    for kind in KINDS:
        for name, fields in _pairs(_child(parameters, kind)):
            if not isinstance(fields, Mapping):
                raise CommodoreError(f"{kind}.{name} is not a mapping", where=where)
            stated = {str(key).lstrip(_MARKS): str(value) for key, value in fields.items()}
            given = {key: stated[key] for key in FIELDS if key in stated}
            yield (kind, name), Pinned(**given, commit=commits.get(name, ""))


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
