"""Results in the store, under what made them and what that looked at."""

from __future__ import annotations

import hashlib
import marshal
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Callable

    from commodore_py.store import Store

    from .reads import Reads

# As many as a component has test cases: they all have one key, and are compiled in turns.
_MOST_RECORDS = 64
_FORMAT = 2  # of marshal; see marks


@dataclass(frozen=True, slots=True)
class Found:
    """A result that still holds, and all that was asked for it."""

    result: bytes
    questions: tuple[str, ...]
    record: str = ""


@dataclass(frozen=True, slots=True)
class Missing:
    """No result that holds; the question that has another answer now, if there was one once."""

    question: str | None = None


class Results:
    """A key is everything that work is told; a record is what it looked at besides."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def find(self, key: str, answer: Callable[[str], bytes]) -> Found | Missing:
        """The result of the first record of which everything is as it was."""
        records = self._records(key)
        first: Missing | None = None
        for number, (record, result) in enumerate(records):
            questions, differing = self._checked(record, answer)
            if questions is None or differing is not None:
                first = first or Missing(differing)
                continue
            content = self._store.blob(result)
            if content is None:
                continue
            if number:
                records.insert(0, records.pop(number))
                self._note(key, records)
            return Found(content, questions, record)
        return first or Missing()

    def keep(self, key: str, reads: Reads, result: bytes) -> None:
        """Keep a result with its record; others of the same key stay, the oldest are dropped."""
        pairs = [part for pair in reads.answers.items() for part in pair]
        record = self._store.keep(marshal.dumps(pairs, _FORMAT))
        others = [one for one in self._records(key) if one[0] != record]
        self._note(key, [(record, self._store.keep(result)), *others])

    def forget(self, key: str, found: Found) -> None:
        """Drop one record."""
        self._note(key, [one for one in self._records(key) if one[0] != found.record])

    def _checked(
        self, record: str, answer: Callable[[str], bytes]
    ) -> tuple[tuple[str, ...] | None, str | None]:
        content = self._store.blob(record)
        if content is None:
            return None, None
        pairs = cast("list[Any]", marshal.loads(content))  # noqa: S302 - the store gives what was put there
        for index in range(0, len(pairs), 2):
            question: str = pairs[index]
            if answer(question) != pairs[index + 1]:
                return (), question
        return tuple(pairs[::2]), None

    def _records(self, key: str) -> list[tuple[str, str]]:
        content = self._store.noted(key)
        if content is None:
            return []
        return [(one[0], one[1]) for one in marshal.loads(content)]  # noqa: S302 - as above

    def _note(self, key: str, records: list[tuple[str, str]]) -> None:
        self._store.note(key, marshal.dumps(records[:_MOST_RECORDS], _FORMAT))


def key_of(*parts: bytes) -> str:
    """One key of several parts, each with its length."""
    digest = hashlib.blake2b(digest_size=32)
    for part in parts:
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.hexdigest()
