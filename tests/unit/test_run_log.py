"""The run log: spans for watchers and events for collectors, from threads and workers too."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import pytest

from commodore_py import run_log
from commodore_py.adapters import workers

if TYPE_CHECKING:
    from commodore_py.run_log import Span


@dataclass
class Watcher:
    """Keeps what it receives."""

    deep: bool = False
    begins: list[str] = field(default_factory=list)
    ends: list[Span] = field(default_factory=list)

    def started(self, span: Span) -> None:
        self.begins.append(span.name)

    def finished(self, span: Span) -> None:
        self.ends.append(span)


class Used(NamedTuple):
    """Something that work used."""

    name: str


class Other(NamedTuple):
    """Something else."""

    name: str = ""


def test_a_watcher_receives_beginnings_and_ends() -> None:
    watcher = Watcher()

    with run_log.watching(watcher):
        fetching = run_log.stage("fetch", of="repository", total=1)
        with fetching, run_log.item("repository", "one"):
            assert watcher.begins == ["fetch", "one"]
            assert watcher.ends == []

    item, stage = watcher.ends
    assert (item.kind, item.name) == ("repository", "one")
    assert (stage.kind, stage.name, stage.of, stage.total) == ("stage", "fetch", "repository", 1)
    assert stage.start <= item.start <= item.end <= stage.end
    assert item.process == os.getpid()


def test_a_failure_ends_a_span_too() -> None:
    watcher = Watcher()

    with suppress(ValueError), run_log.watching(watcher), run_log.stage("fetch"):
        raise ValueError

    assert [one.name for one in watcher.ends] == ["fetch"]


def test_a_watcher_receives_nothing_afterwards() -> None:
    watcher = Watcher()
    with run_log.watching(watcher):
        pass

    with run_log.stage("fetch"), run_log.item("repository", "one"):
        pass

    assert watcher.begins == []


@pytest.mark.parametrize(("deep", "kinds"), [(False, ["stage"]), (True, ["program", "stage"])])
def test_only_deep_watchers_receive_details_and_cpu_times(deep: bool, kinds: list[str]) -> None:
    watcher = Watcher(deep)

    with (
        run_log.watching(watcher),
        run_log.stage("fetch"),
        run_log.detail("program", "git", "x"),
    ):
        sum(range(1000))

    assert [one.kind for one in watcher.ends] == kinds
    assert all((one.cpu is not None) == deep for one in watcher.ends)


def test_a_thread_has_no_cpu_of_its_own() -> None:
    watcher = Watcher(deep=True)

    def work() -> None:
        with run_log.item("repository", "one"):
            pass

    with run_log.watching(watcher):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()

    assert [(one.name, one.cpu) for one in watcher.ends] == [("one", None)]
    assert watcher.ends[0].thread != threading.get_native_id()


def test_an_act_returns_what_its_function_does() -> None:
    @run_log.act("gather")
    def gather(number: int, *, more: int = 0) -> int:
        return number + more

    watcher = Watcher()
    with run_log.watching(watcher):
        assert gather(1, more=2) == 3

    assert [(one.kind, one.name) for one in watcher.ends] == [("act", "gather")]
    assert gather.__name__ == "gather"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux forks safely")
@pytest.mark.parametrize("deep", [False, True])
def test_spans_of_workers_reach_the_watcher(deep: bool) -> None:
    watcher = Watcher(deep)

    def equip_and_work(number: int) -> int:
        with run_log.item("target", str(number)), run_log.detail("entry", "jsonnet"):
            return number

    with run_log.watching(watcher):
        done = dict(workers.each(equip_and_work, range(4), 2))

    assert done == {number: number for number in range(4)}
    targets = [one for one in watcher.ends if one.kind == "target"]
    assert sorted(one.name for one in targets) == ["0", "1", "2", "3"]
    assert os.getpid() not in {one.process for one in targets}
    assert len([one for one in watcher.ends if one.kind == "entry"]) == (4 if deep else 0)


def test_events_are_collected_by_type_and_in_their_order() -> None:
    with run_log.collecting() as outer:
        run_log.report(Used("one"))
        with run_log.collecting() as inner:
            run_log.report(Other())
            run_log.report(Used("two"))
    run_log.report(Used("three"))

    assert outer.of(Used) == (Used("one"), Used("two"))
    assert inner.of(Used) == (Used("two"),)
    assert outer.of(Other) == inner.of(Other) == (Other(),)


def test_a_thread_reports_to_the_log_of_the_process() -> None:
    with run_log.collecting() as events:
        thread = threading.Thread(target=run_log.report, args=(Used("one"),))
        thread.start()
        thread.join()

    assert events.of(Used) == (Used("one"),)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux forks safely")
def test_events_of_workers_reach_the_collector() -> None:
    def work(number: int) -> int:
        run_log.report(Used(str(number)))
        return number

    with run_log.collecting() as events:
        for _ in workers.each(work, range(4), 2):
            pass

    assert sorted(one.name for one in events.of(Used)) == ["0", "1", "2", "3"]
