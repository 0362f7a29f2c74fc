"""Records and results: what is valid under which answers, and how it is stored as bytes.

The name of a record is the digest of a key and of all questions with their answers. The questions
that work of a key has asked are stored under the key itself.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, TypeAlias

from commodore_py.model.tree import Entry

from .digests import digest, is_digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Answers: TypeAlias = "Mapping[str, str]"
"""Answers by their questions, in the order in which these were asked."""


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
