"""Handlers of a cache: in order, outside of locks, and no deletion is lost."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from commodore_py.live.cache.handlers import CREATED, DELETED, UPDATED, Handlers

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def handlers() -> Iterator[Handlers]:
    made = Handlers()
    yield made
    made.close()


def test_a_slow_handler_sees_the_last_update_and_every_deletion(handlers: Handlers) -> None:
    begun, go_on = threading.Event(), threading.Event()
    seen: list[tuple[str, int]] = []

    def slow(number: int) -> None:
        begun.set()
        go_on.wait(10)
        seen.append(("updated", number))

    handlers.subscribe(CREATED, lambda number: seen.append(("created", number)))
    handlers.subscribe(UPDATED, slow)
    handlers.subscribe(DELETED, lambda number: seen.append(("deleted", number)))
    handlers.happened("other", UPDATED, 0)
    assert begun.wait(10)
    handlers.happened("it", UPDATED, 1)
    handlers.happened("it", UPDATED, 2)
    handlers.happened("it", DELETED, 3)
    handlers.happened("it", CREATED, 4)
    handlers.happened("it", UPDATED, 5)
    handlers.happened("it", DELETED, 6)
    go_on.set()

    assert handlers.wait(10)
    assert seen == [
        ("updated", 0),
        ("updated", 2),
        ("deleted", 3),
        ("created", 5),
        ("deleted", 6),
    ]


def test_a_handler_that_raises_does_not_stop_the_others(
    handlers: Handlers, caplog: pytest.LogCaptureFixture
) -> None:
    seen: list[int] = []

    def fail(_: int) -> None:
        raise RuntimeError("it failed")

    handlers.subscribe(CREATED, fail)
    handlers.subscribe(CREATED, seen.append)
    handlers.happened("it", CREATED, 1)

    assert handlers.wait(10)
    assert seen == [1]
    assert "a handler of created failed" in caplog.text


def test_a_handler_may_unsubscribe_itself(handlers: Handlers) -> None:
    seen: list[int] = []

    def once(number: int) -> None:
        seen.append(number)
        end()

    end = handlers.subscribe(CREATED, once)
    handlers.happened("a", CREATED, 1)
    handlers.happened("b", CREATED, 2)

    assert handlers.wait(10)
    assert seen == [1]


def test_nothing_is_called_after_the_end(handlers: Handlers) -> None:
    seen: list[int] = []
    handlers.subscribe(CREATED, seen.append)
    handlers.close()

    handlers.happened("it", CREATED, 1)

    assert not handlers.wait(0.05) or not seen
