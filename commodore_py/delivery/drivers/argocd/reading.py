"""Rendered Applications: the order of their waves, and the commits they are pinned to (pure).

The owner follows the branch. With the gate `update`, all Applications of the plan name the commit
of their content: a change of content reaches the cluster when the owner's waves arrive at it.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from commodore_py.delivery.drivers.applications import GROUP, KIND, step_of, synced_folder
from commodore_py.delivery.drivers.documents import Document, Documents, documents_in
from commodore_py.delivery.nodes import Concurrent, Leaf, Serial
from commodore_py.delivery.normal import Order, order_of
from commodore_py.delivery.reading import PLAN
from commodore_py.manifests.objects import value_in

from .checks import wave_set
from .edits import GATE, annotate, inner

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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


CONTENT = "commodore-py/content"
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


@dataclass(frozen=True, slots=True)
class Pin:
    """A commit, and the digest of the content that it has."""

    commit: str
    content: str


def pins_in(manifests: Tree) -> Mapping[str, Pin]:
    """The pins of the Applications of a catalog, by name."""
    pins = {
        document.name: _pin(document.content) for document in _planned(Documents({"": manifests}))
    }
    return {name: pin for name, pin in pins.items() if pin is not None}


def carried(trees: Mapping[str, Tree], pins: Mapping[str, Pin]) -> dict[str, Tree]:
    """The Applications as they are pinned already; the others follow the branch until they are."""
    documents = Documents(trees)
    for document in _planned(documents):
        if document.name in pins:
            _set(documents.edit(document, PLAN), pins[document.name])
    return documents.result()[0]


def repinned(manifests: Tree, commit: str) -> Tree:
    """The manifests with each Application whose content changed pinned to the commit that has it.

    A group has the pins of its members as content: it is the next commit's turn.
    """
    documents = Documents({"": manifests})
    for document in _outdated(documents, manifests):
        folder = synced_folder(document.content)
        _set(documents.edit(document, PLAN), Pin(commit, digest_of(manifests, folder)))
    return documents.result()[0][""]


def outdated(manifests: Tree) -> tuple[str, ...]:
    """The Applications that the next push pins."""
    return tuple(document.name for document in _outdated(Documents({"": manifests}), manifests))


def digest_of(manifests: Tree, folder: PurePosixPath | None) -> str:
    """A digest of a folder; secret references in it have a digest of their files."""
    digest = hashlib.sha256()
    for path, entry in sorted((manifests.subtree(folder) if folder else {}).items()):
        for part in (str(path).encode(), b"x" if entry.executable else b"-", entry.content):
            digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()[:16]


def _outdated(documents: Documents, manifests: Tree) -> Iterator[Document]:
    for document in list(_planned(documents)):
        pin = _pin(document.content)
        if pin is None or pin.content != digest_of(manifests, synced_folder(document.content)):
            yield document


def _planned(documents: Documents) -> Iterator[Document]:
    return filter(_is_planned, documents.of_kind(GROUP, KIND))


def _pin(content: Mapping[str, Any]) -> Pin | None:
    commit = value_in(content, "spec", "source", "targetRevision")
    digest = value_in(content, "metadata", "annotations", CONTENT)
    if isinstance(commit, str) and _COMMIT.fullmatch(commit) and isinstance(digest, str):
        return Pin(commit, digest)
    return None


def _set(content: dict[str, Any], pin: Pin) -> None:
    inner(inner(content, "spec"), "source")["targetRevision"] = pin.commit
    annotate(content, {CONTENT: pin.content})
