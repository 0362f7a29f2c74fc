"""Threads that take turns in computing."""

from __future__ import annotations

import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from commodore_py.adapters import turns
from commodore_py.adapters.process import ENDLESS, run


def test_one_thread_computes_at_a_time() -> None:
    at_work: list[int] = []
    seen: list[int] = []

    def work(number: int) -> None:
        with turns.taken():
            at_work.append(number)
            seen.extend(len(at_work) for _ in range(1000))
            at_work.remove(number)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(8)))

    assert set(seen) == {1}


def test_who_waits_lets_another_thread_compute() -> None:
    both = threading.Barrier(2, timeout=30)

    def work(_: int) -> None:
        with turns.taken(), turns.passed_on():
            both.wait()

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(work, range(2)))


def test_a_lock_under_which_programs_run_is_not_waited_for_with_the_turn() -> None:
    lock = threading.Lock()

    def work(_: int) -> None:
        with turns.taken(), turns.alone(lock):
            run([sys.executable, "-c", ""], patience=ENDLESS)

    with ThreadPoolExecutor(4) as pool:
        results = [pool.submit(work, number) for number in range(4)]
        assert [one.result(timeout=60) for one in results] == [None] * 4


def test_an_error_ends_the_turn() -> None:
    with pytest.raises(ValueError, match="x"), turns.taken(), turns.passed_on():
        raise ValueError("x")

    with turns.taken():
        pass


def test_without_a_turn_there_is_nothing_to_pass_on() -> None:
    with turns.passed_on(), turns.taken():
        pass
