"""A campaign finds what it is for: exceptions, lost processes, hangs, and too much memory."""

from __future__ import annotations

import os
import signal
import time

from hypothesis import strategies as st

from commodore_py.errors import CommodoreError

from .campaign import batch, campaign
from .shapes import as_json, as_value, as_yaml, damaged, spoilt

_ZERO = st.integers(0, 3)


def feed(case: object) -> None:
    match case:
        case "error":
            raise CommodoreError("as it should be")
        case "raise":
            raise ValueError(case)
        case "die":
            os.kill(os.getpid(), signal.SIGSEGV)
        case "hang":
            time.sleep(60)
        case "eat":
            bytearray(8 << 30)
        case "print":
            os.write(1, b"what a library prints")


def fates(*cases: object, seconds_each: float = 20.0) -> list[str]:
    return list(campaign(feed, _ZERO, cases, seconds=0, seconds_each=seconds_each).crashes)


def test_success_and_errors_of_ours_are_no_crashes() -> None:
    figures = campaign(feed, _ZERO, ["error", "print", "x"], seconds=0)

    assert figures.outcomes == {"error": 1, "success": 2}
    assert figures.crashes == {}


def test_an_exception_is_named_with_its_line() -> None:
    (name,) = fates("raise", "x")

    assert name.startswith("ValueError in tests/fuzz/test_campaign.py:") or "ValueError in" in name


def test_a_process_that_is_lost_is_replaced() -> None:
    figures = campaign(feed, _ZERO, ["die", "x", "die"], seconds=0)

    assert list(figures.crashes) == ["the process ended with signal SIGSEGV"]
    assert figures.outcomes == {"crash": 2, "success": 1}


def test_a_hang_is_ended() -> None:
    assert fates("hang", seconds_each=0.5) == ["it took more than 0.5 seconds"]


def test_memory_is_limited() -> None:
    (name,) = fates("eat")

    assert name.startswith("MemoryError")


def test_cases_are_generated_for_as_long_as_was_asked_for_and_the_same_for_a_seed() -> None:
    figures = campaign(feed, st.just("raise"), seconds=0.2, start=7)

    assert figures.inputs > 0
    assert [crash.seed for crash in figures.crashes.values()] == [7]


def test_large_values_are_written_out() -> None:
    assert as_json({"a": "@deep:3@"}) == b'{"a": [[[]]]}'
    assert as_yaml({"a": "@huge:3@"}) == b"a: 999\n"
    assert as_value(["@map:2@"]) == [{"a": {"a": 1}}]


def test_generated_content_is_valid_and_damaged() -> None:
    valid = {"a": [1, {"b": "c"}]}
    texts: list[bytes] = []
    values: list[object] = []
    campaign_of = campaign(feed, st.just(0), seconds=0)
    for number in range(3):
        texts += batch(spoilt([b"a: 1\n"]), number)
        values += batch(damaged(valid), number)

    assert campaign_of.inputs == 0
    assert b"a: 1\n" in texts
    assert len(set(texts)) > 20
    assert valid in values
    assert any(value != valid for value in values)
