"""The policies of a folder and their data, as they are handed to an engine."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from commodore_py.adapters import json_text
from commodore_py.adapters.reading import content_of
from commodore_py.cache.store import digest_of
from commodore_py.errors import CommodoreError

from .folder import modules_in

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_LARGEST = 16 << 20
RESERVED = "commodore"
"""What is known about the cluster, in `data`; files cannot set it."""

_CHANGES_EACH_TIME = re.compile(r"\b(?:now_ns|intn|rfc4122)\b")
_ORIGIN = re.compile(r"\borigin\b")


class Refusal(NamedTuple):
    """Why a policy or a file of data is not used, and where."""

    file: str
    line: int
    message: str
    remedy: str = ""


class Policies(NamedTuple):
    """Modules by the paths that messages show, and the data they share."""

    modules: tuple[tuple[str, str], ...]
    data: Mapping[str, Any]
    refused: tuple[Refusal, ...] = ()

    @property
    def digest(self) -> str:
        """The same as long as modules and data are the same."""
        return digest_of(repr((self.modules, self.data)).encode(errors="surrogatepass"))

    @property
    def changes_each_time(self) -> bool:
        """Whether results may depend on the time, or on randomness."""
        return any(_CHANGES_EACH_TIME.search(text) for _, text in self.modules)

    @property
    def asks_for_origin(self) -> bool:
        """Whether results may depend on the instance that an object belongs to."""
        return any(_ORIGIN.search(text) for _, text in self.modules)


def policies_in(folder: Path, shown: str) -> Policies:
    """The modules in a folder but for tests, and the data below it; `shown` is its path."""
    refused: list[Refusal] = []
    modules: list[tuple[str, str]] = []
    for path in modules_in(folder):
        name = f"{shown}/{path.name}"
        try:
            modules.append((name, content_of(path, limit=_LARGEST).decode()))
        except (OSError, UnicodeDecodeError) as error:
            refused.append(Refusal(name, 0, f"it cannot be read: {error}"))
    data: dict[str, Any] = {}
    for path in sorted((folder / "data").glob("*.json")):
        name = f"{shown}/data/{path.name}"
        try:
            _merge(data, _data_of(path, name), "data")
        except (CommodoreError, OSError) as error:
            refused.append(Refusal(name, getattr(error, "line", 0), str(error)))
    return Policies(tuple(modules), data, tuple(refused))


def _data_of(path: Path, name: str) -> Mapping[str, Any]:
    found = json_text.load(content_of(path, limit=_LARGEST), name=name, levels=100)
    if not isinstance(found, dict):
        raise CommodoreError("the data is not a mapping")
    if RESERVED in found:
        raise CommodoreError(f"data.{RESERVED} is reserved for what is known about the cluster")
    return found


def _merge(into: dict[str, Any], more: Mapping[str, Any], path: str) -> None:
    for key, value in more.items():
        here = f"{path}.{key}"
        if isinstance(into.get(key), dict) and isinstance(value, dict):
            _merge(into[key], value, here)
        elif key in into:
            raise CommodoreError(f"{here} is in another file already")
        else:
            into[key] = value
