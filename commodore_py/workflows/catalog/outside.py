"""Paths outside of the working directory that compile entries name."""

from __future__ import annotations

import glob
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from commodore_py.adapters.helm.kube_settings import files_of_clients

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from commodore_py.model.stages import Sources

# Fields of entries that name files; absolute ones, and those that climb, may be anywhere.
_PATHS = ("input_paths", "helm_values_files", "helm_path")
_OF_KUBERNETES = ("helm", "external")


def named_by(sources: Sources, root: Path) -> Iterator[str]:
    """Files and folders that entries name, where they lead out of a folder; and what tools read."""
    for node in sources.inventory.nodes.values():
        kapitan = node.parameters.get("kapitan")
        entries = kapitan.get("compile") if isinstance(kapitan, Mapping) else None
        for entry in entries if isinstance(entries, list | tuple) else ():
            if isinstance(entry, Mapping):
                yield from _named_in(entry, root)


def _named_in(entry: Mapping[str, object], root: Path) -> Iterator[str]:
    for name in _PATHS:
        for text in _texts(entry.get(name)):
            path = os.path.normpath(root / text)
            if not path.startswith(f"{root}/"):
                yield _without_pattern(path)
    if entry.get("input_type") in _OF_KUBERNETES:
        yield from files_of_clients()
    program = entry.get("helm_path")
    if isinstance(program, str) and program:
        yield from _places_of(program)


def _places_of(program: str) -> Iterator[str]:
    """Where it is, or would be found before another one."""
    if os.sep in program:
        yield os.path.abspath(program)  # noqa: PTH100 - as a call resolves it
        return
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        yield os.path.abspath(f"{folder or '.'}/{program}")  # noqa: PTH100 - as above


def _without_pattern(path: str) -> str:
    """The folder in which a pattern begins: new files may come to match it."""
    while glob.has_magic(path):
        path = os.path.dirname(path)  # noqa: PTH120 - a text
    return path


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner)
