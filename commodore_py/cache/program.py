"""Digest of what all cached results depend on: our code, Python, and its packages."""

from __future__ import annotations

import functools
import importlib.util
import os
import sys
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

import commodore_py
from commodore_py.adapters.reading import bytes_of

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

# A house test holds this against what the code of results imports.
_ROOMS = ("adapters", "cache", "compiler", "lib", "model", "postprocess")
# Packages that make results; all others are installed beside one of them.
_BESIDE = ("_gojsonnet", "yaml", "toml", "jsonschema", "jinja2")


@functools.cache
def program_digest(*more_rooms: str) -> str:
    """Equal for equal programs, wherever they are installed.

    Rooms that make results of compiles are always included.
    """
    digest = blake2b(digest_size=32)
    digest.update(sys.version.encode())
    for name in sorted(_packages()):
        digest.update(name.encode() + b"\n")
    folder = os.path.dirname(commodore_py.__file__)  # noqa: PTH120
    for name, path in sorted(_own_code(folder, {*_ROOMS, *more_rooms})):
        digest.update(name.encode() + b"\n" + bytes_of(path))
    return digest.hexdigest()


def _packages() -> set[str]:
    """Names and versions, from the names of metadata folders: reading metadata is slow."""
    packages = set()
    folders = set()
    for name in _BESIDE:
        spec = importlib.util.find_spec(name)
        if spec is None or spec.origin is None:
            continue
        origin = Path(spec.origin)
        packages.add(f"{name} {origin.stat().st_size}")
        folders.add(origin.parent if spec.submodule_search_locations is None else origin.parents[1])
    for folder in folders:
        names = os.listdir(folder)  # noqa: PTH208 - names are wanted
        packages |= {name for name in names if name.endswith((".dist-info", ".egg-info"))}
    return packages


def _own_code(folder: str, rooms: Container[str] | None = None) -> Iterator[tuple[str, str]]:
    """Names and paths of modules and their data, of some rooms only or of all folders."""
    # Libraries for components are left out: what is used of them is recorded.
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith((".py", ".toml")):
                yield entry.name, entry.path
            elif (rooms is None or entry.name in rooms) and entry.is_dir():
                yield from _own_code(entry.path)
