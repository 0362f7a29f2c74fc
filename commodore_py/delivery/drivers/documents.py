"""The YAML documents of instances' files: found by kind, edited, moved to other files (pure)."""

from __future__ import annotations

from copy import deepcopy
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

from commodore_py.adapters import yaml
from commodore_py.adapters.yaml.emitter import Style, emit_documents
from commodore_py.delivery.findings import Finding
from commodore_py.errors import CommodoreError
from commodore_py.manifests.objects import identify
from commodore_py.model.tree import Entry, Tree

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import PurePosixPath

    from commodore_py.adapters.yaml.scalars import Multiline
    from commodore_py.model.spot import ParameterPath

_MULTILINES: tuple[Multiline, ...] = ("literal", "folded", "double-quotes", "plain")
_STYLES = tuple(
    Style(indent_sequences=indent, multiline=multiline)
    for multiline, indent in product(_MULTILINES, (True, False))
)
_REMOVED = object()


class Document(NamedTuple):
    """A document of a file, as it was compiled."""

    instance: str
    path: PurePosixPath
    position: int
    content: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The name of the object."""
        return str(self.content["metadata"].get("name", ""))


class Documents:
    """All documents of some trees, and what becomes of them."""

    def __init__(self, trees: Mapping[str, Tree]) -> None:
        self._trees = trees
        self._changed: dict[tuple[str, PurePosixPath], dict[int, Any]] = {}
        self._moved: dict[tuple[str, PurePosixPath, int], PurePosixPath] = {}
        self._asked: dict[tuple[str, PurePosixPath], ParameterPath] = {}

    def of_kind(self, api_group: str, *kinds: str) -> Iterator[Document]:
        """The objects of some kinds, by instance and path."""
        words = [kind.encode() for kind in kinds]
        for instance, tree in sorted(self._trees.items()):
            for path, entry in tree.items():
                if path.suffix in {".yaml", ".yml"} and any(
                    word in entry.content for word in words
                ):
                    for document in documents_in(instance, path, entry):
                        id_ = identify(document.content)
                        if id_ and id_.group == api_group and id_.kind in kinds:
                            yield document

    def edit(self, document: Document, because: ParameterPath) -> dict[str, Any]:
        """A copy of the document that will replace it; the same one for the same document."""
        key = document.instance, document.path
        self._asked.setdefault(key, because)
        changes = self._changed.setdefault(key, {})
        if document.position not in changes:
            changes[document.position] = deepcopy(dict(document.content))
        changed: dict[str, Any] = changes[document.position]
        return changed

    def move(self, document: Document, path: PurePosixPath) -> None:
        """An edited document goes into another file of its instance."""
        self._moved[document.instance, document.path, document.position] = path

    def remove(self, document: Document, because: ParameterPath) -> None:
        """The document leaves the output of its instance."""
        self.edit(document, because)
        self._changed[document.instance, document.path][document.position] = _REMOVED

    def result(self) -> tuple[dict[str, Tree], list[Finding]]:
        """The trees with all changes; files that would also change elsewhere are findings."""
        trees, findings = dict(self._trees), []
        for (instance, path), changed in sorted(self._changed.items()):
            entry = self._trees[instance][path]
            written = yaml.load_all(entry.content, name=str(path))
            style = next(
                (style for style in _STYLES if _emitted(written, style) == entry.content), None
            )
            if style is None:
                message = f"{path} of instance {instance} is not written as Commodore writes YAML"
                remedy = "an edit would change all of it: compile it with Jsonnet, or format it"
                because = self._asked[instance, path]
                findings.append(Finding("plan/format", message, because, remedy))
                continue
            files: dict[PurePosixPath, list[Any]] = {}
            for index, document in enumerate(written):
                target = self._moved.get((instance, path, index), path)
                content = changed.get(index, document)
                if content is not _REMOVED:
                    files.setdefault(target, []).append(content)
            rest = {other: kept for other, kept in trees[instance].items() if other != path}
            for target, documents in files.items():
                if target in rest:
                    message = f"two files of instance {instance} would become {target}"
                    because = self._asked[instance, path]
                    findings.append(Finding("plan/path", message, because, "rename one of them"))
                rest[target] = entry._replace(content=_emitted(documents, style))
            trees[instance] = Tree(rest, trees[instance].empty_folders)
        return trees, findings


def documents_in(instance: str, path: PurePosixPath, entry: Entry) -> Iterator[Document]:
    """The objects of a file; none if it is not valid."""
    try:
        loaded = yaml.load_all(entry.content, name=str(path))
    except CommodoreError:
        return
    for index, content in enumerate(loaded):
        if isinstance(content, dict) and identify(content) is not None:
            yield Document(instance, path, index, content)


def written(*documents: object) -> Entry:
    """A file of documents as a driver writes it."""
    return Entry(_emitted(documents, Style()))


def _emitted(documents: object, style: Style) -> bytes:
    return emit_documents(documents, style).encode()  # type: ignore[arg-type]
