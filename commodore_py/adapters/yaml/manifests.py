"""Reads manifests as Kubernetes does: values of JSON only, and times are strings."""

from __future__ import annotations

from typing import Any

import yaml

from commodore_py.adapters import json_text

from .error import YamlError
from .loader import FAILURES, Loader, construct_text, problem_in

MOST_LEVELS = 100
_SCALARS = (str, bool, int, float, type(None))


class _NotJson(ValueError):
    """A value that JSON does not have."""


class _ManifestLoader(Loader):
    """Times are the strings that they are written as."""


_ManifestLoader.add_constructor("tag:yaml.org,2002:timestamp", construct_text)


def load_manifests(text: bytes, *, name: str) -> list[Any]:
    """Every document of a text, empty ones as None."""
    if name.endswith(".json"):
        documents = [json_text.load(text, name=name)] if text.strip() else []
    else:
        try:
            documents = list(yaml.load_all(text, Loader=_ManifestLoader))
        except FAILURES as error:
            raise problem_in(error, name, text) from error
    try:
        return [_json(document, 0) for document in documents]
    except _NotJson as error:
        raise YamlError(f"a manifest cannot be JSON: {error}", where=name) from error


def _json(value: Any, level: int) -> Any:
    if isinstance(value, _SCALARS):
        return value
    if level > MOST_LEVELS:
        raise _NotJson(f"it has more than {MOST_LEVELS} levels")
    if isinstance(value, dict):
        return {_key(key): _json(item, level + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [_json(item, level + 1) for item in value]
    raise _NotJson(f"a value of type {type(value).__name__}")


def _key(key: object) -> str:
    if isinstance(key, str):
        return key
    if isinstance(key, bool):
        return "true" if key else "false"
    if key is None:
        return "null"
    if isinstance(key, int | float):
        return str(key)
    raise _NotJson(f"a key of type {type(key).__name__}")
