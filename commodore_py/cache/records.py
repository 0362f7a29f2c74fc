"""Records: results under the answers that they are valid for, and lists of what to ask.

The name of a record is the digest of a key and of all questions with their answers. The questions
that work of a key has asked are stored under the key itself.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, TypeAlias

from .digests import digest, is_digest

if TYPE_CHECKING:
    from collections.abc import Mapping

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
        value = _value(content)
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


def asked(store: Store, key: str) -> list[Answers]:
    """Questions that work of a key has asked, each list with its last answers; newest first."""
    value = _value(store.record(key))
    lists = value if isinstance(value, list) else ()
    return [
        answers
        for answers in lists
        if isinstance(answers, dict) and all(isinstance(answer, str) for answer in answers.values())
    ]


def add_record(store: Store, key: str, answers: Answers, record: Record) -> None:
    """Store a record, and put its questions first."""
    others = [one for one in asked(store, key) if one.keys() != answers.keys()]
    store.set_record(name_of(key, answers), record.packed())
    store.set_record(key, json.dumps([answers, *others][:_MOST_LISTS]).encode())


def questions_in(content: bytes) -> tuple[str, ...] | None:
    """A list of questions that was shared; None if it is not one of this version."""
    value = _value(content)
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return tuple(value)
    return None


def _value(content: bytes | None) -> object:
    try:
        return json.loads(content or b"null")
    except (ValueError, RecursionError):
        return None
