"""Spans: who is told of what, from threads and workers too; and what it costs when nobody is."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from commodore_py import spans
from commodore_py.adapters import forked

if TYPE_CHECKING:
    from commodore_py.spans import Span


@dataclass
class Told:
    """Remembers what it was told."""

    deep: bool = False
    begins: list[str] = field(default_factory=list)
    ends: list[Span] = field(default_factory=list)

    def begun(self, span: Span) -> None:
        self.begins.append(span.name)

    def done(self, span: Span) -> None:
        self.ends.append(span)


def test_a_watcher_is_told_of_beginnings_and_ends() -> None:
    told = Told()

    with spans.watching(told):
        fetching = spans.stage("fetch", of="repository", total=1)
        with fetching, spans.item("repository", "one"):
            assert told.begins == ["fetch", "one"]
            assert told.ends == []

    item, stage = told.ends
    assert (item.kind, item.name) == ("repository", "one")
    assert (stage.kind, stage.name, stage.of, stage.total) == ("stage", "fetch", "repository", 1)
    assert stage.start <= item.start <= item.end <= stage.end
    assert item.process == os.getpid()


def test_a_failure_ends_a_span_too() -> None:
    told = Told()

    with suppress(ValueError), spans.watching(told), spans.stage("fetch"):
        raise ValueError

    assert [one.name for one in told.ends] == ["fetch"]


def test_after_that_nobody_is_told() -> None:
    told = Told()
    with spans.watching(told):
        pass

    with spans.stage("fetch"), spans.item("repository", "one"):
        pass

    assert told.begins == []


@pytest.mark.parametrize(("deep", "kinds"), [(False, ["stage"]), (True, ["program", "stage"])])
def test_details_and_times_are_for_who_wants_them(deep: bool, kinds: list[str]) -> None:
    told = Told(deep)

    with spans.watching(told), spans.stage("fetch"), spans.detail("program", "git", "in a folder"):
        sum(range(1000))

    assert [one.kind for one in told.ends] == kinds
    assert all((one.cpu is not None) == deep for one in told.ends)


def test_a_thread_has_no_cpu_of_its_own() -> None:
    told = Told(deep=True)

    def work() -> None:
        with spans.item("repository", "one"):
            pass

    with spans.watching(told):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()

    assert [(one.name, one.cpu) for one in told.ends] == [("one", None)]
    assert told.ends[0].thread != threading.get_native_id()


def test_an_act_returns_what_its_function_does() -> None:
    @spans.act("gather")
    def gather(number: int, *, more: int = 0) -> int:
        return number + more

    told = Told()
    with spans.watching(told):
        assert gather(1, more=2) == 3

    assert [(one.kind, one.name) for one in told.ends] == [("act", "gather")]
    assert gather.__name__ == "gather"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux forks safely")
@pytest.mark.parametrize("deep", [False, True])
def test_what_ran_in_workers_is_told_at_home(deep: bool) -> None:
    told = Told(deep)

    def equip_and_work(number: int) -> int:
        with spans.item("target", str(number)), spans.detail("entry", "jsonnet"):
            return number

    with spans.watching(told):
        done = dict(forked.each(lambda: equip_and_work, range(4), 2))

    assert done == {number: number for number in range(4)}
    targets = [one for one in told.ends if one.kind == "target"]
    assert sorted(one.name for one in targets) == ["0", "1", "2", "3"]
    assert os.getpid() not in {one.process for one in targets}
    assert len([one for one in told.ends if one.kind == "entry"]) == (4 if deep else 0)
