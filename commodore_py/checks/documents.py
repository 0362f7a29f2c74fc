"""The documents of a catalog as checks read them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from commodore_py.manifests.documents import may_hold_objects, read, split_documents
from commodore_py.manifests.objects import identify

from .base import Item
from .schemas.validation import as_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from commodore_py.model.tree import Tree

    from .base import Content


@dataclass(frozen=True, slots=True)
class Document:
    """A document of a file."""

    instance: str
    file: str
    text: bytes
    objects: tuple[Content, ...] | None
    """Its objects as servers read them; None if it cannot be read."""
    others: tuple[object, ...] = ()
    """What is in it besides objects."""

    def items(self, extract: Callable[[Content], Any]) -> Iterator[Item]:
        """Each object with what a check extracts from it."""
        for content in self.objects or ():
            id_ = identify(content)
            if id_ is None:
                raise ValueError(f"not an object: {self.file}")
            version = str(content["apiVersion"])
            yield Item(id_, version, self.file, self.instance, extract(content))


Documents: TypeAlias = Callable[[], Sequence[Document]]
"""The documents of a run that can be read: parsed when they are needed."""


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
                else:
                    objects = tuple(as_json(kube_object.content) for kube_object in parsed.objects)
                    yield Document(instance, name, text, objects, parsed.others)
