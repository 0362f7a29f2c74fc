"""Records and results: what is valid under which answers, and how it is stored as bytes.

The name of a record is the digest of a key and of all questions with their answers. The questions
that work of a key has asked are stored under the key itself.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

from commodore_py.model.tree import Entry

from .digests import digest, is_digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from .store import Store

Answers: TypeAlias = "Mapping[str, str]"
"""Answers by their questions, in the order in which these were asked."""

# Work that reads other files depending on what it has read asks other questions.
_MOST_LISTS = 64


@dataclass(frozen=True, slots=True)
class Record:
    """The digest of a result, and what code printed while it was made."""

    result: str
    traces: str
    """Bytes as Latin-1."""

    @classmethod
    def parse(cls, content: bytes | None) -> Record | None:
        """The record in some bytes; None if it is not one of this version."""
        value = parsed(content)
        if not isinstance(value, dict):
            return None
        result, traces = value.get("result"), value.get("traces")
        if not (isinstance(result, str) and is_digest(result) and isinstance(traces, str)):
            return None
        return cls(result, traces) if all(trace <= "\xff" for trace in traces) else None

    def packed(self) -> bytes:
        """The record as bytes."""
        return json.dumps(asdict(self)).encode()


@dataclass(frozen=True, slots=True)
class NewResult:
    """A result that was made in this run, for machines that share it."""

    key: str
    answers: Answers
    record: Record


class Results(Protocol):
    """Where results are looked up: on this machine, or in the cache that machines share."""

    def asked(self, key: str) -> Sequence[Answers]:
        """Questions that work of a key has asked, with the last answers if they are known."""

    def records(self, name: str) -> Sequence[Record]:
        """The records of a name; they differ if the work has other results each time."""

    def blob(self, name: str) -> bytes | None:
        """The result of a digest."""


class LocalResults:
    """The results in the user's store."""

    def __init__(self, store: Store) -> None:
        self.add_blob, self.blob = store.add_blob, store.blob
        self._store = store

    def asked(self, key: str) -> list[Answers]:
        """The lists of questions, the newest first."""
        value = parsed(self._store.record(key))
        lists = value if isinstance(value, list) else ()
        return [
            answers
            for answers in lists
            if isinstance(answers, dict)
            and all(isinstance(answer, str) for answer in answers.values())
        ]

    def records(self, name: str) -> tuple[Record, ...]:
        """The one record of a name, if there is one."""
        record = Record.parse(self._store.record(name))
        return () if record is None else (record,)

    def add(self, key: str, answers: Answers, record: Record) -> None:
        """Store a record, and put its questions first."""
        others = [other for other in self.asked(key) if other.keys() != answers.keys()]
        self._store.set_record(name_of(key, answers), record.packed())
        self._store.set_record(key, json.dumps([answers, *others][:_MOST_LISTS]).encode())


def name_of(key: str, answers: Answers) -> str:
    """The name of the record for these answers, in whatever order they were asked for."""
    return digest(json.dumps([key, *sorted(answers.items())]).encode())


def parsed(content: bytes | None) -> object:
    """The value in some JSON; None if it is none, as files of other versions may be."""
    try:
        return json.loads(content or b"null")
    except (ValueError, RecursionError):
        return None


def pack(files: Mapping[str, Entry], folders: Iterable[str] = ()) -> bytes:
    """Files and folders as bytes: a line of JSON, and the contents one after the other."""
    header = {
        "files": [[name, len(file.content), file.executable] for name, file in files.items()],
        "folders": list(folders),
    }
    return b"\n".join(
        (json.dumps(header).encode(), b"".join(file.content for file in files.values()))
    )


def unpack(packed: bytes) -> tuple[dict[str, Entry], list[str]]:
    """The files and folders in such bytes."""
    first, _, contents = packed.partition(b"\n")
    header = json.loads(first)
    files, start = {}, 0
    for name, size, executable in header["files"]:
        files[name] = Entry(contents[start : start + size], executable=executable)
        start += size
    return files, header["folders"]
