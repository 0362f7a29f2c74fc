"""The documents of a catalog, and what is remembered about each by its digest."""

from __future__ import annotations

import marshal
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from commodore_py.cache.program import program_digest
from commodore_py.cache.store import Store, digest_of
from commodore_py.manifests.documents import may_hold_objects, read, split_documents
from commodore_py.manifests.objects import ObjectId

from .base import Issue, Item
from .custom_resources import definition_of
from .schemas import as_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from commodore_py.model.tree import Tree

    from .base import Content, Extract

_FORMAT = b"checks 1"
ROOMS = ("checks", "manifests")
"""Whose code decides about results of checks, besides that of compiles."""
DEFINITIONS = "definitions"
"""The extract for definitions of custom resources, which checks of objects need."""


class Document(NamedTuple):
    """A document of a file, unparsed."""

    instance: str
    file: str
    text: bytes
    digest: str

    def objects(self) -> tuple[Content, ...] | None:
        """Its objects as servers read them, parsed now; None if it cannot be read."""
        found = read(self.text, self.file)
        return None if found is None else tuple(as_json(one.content) for one in found.objects)


class Known(NamedTuple):
    """What is remembered about a document: plain data."""

    objects: list[Any]
    """For each object: the parts of its id, its API version, and extracts by check."""
    issues: dict[str, Any]
    """For each check: what results depend on, and issues with the number of their object."""


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
                yield Document(instance, name, text, digest_of(text)[:32])


Documents: TypeAlias = "Callable[[], Sequence[tuple[Document, Known]]]"
"""The documents of a run: read when they are needed."""


class Memory:
    """What earlier runs found out about documents, in the user's store."""

    def __init__(self, folder: Path | None, subject: str) -> None:
        self._store = Store(folder) if folder is not None else None
        self._key = digest_of(
            b"\0".join((_FORMAT, program_digest(*ROOMS), subject.encode(errors="surrogatepass")))
        )
        self._run_key = digest_of(f"{self._key} run".encode())
        self._new: dict[str, Any] = {}
        self._changed = False
        self._parsed: dict[str, tuple[Content, ...] | None] = {}

    @cached_property
    def _old(self) -> dict[str, Any]:
        found = self._read(self._key)
        return found if isinstance(found, dict) else {}

    def _read(self, key: str) -> Any:  # noqa: ANN401 - plain data
        content = self._store.noted(key) if self._store is not None else None
        return None if content is None else marshal.loads(content)  # noqa: S302 - what was put there

    def of_run(self, fingerprint: str) -> Any:  # noqa: ANN401 - plain data
        """What a run with the same documents and settings found; None if the last one differs."""
        there = self._read(self._run_key)
        return there[1] if isinstance(there, tuple) and there[0] == fingerprint else None

    def note_run(self, fingerprint: str, found: Any) -> None:  # noqa: ANN401 - plain data
        """Remember what a run found."""
        if self._store is not None:
            self._store.note(self._run_key, marshal.dumps((fingerprint, found)))

    def known(self, document: Document, checks: Mapping[str, Extract]) -> Known | None:
        """What is known about a document; None if it cannot be read."""
        if document.digest in self._new:
            found = self._new[document.digest]
        else:
            found = self._old.get(document.digest, False)
            if found is False or _lacks(found, checks):
                # What was found in objects stays, if only an extract is missing.
                found = self._extracted(document, checks, found[1] if found else {})
                self._changed = True
            self._new[document.digest] = found
        return None if found is None else Known(*found)

    def contents(self, document: Document) -> tuple[Content, ...]:
        """The objects of a document, parsed once in a run."""
        if document.digest not in self._parsed:
            self._parsed[document.digest] = document.objects()
        return self._parsed[document.digest] or ()

    def _extracted(self, document: Document, checks: Mapping[str, Extract], issues: Any) -> Any:  # noqa: ANN401 - plain data
        objects = self.contents(document)
        if self._parsed[document.digest] is None:
            return None
        return [[_object(document, content, checks) for content in objects], issues]

    def note_issues(self, known: Known, check: str, salts: Any, found: list[Any]) -> None:  # noqa: ANN401 - plain data
        """Remember what a check found in a document."""
        known.issues[check] = [salts, found]
        self._changed = True

    def of_catalog(self, check: str) -> Any:  # noqa: ANN401 - plain data
        """What a check remembered about the catalog as a whole; None for nothing."""
        return self._old.get(_catalog_key(check))

    def note_catalog(self, check: str, found: Any) -> None:  # noqa: ANN401 - plain data
        """Remember what a check found in the catalog as a whole."""
        self._new[_catalog_key(check)] = found
        self._changed |= self._old.get(_catalog_key(check)) != found

    def keep(self) -> None:
        """Store what is known about the documents of this run."""
        # Nothing was looked at where all is as in the last run.
        if (
            self._store is not None
            and self._new
            and (self._changed or self._new.keys() != self._old.keys())
        ):
            self._store.note(self._key, marshal.dumps(self._new))


def _catalog_key(check: str) -> str:
    return f"catalog {check}"


def _lacks(found: Any, checks: Mapping[str, Extract]) -> bool:  # noqa: ANN401 - plain data
    """Whether an earlier run did not need all of these extracts."""
    return found is not None and any(checks.keys() - facts.keys() for _, _, facts in found[0][:1])


def _object(document: Document, content: Content, checks: Mapping[str, Extract]) -> list[Any]:
    from commodore_py.manifests.objects import identify

    id_ = identify(content)
    if id_ is None:
        raise ValueError(f"not an object: {document.file}")
    facts = {name: check.extract(content) for name, check in checks.items()}
    facts[DEFINITIONS] = definition_of(content)
    parts = [str(one) for one in (id_.group, id_.kind, id_.namespace, id_.name)]
    return [parts, str(content["apiVersion"]), facts]


def items_of(document: Document, known: Known, check: str) -> Iterator[Item]:
    """The objects of a document, with the extracts of a check."""
    for parts, api_version, facts in known.objects:
        yield Item(
            ObjectId(*parts), api_version, document.file, document.instance, facts.get(check)
        )


def issue_from(values: list[Any]) -> Issue:
    """An issue that was stored as plain data."""
    issue = Issue(*values)
    return issue._replace(options=tuple(issue.options))
