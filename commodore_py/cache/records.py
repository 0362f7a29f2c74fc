"""Records: what results depend on, stored by the key of the work."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from .digests import is_digest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .store import Store

# As many as a component has test cases: they all have one key, and are compiled in turns.
_MOST_RECORDS = 64
RECENT = _MOST_RECORDS // 2
"""A record in use is moved to the front before it can be dropped, but not whenever it is used."""


@dataclass(frozen=True, slots=True)
class Record:
    """A result, and what it depends on."""

    answers: Mapping[str, str]
    result: str
    traces: str
    """Bytes as Latin-1."""

    @classmethod
    def parse(cls, content: bytes) -> Record | None:
        """The record in some bytes; None if it is not one of this version."""
        return cls._of(_value(content))

    @classmethod
    def parse_all(cls, content: bytes) -> list[Record]:
        """The records in a list of them."""
        values = _value(content)
        records = map(cls._of, values if isinstance(values, list) else ())
        return [record for record in records if record is not None]

    @classmethod
    def _of(cls, value: object) -> Record | None:
        if not isinstance(value, dict):
            return None
        answers, result, traces = (value.get(name) for name in ("answers", "result", "traces"))
        if not (
            isinstance(answers, dict)
            and all(isinstance(answer, str) for answer in answers.values())
            and isinstance(result, str)
            and is_digest(result)
            and isinstance(traces, str)
            and all(character <= "\xff" for character in traces)
        ):
            return None
        return cls(answers, result, traces)

    def packed(self) -> bytes:
        """The record as bytes."""
        return json.dumps(asdict(self)).encode()


@dataclass(frozen=True, slots=True)
class NewResult:
    """A result that was made in this run, and the keys that its record belongs to."""

    keys: tuple[str, ...]
    record: Record


def records_of(store: Store, key: str) -> list[Record]:
    """The records of a key; the newest first."""
    content = store.record(key)
    return [] if content is None else Record.parse_all(content)


def add_record(store: Store, key: str, record: Record, *, instead_of: Record | None = None) -> None:
    """Store a record as the first one of a key."""
    others = [
        old for old in records_of(store, key) if old.answers != record.answers and old != instead_of
    ]
    records = (record, *others)[:_MOST_RECORDS]
    store.set_record(key, json.dumps([asdict(one) for one in records]).encode())


def _value(content: bytes) -> object:
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None
