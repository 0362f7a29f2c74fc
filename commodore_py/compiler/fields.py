"""Fields of compile and dependency entries: what they accept, and their defaults (pure).

Kapitan checks entries against a typed model and shows component code the completed ones; both
are part of what components rely on, down to which texts count as true.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from commodore_py.model.names import LONGEST_NAME, problem_of_path, problem_of_text

Accept: TypeAlias = Callable[[object], Any]
"""Turns a value into what it counts as; a ValueError has what was expected instead."""

OUTPUT_TYPES = ("json", "yaml", "yml", "plain", "toml", "auto")

_TRUE = ("1", "on", "t", "true", "y", "yes")
_PATH = f"a path without control characters, with names of at most {LONGEST_NAME} bytes"
_FALSE = ("0", "off", "f", "false", "n", "no")


@dataclass(frozen=True, slots=True)
class Field:
    """One key of an entry."""

    accept: Accept
    default: Any = None
    required: bool = False


def text(value: object) -> str:
    """A string, and nothing that only looks like one."""
    if isinstance(value, str):
        return value
    raise ValueError("a string")


def plain(value: object) -> str:
    """A string that can be an argument or a URL: nothing in it ends it early."""
    if problem_of_text(text(value)):
        raise ValueError("a string without control characters")
    return text(value)


def path(value: object) -> str:
    """The path of a file or folder that may not exist yet."""
    if problem_of_path(text(value)):
        raise ValueError(_PATH)
    return text(value)


def flag(value: object) -> bool:
    """A boolean, or what people write for one."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float) and value in (0, 1):
        return bool(value)
    if isinstance(value, str) and value.lower() in _TRUE + _FALSE:
        return value.lower() in _TRUE
    raise ValueError("true or false")


def texts(value: object) -> list[str]:
    """A list of strings."""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        if any("\0" in item for item in value):
            raise ValueError("a list of strings without null characters")
        return value
    raise ValueError("a list of strings")


def mapping(value: object) -> Mapping[Any, Any]:
    """A mapping with any keys and values."""
    if isinstance(value, Mapping):
        return value
    raise ValueError("a mapping")


def named_values(value: object) -> Mapping[str, Any]:
    """A mapping whose keys are strings."""
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return value
    raise ValueError("a mapping with strings as keys")


def text_mapping(value: object) -> Mapping[str, str]:
    """A mapping from strings to strings."""
    if isinstance(value, Mapping) and all(
        isinstance(key, str) and isinstance(below, str) for key, below in value.items()
    ):
        if any("\0" in half for pair in value.items() for half in pair):
            raise ValueError("a mapping of strings without null characters")
        return value
    raise ValueError("a mapping from strings to strings (numbers need quotes)")


def output_type(value: object) -> str:
    """A format of output files."""
    if isinstance(value, str) and value in OUTPUT_TYPES:
        return value
    raise ValueError("one of " + ", ".join(OUTPUT_TYPES))


def automatic(value: object) -> str:
    """A format that is checked, and then always the one of the file."""
    output_type(value)
    return "auto"


def text_or_flag(value: object) -> str | bool:
    """A boolean, or a string such as a path."""
    return value if isinstance(value, str) else flag(value)


def registry_reference(value: object) -> str:
    """The location of an artifact in a registry, which is not a URL."""
    if plain(value).startswith(("https://", "http://", "oci://")):
        raise ValueError("a reference as in registry/name:tag, without the URL's scheme")
    return text(value)


def media_type(value: object) -> str:
    """A kind of content, as in `application/json`."""
    if "/" not in text(value):
        raise ValueError("a media type as in application/json")
    return text(value)


def or_null(accept: Accept) -> Accept:
    """Allow null, too."""

    def accept_null(value: object) -> object:
        if value is None:
            return None
        try:
            return accept(value)
        except ValueError as error:
            raise ValueError(f"{error}, or null") from None

    return accept_null


NO_TEXT = Field(or_null(plain))
OFF = Field(or_null(flag), default=False)
ON = Field(or_null(flag), default=True)
NOTHING: dict[Any, Any] = {}

EVERY_INPUT = {
    "name": Field(or_null(text)),
    "input_type": Field(text, required=True),
    "input_paths": Field(texts, required=True),
    "output_path": Field(path, required=True),
    "input_params": Field(mapping, default=NOTHING),
    "continue_on_compile_error": OFF,
    "output_type": Field(output_type, default="yaml"),
    "ignore_missing": OFF,
    "prune": ON,
}
"""The keys of every input type."""

_EVERY_DEPENDENCY = {
    "type": Field(text, required=True),
    "source": Field(plain, required=True),
    "output_path": Field(path, required=True),
    "force_fetch": OFF,
}
_DOWNLOAD = {**_EVERY_DEPENDENCY, "unpack": Field(flag, default=False)}

DEPENDENCY_TYPES: Mapping[str, Mapping[str, Field]] = {
    "helm": {
        **_EVERY_DEPENDENCY,
        "chart_name": Field(plain, required=True),
        "version": NO_TEXT,
        "helm_path": NO_TEXT,
    },
    "git": {**_EVERY_DEPENDENCY, "ref": NO_TEXT, "subdir": NO_TEXT, "submodules": OFF},
    "http": _DOWNLOAD,
    "https": _DOWNLOAD,
    "oci": {
        **_EVERY_DEPENDENCY,
        "source": Field(registry_reference, required=True),
        "subpath": NO_TEXT,
        "media_type": Field(or_null(media_type)),
        "insecure": Field(flag, default=False),
        "tls_verify": Field(text_or_flag, default=True),
    },
}
"""Every kind of dependency that Kapitan can fetch, with all of its keys."""
