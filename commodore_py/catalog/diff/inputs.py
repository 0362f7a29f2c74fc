"""Which inputs of an instance may have written a file of its tree (pure)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from commodore_py.model.inventory import Node


def inputs_of(node: Node | None, path: PurePosixPath) -> list[str]:
    """The input paths of the compile entries whose output path holds a file."""
    if node is None:
        return []
    base = node.parameters.get("_base_directory")
    return [
        _shown(source, str(base))
        for entry in _entries(node)
        if path.is_relative_to(PurePosixPath(str(entry.get("output_path"))))
        for source in _texts(entry.get("input_paths"))
    ]


def _entries(node: Node) -> Iterator[Mapping[str, Any]]:
    kapitan = node.parameters.get("kapitan")
    entries = kapitan.get("compile") if isinstance(kapitan, Mapping) else None
    yield from (one for one in entries or () if isinstance(one, Mapping))


def _shown(source: str, base: str) -> str:
    """A path as it is written in the component: seen from the top of its folder."""
    return source.removeprefix(f"{base}/")


def _texts(value: Any) -> list[str]:  # noqa: ANN401 - a parameter as the component wrote it
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
