"""The order of Applications, from the text of their files alone (pure)."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from commodore_py.delivery.drivers.applications import KIND, step_of, synced_folder
from commodore_py.delivery.drivers.documents import Document, documents_in
from commodore_py.delivery.nodes import Concurrent, Leaf, Serial
from commodore_py.delivery.normal import Order, order_of
from commodore_py.manifests.objects import value_in

from .checks import wave_set
from .edits import GATE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from commodore_py.delivery.nodes import Node
    from commodore_py.model.tree import Tree

GROUPS = PurePosixPath("plan")


def read_back(manifests: Tree) -> Order:
    """Waves of the folder of Applications, and within them those of groups; the rest is last."""
    folders: dict[PurePosixPath, list[Document]] = {}
    for path, entry in manifests.items():
        if KIND.encode() in entry.content or path.name.startswith("plan-"):
            for document in documents_in("", path, entry):
                folders.setdefault(path.parent, []).append(document)
    tops = [
        folder
        for folder, documents in folders.items()
        if not folder.is_relative_to(GROUPS) and any(map(_is_planned, documents))
    ]
    last = [
        _step(folder)
        for top in tops
        for folder in folders[top]
        if folder.content["kind"] == KIND
        and not _is_planned(folder)
        and synced_folder(folder.content) != top
    ]
    parts = tuple(_group(folders, top) for top in tops)
    return order_of(Concurrent(parts) if parts else None, last)


def _group(folders: Mapping[PurePosixPath, list[Document]], folder: PurePosixPath) -> Node:
    waves: dict[int, list[Node]] = {}
    for document in folders.get(folder, ()):
        if _is_planned(document):
            path = synced_folder(document.content)
            is_group = path is not None and path.parent == GROUPS
            node = _group(folders, path) if path and is_group else Leaf(_step(document))
            waves.setdefault(wave_set(document) or 0, []).append(node)
    return Serial(tuple(Concurrent(tuple(waves[wave])) for wave in sorted(waves)))


def _is_planned(document: Document) -> bool:
    if document.content["kind"] == KIND:
        return value_in(document.content, "metadata", "annotations", GATE) is not None
    return document.path.name.startswith("plan-")


def _step(document: Document) -> str:
    if document.content["kind"] != KIND:
        return f"resource/{document.path.stem.removeprefix('plan-')}"
    return step_of(document.name, synced_folder(document.content))
