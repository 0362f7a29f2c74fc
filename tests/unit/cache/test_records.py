"""Results under keys and records: found while every answer is the same."""

from __future__ import annotations

import copy
import marshal
from typing import TYPE_CHECKING

import pytest

from commodore_py.cache.digests import key_of
from commodore_py.cache.questions.inventory import Reference
from commodore_py.cache.questions.table import KINDS, parse
from commodore_py.cache.recorder import Recorder
from commodore_py.cache.records import Found, Missing, Records
from commodore_py.cache.roots import Roots
from commodore_py.cache.store import Store

if TYPE_CHECKING:
    from pathlib import Path

KEY = key_of(b"a key")
MANY = 100


@pytest.fixture
def records(tmp_path: Path) -> Records:
    """An empty store."""
    return Records(Store(tmp_path / "store"))


def make_recorder(**answers: bytes) -> Recorder:
    """A record of some questions."""
    made = Recorder(Roots({}))
    for about, answer in answers.items():
        made.note(Reference(about), answer)
    return made


def answers(**known: bytes) -> dict[str, bytes]:
    """The answers now."""
    return {str(Reference(about)): answer for about, answer in known.items()}


def test_a_result_is_found_while_all_answers_are_the_same(records: Records) -> None:
    records.keep(KEY, make_recorder(a=b"1", b=b"2"), b"made")

    found = records.find(KEY, answers(a=b"1", b=b"2").__getitem__)

    assert isinstance(found, Found)
    assert (found.result, found.questions) == (b"made", (Reference("a"), Reference("b")))
    assert records.find(KEY, answers(a=b"1", b=b"3").__getitem__) == Missing(Reference("b"))
    assert records.find(key_of(b"another"), answers().__getitem__) == Missing()


def test_the_newest_record_has_the_changes(records: Records) -> None:
    records.keep(KEY, make_recorder(a=b"1"), b"old")
    records.keep(KEY, make_recorder(b=b"1"), b"new")

    assert records.find(KEY, answers(a=b"2", b=b"2").__getitem__) == Missing(Reference("b"))


def test_old_records_are_dropped(records: Records) -> None:
    for number in range(MANY):
        records.keep(KEY, make_recorder(a=str(number).encode()), b"made")

    assert records.find(KEY, answers(a=b"0").__getitem__) == Missing(Reference("a"))
    assert isinstance(records.find(KEY, answers(a=b"99").__getitem__), Found)


def test_what_is_used_stays(records: Records) -> None:
    for number in range(MANY):
        records.keep(KEY, make_recorder(a=str(number).encode()), b"made")
        assert isinstance(records.find(KEY, answers(a=b"0").__getitem__), Found)


def test_a_record_is_replaced_by_one_of_the_same_answers(records: Records) -> None:
    records.keep(KEY, make_recorder(a=b"1"), b"wrong")
    records.keep(KEY, make_recorder(a=b"1"), b"right")

    found = records.find(KEY, answers(a=b"1").__getitem__)

    assert isinstance(found, Found)
    assert found.result == b"right"


def test_a_forgotten_record_is_not_found(records: Records) -> None:
    records.keep(KEY, make_recorder(a=b"1"), b"wrong")
    found = records.find(KEY, answers(a=b"1").__getitem__)
    assert isinstance(found, Found)

    records.forget(KEY, found)

    assert records.find(KEY, answers(a=b"1").__getitem__) == Missing()


def test_an_answer_that_changes_while_work_runs_unseals_the_record() -> None:
    made = make_recorder(a=b"1")

    made.note(Reference("a"), b"2")

    assert made.unsealed


def test_keys_know_where_their_parts_end() -> None:
    assert key_of(b"a", b"bc") != key_of(b"ab", b"c")


def test_paths_belong_to_the_innermost_root(tmp_path: Path) -> None:
    roots = Roots({"work": tmp_path, "vendor": tmp_path / "vendor"})

    texts = [roots.portable(str(tmp_path / name)) for name in ("vendor/a", "vendors/a", "..b")]

    assert texts == ["vendor:a", "work:vendors/a", "work:..b"]
    assert [roots.absolute(text) for text in texts] == [
        str(tmp_path / name) for name in ("vendor/a", "vendors/a", "..b")
    ]
    assert roots.portable("/elsewhere") == ":/elsewhere"
    assert roots.absolute(":/elsewhere") == "/elsewhere"


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_kind_of_question_can_be_stored(kind: str) -> None:
    question = KINDS[kind]("about this: that")

    assert parse(str(question)) == question
    assert copy.copy(question) == question  # as in the result of a worker


def test_records_of_other_versions_are_ignored(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    record = store.keep(marshal.dumps(["telepathy about:this", b"1"]))
    store.note(KEY, marshal.dumps([(record, store.keep(b"made"))]))

    assert Records(store).find(KEY, lambda _: b"1") == Missing()
