"""The documents of a catalog as checks read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.manifests.documents import may_hold_objects, read, split_documents

from .base import Document, Item
from .schemas.validation import as_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from commodore_py.model.tree import Tree


def files_of(trees: Mapping[str, Tree]) -> Iterator[tuple[str, str, bytes]]:
    """Instance, path and content of each file that may hold objects."""
    for instance, tree in trees.items():
        for path, entry in tree.items():
            name = str(path)
            if may_hold_objects(name):
                yield instance, name, entry.content


def documents_of(trees: Mapping[str, Tree]) -> Iterator[Document]:
    """Every document of files that may hold objects."""
    for instance, name, content in files_of(trees):
        for text in (content,) if name.endswith(".json") else split_documents(content):
            if text.strip():
                parsed = read(text, name)
                if parsed is None:
                    yield Document(instance, name, text, None)
                    continue
                items = tuple(
                    Item(kube_object.id, as_json(kube_object.content), name, instance)
                    for kube_object in parsed.objects
                )
                yield Document(instance, name, text, items, parsed.others)
