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


def test_nothing_that_waits_is_done_in_this_thread_alone() -> None:
    threads: set[threading.Thread] = set()

    def work(number: int) -> int:
        threads.add(threading.current_thread())
        return number * number

    assert turns.in_parallel(work, range(5), at_most=4) == (0, 1, 4, 9, 16)
    assert threads == {threading.current_thread()}


def test_while_one_waits_others_go_on_and_results_are_in_order() -> None:
    together = threading.Barrier(3, timeout=30)

    def work(number: int) -> int:
        with turns.passed_on():
            together.wait()
        return number

    assert turns.in_parallel(work, range(9), at_most=3) == tuple(range(9))


def test_no_more_threads_than_wanted_wait() -> None:
    waiting, most = set[int](), 0

    def work(number: int) -> None:
        nonlocal most
        with turns.passed_on():
            waiting.add(number)
            most = max(most, len(waiting))
            threading.Event().wait(0.01)
            waiting.discard(number)

    turns.in_parallel(work, range(12), at_most=3)

    assert 1 < most <= 3


@pytest.mark.parametrize("failing", [0, 1, 4])
def test_an_error_ends_the_work_once_all_threads_have_ended(failing: int) -> None:
    done: list[int] = []

    def work(number: int) -> None:
        with turns.passed_on():
            threading.Event().wait(0.01)
        if number == failing:
            raise ValueError(f"number {number}")
        done.append(number)

    before = threading.active_count()
    with pytest.raises(ValueError, match=f"number {failing}"):
        turns.in_parallel(work, range(100), at_most=3)

    assert len(done) < 10
    assert threading.active_count() == before
    assert turns.in_parallel(str, [1], at_most=3) == ("1",), "the turn is free"


def test_without_another_thread_this_one_does_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    def work(number: int) -> int:
        with turns.passed_on():
            return number

    monkeypatch.setattr(threading.Thread, "start", refused)

    assert turns.in_parallel(work, range(5), at_most=4) == (0, 1, 2, 3, 4)


def test_a_lock_that_is_free_starts_no_thread() -> None:
    lock, threads = threading.Lock(), set[threading.Thread]()

    def work(_: int) -> None:
        with turns.alone(lock):
            threads.add(threading.current_thread())

    turns.in_parallel(work, range(5), at_most=4)

    assert threads == {threading.current_thread()}
