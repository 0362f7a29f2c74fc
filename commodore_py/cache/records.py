"""Results in the store: by key, and by records of the questions that each depends on."""

from __future__ import annotations

import marshal
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from .digests import BY_VALUE
from .questions.table import parse

if TYPE_CHECKING:
    from collections.abc import Callable

    from .questions.base import Question
    from .recorder import Recorder
    from .store import Store

# As many as a component has test cases: they all have one key, and are compiled in turns.
_MOST_RECORDS = 64


class Found(NamedTuple):
    """A cached result that is valid now, and the questions that it depends on."""

    result: bytes
    questions: tuple[Question, ...]
    record: str = ""


class Missing(NamedTuple):
    """No valid result; the question with another answer, if there was a result."""

    question: Question | None = None


class Records:
    """A key covers everything that work is given; a record covers what it reads besides."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def find(self, key: str, answer: Callable[[str], bytes]) -> Found | Missing:
        """The result of the first record with the same answers as now, to stored questions."""
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

    def keep(self, key: str, recorder: Recorder, result: bytes) -> None:
        """Store a result with its record; the oldest of many records of one key are dropped."""
        pairs = [
            part
            for question, answer in recorder.answers.items()
            for part in (str(question), answer)
        ]
        record = self._store.keep(marshal.dumps(pairs, BY_VALUE))
        others = [one for one in self._records(key) if one[0] != record]
        self._note(key, [(record, self._store.keep(result)), *others])

    def forget(self, key: str, found: Found) -> None:
        """Drop one record."""
        self._note(key, [one for one in self._records(key) if one[0] != found.record])

    def _checked(
        self, record: str, answer: Callable[[str], bytes]
    ) -> tuple[tuple[Question, ...] | None, Question | None]:
        content = self._store.blob(record)
        if content is None:
            return None, None
        pairs = cast("list[Any]", marshal.loads(content))  # noqa: S302 - the store gives what was put there
        try:
            for index in range(0, len(pairs), 2):
                stored: str = pairs[index]
                if answer(stored) != pairs[index + 1]:
                    return (), parse(stored)
            return tuple(map(parse, pairs[::2])), None
        except ValueError:  # a kind of question that this version does not know
            return None, None

    def _records(self, key: str) -> list[tuple[str, str]]:
        content = self._store.noted(key)
        if content is None:
            return []
        return [(one[0], one[1]) for one in marshal.loads(content)]  # noqa: S302 - as above

    def _note(self, key: str, records: list[tuple[str, str]]) -> None:
        self._store.note(key, marshal.dumps(records[:_MOST_RECORDS], BY_VALUE))
