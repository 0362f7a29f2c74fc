"""Commits that Applications are pinned to, so that their content changes in the order too (pure).

The owner follows the branch. All Applications of the plan name the commit of their content, so a
change of content reaches the cluster when the owner's waves arrive at it.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from commodore_py.delivery.drivers.applications import GROUP, KIND, synced_folder
from commodore_py.delivery.drivers.documents import Documents
from commodore_py.delivery.reading import PLAN
from commodore_py.manifests.objects import value_in

from .edits import GATE, annotate, inner

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import PurePosixPath

    from commodore_py.delivery.drivers.documents import Document
    from commodore_py.model.tree import Tree

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
    for document in documents.of_kind(GROUP, KIND):
        if value_in(document.content, "metadata", "annotations", GATE) is not None:
            yield document


def _pin(content: Mapping[str, Any]) -> Pin | None:
    commit = value_in(content, "spec", "source", "targetRevision")
    digest = value_in(content, "metadata", "annotations", CONTENT)
    if isinstance(commit, str) and _COMMIT.fullmatch(commit) and isinstance(digest, str):
        return Pin(commit, digest)
    return None


def _set(content: dict[str, Any], pin: Pin) -> None:
    inner(inner(content, "spec"), "source")["targetRevision"] = pin.commit
    annotate(content, {CONTENT: pin.content})
