"""Results under keys and records: found while every answer is the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from commodore_py.results import Found, Missing, Reads, Results, Roots, key_of
from commodore_py.store import Store

if TYPE_CHECKING:
    from pathlib import Path

KEY = key_of(b"a key")
MANY = 100


@pytest.fixture
def results(tmp_path: Path) -> Results:
    """An empty store."""
    return Results(Store(tmp_path / "store"))


def reads(**answers: bytes) -> Reads:
    """A record with questions of one letter."""
    made = Reads(Roots({}))
    for question, answer in answers.items():
        made.note(question, "", answer)
    return made


def answers(**known: bytes) -> dict[str, bytes]:
    """What would be answered now."""
    return known


def test_a_result_is_found_while_all_answers_are_the_same(results: Results) -> None:
    results.keep(KEY, reads(a=b"1", b=b"2"), b"made")

    found = results.find(KEY, answers(a=b"1", b=b"2").__getitem__)

    assert isinstance(found, Found)
    assert (found.result, found.questions) == (b"made", ("a", "b"))
    assert results.find(KEY, answers(a=b"1", b=b"3").__getitem__) == Missing("b")
    assert results.find(key_of(b"another"), answers().__getitem__) == Missing()


def test_the_newest_record_says_what_has_changed(results: Results) -> None:
    results.keep(KEY, reads(a=b"1"), b"old")
    results.keep(KEY, reads(b=b"1"), b"new")

    assert results.find(KEY, answers(a=b"2", b=b"2").__getitem__) == Missing("b")


def test_old_records_are_dropped(results: Results) -> None:
    for number in range(MANY):
        results.keep(KEY, reads(a=str(number).encode()), b"made")

    assert results.find(KEY, answers(a=b"0").__getitem__) == Missing("a")
    assert isinstance(results.find(KEY, answers(a=b"99").__getitem__), Found)


def test_what_is_used_stays(results: Results) -> None:
    for number in range(MANY):
        results.keep(KEY, reads(a=str(number).encode()), b"made")
        assert isinstance(results.find(KEY, answers(a=b"0").__getitem__), Found)


def test_a_record_is_replaced_by_one_of_the_same_answers(results: Results) -> None:
    results.keep(KEY, reads(a=b"1"), b"wrong")
    results.keep(KEY, reads(a=b"1"), b"right")

    found = results.find(KEY, answers(a=b"1").__getitem__)

    assert isinstance(found, Found)
    assert found.result == b"right"


def test_a_forgotten_record_is_not_found(results: Results) -> None:
    results.keep(KEY, reads(a=b"1"), b"wrong")
    found = results.find(KEY, answers(a=b"1").__getitem__)
    assert isinstance(found, Found)

    results.forget(KEY, found)

    assert results.find(KEY, answers(a=b"1").__getitem__) == Missing()


def test_an_answer_that_changes_while_work_goes_on_spoils_the_record() -> None:
    made = reads(a=b"1")

    made.note("a", "", b"2")

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
