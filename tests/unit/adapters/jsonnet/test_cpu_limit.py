"""Code that would go on forever is stopped, in whatever thread it was asked for."""

from __future__ import annotations

import re
import threading

import pytest

from commodore_py.adapters.jsonnet.cpu_limit import TookTooLong, cpu_limit
from commodore_py.adapters.jsonnet.interruptible import in_main_thread, interruptible

ENDLESS = "a" * 60 + "!"
PATTERNS = ["^(a+)+$", "^(a|a)*$", "^(a|aa)+$", "^(.*a){20}$", "(x+x+)+y|^(a*)*$", "^((a)*)*$"]


def limited(pattern: str) -> object:
    with cpu_limit(0.2, "the search"):
        return re.search(pattern, ENDLESS)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pattern_that_takes_exponential_time_is_stopped(pattern: str) -> None:
    with pytest.raises(TookTooLong, match=r"the search took more than 0\.2 seconds of CPU time"):
        limited(pattern)


@pytest.mark.parametrize("pattern", PATTERNS[:2])
def test_it_is_stopped_in_what_another_language_calls_back(pattern: str) -> None:
    with pytest.raises(TookTooLong):
        interruptible(lambda: in_main_thread(lambda: limited(pattern)))


def test_what_ends_in_time_has_its_result_and_leaves_no_limit() -> None:
    found = interruptible(lambda: in_main_thread(lambda: limited("^a+")))

    assert isinstance(found, re.Match)
    with cpu_limit(60, "nothing"):
        pass


def test_calls_back_run_in_the_main_thread() -> None:
    threads = interruptible(
        lambda: [threading.current_thread(), in_main_thread(threading.current_thread)]
    )

    assert threads[0] is not threading.main_thread()
    assert threads[1] is threading.main_thread()
    assert in_main_thread(threading.current_thread) is threading.main_thread()


def test_an_error_of_a_call_back_reaches_the_one_who_called() -> None:
    def caught() -> str:
        try:
            in_main_thread(lambda: 1 // 0)
        except ZeroDivisionError as error:
            return str(error)
        return ""

    assert interruptible(caught) == "integer division or modulo by zero"


def test_an_error_of_the_call_is_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        interruptible(lambda: 1 // 0)


def test_without_a_main_thread_that_waits_the_call_is_made_at_once() -> None:
    results: list[object] = []
    thread = threading.Thread(target=lambda: results.append(in_main_thread(lambda: limited("^a"))))
    thread.start()
    thread.join()

    assert isinstance(results[0], re.Match)
