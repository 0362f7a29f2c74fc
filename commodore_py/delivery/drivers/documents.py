"""The YAML documents of instances: found by kind or reference, edited, moved (pure)."""

from __future__ import annotations

from copy import deepcopy
from itertools import product
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

from commodore_py.adapters import yaml
from commodore_py.adapters.yaml.emitter import Style, emit_documents
from commodore_py.delivery.findings import Finding, near
from commodore_py.delivery.nodes import Resource, steps_of
from commodore_py.errors import CommodoreError
from commodore_py.manifests.objects import identify
from commodore_py.model.tree import Entry, Tree

from .base import DNS_LABEL

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from commodore_py.adapters.yaml.scalars import Multiline
    from commodore_py.model.spot import ParameterPath

    from .base import Job


_MULTILINES: tuple[Multiline, ...] = ("literal", "folded", "double-quotes", "plain")
_STYLES = tuple(
    Style(indent_sequences=indent, multiline=multiline)
    for multiline, indent in product(_MULTILINES, (True, False))
)
_REMOVED = object()
_SUFFIXES = {".yaml", ".yml"}


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
                if path.suffix in _SUFFIXES and any(word in entry.content for word in words):
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


def documents_below(instance: str, tree: Tree) -> Iterator[Document]:
    """The objects of all YAML files of a tree."""
    for path, entry in tree.items():
        if path.suffix in _SUFFIXES:
            yield from documents_in(instance, path, entry)


def written(*documents: object) -> Entry:
    """A file of documents as a driver writes it."""
    return Entry(_emitted(documents, Style()))


def _emitted(documents: object, style: Style) -> bytes:
    return emit_documents(documents, style).encode()  # type: ignore[arg-type]


REFERENCE = b"?{vaultkv:"
"""How a secret reference begins, which has to be revealed before its object is applied."""


def object_named(
    reference: str, trees: Mapping[str, Tree], path: ParameterPath
) -> Document | Finding:
    """The one object that a reference means."""
    instance, _, rest = reference.partition("/")
    file, _, selector = rest.partition("#")
    tree = trees.get(instance)
    entry = tree.get(PurePosixPath(file)) if tree is not None else None
    if tree is None or entry is None:
        files = [f"{instance}/{pure_posix_path}" for pure_posix_path in tree or ()] or list(trees)
        message = f"{reference} is not a file of the compiled output"
        return Finding("plan/reference", message, path, near(f"{instance}/{file}", files))
    documents = list(documents_in(instance, PurePosixPath(file), entry))
    matching = [document for document in documents if not selector or selector in _names(document)]
    if len(matching) == 1:
        return matching[0]
    number = "several objects" if matching else "no object"
    candidates = ", ".join(f"#{_names(document)[0]}" for document in matching or documents)
    remedy = f"candidates are: {candidates}" if candidates else ""
    return Finding("plan/reference", f"{reference} matches {number}", path, remedy)


def lifted(job: Job, documents: Documents) -> tuple[dict[str, Mapping[str, Any]], list[Finding]]:
    """The object of every `resource` of the plan by step, and what is wrong with the others.

    They leave the folders of their instances: each driver has a file of its own for them.
    """
    contents: dict[str, Mapping[str, Any]] = {}
    findings: list[Finding] = []
    for step in steps_of(job.plan.node):
        if not isinstance(step, Resource):
            continue
        if not DNS_LABEL.fullmatch(step.name):
            message = f"the resource {step.reference} has no name that a file can have"
            remedy = "set `name` to at most 63 lower case letters, digits and hyphens"
            findings.append(Finding("plan/name", message, step.path, remedy))
            continue
        if step.id in contents:
            message = f"two resources are called {step.name}"
            findings.append(Finding("plan/alias", message, step.path, "rename one of them"))
        document = object_named(step.reference, job.deployed, step.path)
        if isinstance(document, Finding):
            findings.append(document)
        else:
            documents.remove(document, step.path)
            contents[step.id] = document.content
    return contents, findings


def _names(document: Document) -> tuple[str, str]:
    id_ = identify(document.content)
    assert id_ is not None  # noqa: S101 - a document is an object
    within = f"{id_.namespace}/" if id_.namespace else ""
    return f"{id_.kind}/{within}{id_.name}", f"{id_.kind}/{id_.name}"
