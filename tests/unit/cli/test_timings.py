"""What ran, as a table, as data, and as a trace."""

from __future__ import annotations

import os
import sys
from typing import Any

from commodore_py.cli.output.timings import (
    Cost,
    as_data,
    as_table,
    cost_so_far,
    events_of,
    rows_of,
)
from commodore_py.run_log import Span

MS = 1_000_000
START = Cost(30 * MS, 20 * MS)
TOTAL = Cost(300 * MS, 150 * MS)
NOTHING = Cost(0, 0)


def a_span(kind: str, name: str, start: int, end: int, **more: Any) -> Span:  # noqa: ANN401 - Span checks them by name
    defaults = {"process": 1, "thread": 1, "cpu": (end - start) * MS // 2}
    return Span(kind, name, start * MS, end=end * MS, **{**defaults, **more})


def targets(count: int) -> list[Span]:
    """Each takes 10 ms more than the one before; all at once, in processes of their own."""
    return [
        a_span("target", f"t{n:02}", 100, 110 + 10 * n, process=10 + n, thread=10 + n)
        for n in range(count)
    ]


RUN = [
    a_span("stage", "facts", 1, 5),
    a_span("repository", "one", 6, 56, thread=2, cpu=None),
    a_span("repository", "quick", 6, 7, thread=3, cpu=None),
    a_span("stage", "fetch", 6, 60, of="repository", total=2),
    a_span("stage", "components", 5, 60),
    a_span("act", "gather", 0, 90),
    *targets(12),
    a_span("stage", "compile", 100, 250, of="target", total=12),
    a_span("act", "render", 100, 260),
]


def test_acts_hold_stages_and_stages_their_slowest() -> None:
    rows = rows_of(RUN, start=START, total=TOTAL)

    assert ["/".join(row.names) for row in rows] == [
        "start",
        "gather",
        "gather/facts",
        "gather/components",
        "gather/components/fetch",
        "gather/components/fetch/one",
        "render",
        "render/compile",
        *(f"render/compile/t{n:02}" for n in range(11, 1, -1)),
        "other",
        "total",
    ]


def test_times_are_those_of_the_spans() -> None:
    data = {one["stage"]: one for one in as_data(rows_of(RUN, start=START, total=TOTAL))}

    assert data["start"] == {"stage": "start", "wall": 0.03, "cpu": 0.02}
    assert data["gather/components"] == {
        "stage": "gather/components",
        "wall": 0.055,
        "cpu": 0.0275,
    }
    assert data["gather/components/fetch/one"]["cpu"] is None
    assert data["total"] == {"stage": "total", "wall": 0.3, "cpu": 0.15}


def test_the_rows_at_the_top_add_up() -> None:
    data = {one["stage"]: one for one in as_data(rows_of(RUN, start=START, total=TOTAL))}
    top = ("start", "gather", "render", "other")

    assert data["other"] == {"stage": "other", "wall": 0.02, "cpu": 0.005}
    for kind in ("wall", "cpu"):
        assert round(sum(data[stage][kind] for stage in top), 6) == data["total"][kind]


def test_this_process_has_cost_something() -> None:
    wall, cpu = cost_so_far()

    assert cpu > 0
    assert sys.platform != "linux" or (wall is not None and wall * (os.cpu_count() or 1) > cpu / 2)


def test_a_stage_that_ran_twice_is_one_row() -> None:
    twice = [a_span("stage", "stage", 0, 10), a_span("stage", "stage", 10, 30)]

    data = as_data(rows_of(twice, start=NOTHING, total=Cost(30 * MS, 15 * MS)))

    assert [one for one in data if one["stage"] == "stage"] == [
        {"stage": "stage", "wall": 0.03, "cpu": 0.015}
    ]


def test_stages_of_workers_do_not_lie_within_each_other() -> None:
    def worker(process: int, start: int, end: int) -> list[Span]:
        who = {"process": process, "thread": process}
        return [
            a_span("target", "one", start + 2, end - 2, **who),
            a_span("stage", "compile", start + 1, end - 1, of="target", total=1, **who),
            a_span("act", "render", start, end, **who),
        ]

    cases = a_span("stage", "cases", 0, 100)

    data = as_data(
        rows_of(
            [*worker(2, 10, 90), *worker(3, 20, 60), cases], start=NOTHING, total=Cost(100 * MS, 0)
        )
    )

    assert [(one["stage"], one["wall"]) for one in data[1:-2]] == [
        ("cases", 0.1),
        ("cases/render", 0.12),
        ("cases/render/compile", 0.116),
        ("cases/render/compile/one", 0.112),
    ]


def test_the_table_fits_a_terminal() -> None:
    long = [
        a_span("target", "n" * 90, 0, 80),
        a_span("stage", "compile", 0, 90, of="target", total=188),
        a_span("act", "render", 0, 95),
    ]

    lines = list(as_table(rows_of(long, start=Cost(None, 10 * MS), total=Cost(100 * MS, 0))))

    assert {len(line) for line in lines} == {64}
    assert lines[1].split() == ["start", "0.010"]
    assert lines[3].split() == ["compile", "(188)", "0.090", "0.045"]
    assert "…" in lines[4]


def test_nothing_ran() -> None:
    assert [row.names[0] for row in rows_of([], start=NOTHING, total=NOTHING)] == [
        "start",
        "other",
        "total",
    ]


def test_a_trace_has_every_span_with_its_process() -> None:
    events = list(events_of(RUN, main=1))

    spans = [one for one in events if one["ph"] == "X"]
    assert len(spans) == len(RUN)
    about = ("name", "cat", "ts", "dur", "pid", "tid")
    assert tuple(spans[0][key] for key in about) == ("gather", "act", 0.0, 90_000.0, 1, 1)
    assert {one["pid"] for one in spans if one["cat"] == "target"} == set(range(10, 22))
    fetch = next(one for one in spans if one["name"] == "fetch")
    assert fetch["args"] == {"count": 2, "cpu_ms": 27.0}


def test_a_trace_names_processes_and_threads() -> None:
    events = [one for one in events_of(RUN, main=1) if one["ph"] == "M"]

    names = {(one["name"], one["pid"], one.get("tid")): one["args"]["name"] for one in events}
    assert names["process_name", 1, None] == "commodore"
    assert names["process_name", 10, None] == "commodore, worker"
    assert names["thread_name", 1, 1] == "main"
    assert names["thread_name", 1, 2] == "thread 2"


def test_a_trace_of_nothing() -> None:
    assert [one["ph"] for one in events_of([], main=1)] == ["M"]
