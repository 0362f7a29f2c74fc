"""What ran and how long it took: a table, data, and a trace for Perfetto and chrome://tracing.

The format of traces: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from commodore_py.adapters.masking import REDACTOR

from . import log, messages, streams

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from commodore_py.run_log import Span

_STAGES = ("act", "stage")
_SLOWEST = {"target": 10}
_OTHERS = 3
_WORTH_TELLING = 10_000_000  # nanoseconds


class Cost(NamedTuple):
    """What this process has cost since it was started, in nanoseconds."""

    wall: int | None
    """Only some systems know."""
    cpu: int
    """With programs and workers that have ended."""


@dataclass(slots=True)
class Row:
    """What took how many nanoseconds; CPU where it is known."""

    names: tuple[str, ...]
    wall: int | None
    cpu: int | None
    count: int = 0


def cost_so_far() -> Cost:
    """What this process has cost up to now."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = time.process_time_ns() + int((children.ru_utime + children.ru_stime) * 1e9)
    return Cost(_since_start(), cpu)


def rows_of(spans: Sequence[Span], *, start: Cost, total: Cost) -> list[Row]:
    """Acts with their stages, and of what a stage does many times the slowest (pure).

    The rows at the top add up to the last one.
    """
    rows: dict[tuple[str, ...], Row] = {("start",): Row(("start",), start.wall, start.cpu)}
    open_stages: list[tuple[Span, tuple[str, ...]]] = []
    in_order = sorted(spans, key=lambda one: (one.start, -one.end))
    main = in_order[0].process if in_order else 0
    for span in in_order:
        if span.kind not in _STAGES:
            continue
        open_stages = [one for one in open_stages if one[0].end > span.start]
        # What a worker does belongs to its own stage, or to that of the main process.
        around = [names for one, names in open_stages if one.process in {span.process, main}]
        names = (*(around[-1] if around else ()), span.name)
        open_stages.append((span, names))
        _add(rows.setdefault(names, Row(names, 0, 0)), span)
        seen = [one for one in spans if span.process in {main, one.process}]
        for one in _slowest(span, seen):
            below = (*names, one.name)
            rows.setdefault(below, Row(below, 0, 0))
            _add(rows[below], one)
    top = [row for row in rows.values() if len(row.names) == 1]
    wall = max(0, (total.wall or 0) - sum(row.wall or 0 for row in top))
    cpu = max(0, total.cpu - sum(row.cpu or 0 for row in top))
    return [*rows.values(), Row(("other",), wall, cpu), Row(("total",), total.wall, total.cpu)]


def _add(row: Row, span: Span) -> None:
    row.wall = (row.wall or 0) + span.end - span.start
    row.cpu = None if row.cpu is None or span.cpu is None else row.cpu + span.cpu
    row.count += span.total


def _slowest(stage: Span, spans: Iterable[Span]) -> list[Span]:
    within = [
        one
        for one in spans
        if one.kind == stage.of
        and one.start >= stage.start
        and one.end <= stage.end
        and one.end - one.start >= _WORTH_TELLING
    ]
    within.sort(key=lambda one: one.start - one.end)
    return within[: _SLOWEST.get(stage.of, _OTHERS)]


def as_table(rows: Iterable[Row]) -> Iterator[str]:
    """For people (pure)."""
    yield f"{'':44}{'wall s':>10}{'CPU s':>10}"
    for row in rows:
        count = f" ({row.count})" if row.count else ""
        name = f"{'  ' * (len(row.names) - 1)}{row.names[-1]}"
        room = 44 - len(count)
        shown = name if len(name) <= room else f"{name[: room - 1]}…"
        yield f"{shown + count:44}{_seconds(row.wall):>10}{_seconds(row.cpu):>10}"


def as_data(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """For programs (pure)."""
    return [
        {
            "stage": "/".join(row.names),
            "wall": None if row.wall is None else round(row.wall / 1e9, 6),
            "cpu": None if row.cpu is None else round(row.cpu / 1e9, 6),
        }
        for row in rows
    ]


def print_rows(rows: Sequence[Row]) -> None:
    """Print them on stderr, in the format of the log."""
    if log.form() == "json":
        for one in as_data(rows):
            known = ((one["wall"], "s"), (one["cpu"], "s of CPU"))
            costs = ", ".join(f"{cost:.3f} {of}" for cost, of in known if cost is not None)
            messages.requested(f"{one['stage']}: {costs}")
        return
    for line in as_table(rows):
        streams.error_line(streams.shown(line))


def write_trace(file: Path, spans: Iterable[Span]) -> None:
    """Write what ran to a file."""
    # Command lines and URLs of many programs: masked as a whole, it is still valid JSON.
    content = {"traceEvents": list(events_of(spans, main=os.getpid())), "displayTimeUnit": "ms"}
    file.write_text(REDACTOR.masked(json.dumps(content)), encoding="utf-8")


def events_of(spans: Iterable[Span], *, main: int) -> Iterator[dict[str, Any]]:
    """The events of a trace: names of processes and threads, then a span each (pure)."""
    known = sorted(spans, key=lambda span: (span.start, -span.end))
    for process in dict.fromkeys((main, *(span.process for span in known))):
        name = "commodore" if process == main else "commodore, worker"
        yield {"ph": "M", "name": "process_name", "pid": process, "args": {"name": name}}
    for process, thread in dict.fromkeys((span.process, span.thread) for span in known):
        name = "main" if thread == process else f"thread {thread}"
        about = {"pid": process, "tid": thread, "args": {"name": name}}
        yield {"ph": "M", "name": "thread_name", **about}
    first = known[0].start if known else 0
    for span in known:
        yield {
            "ph": "X",
            "name": span.name,
            "cat": span.kind,
            "ts": (span.start - first) / 1000,
            "dur": (span.end - span.start) / 1000,
            "pid": span.process,
            "tid": span.thread,
            "args": dict(_about(span)),
        }


def _about(span: Span) -> Iterator[tuple[str, Any]]:
    if span.details:
        yield "details", span.details
    if span.total:
        yield "count", span.total
    if span.cpu is not None:
        yield "cpu_ms", span.cpu / 1e6


def _since_start() -> int | None:
    """Wall time since the process began, including a restart of itself."""
    if sys.platform != "linux":
        return None
    try:
        # The name of the program is in parentheses, and may contain anything.
        fields = Path("/proc/self/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
    except OSError:
        return None
    began = int(fields[19]) * 1_000_000_000 // os.sysconf("SC_CLK_TCK")
    return max(0, time.clock_gettime_ns(time.CLOCK_BOOTTIME) - began)


def _seconds(nanoseconds: int | None) -> str:
    return "" if nanoseconds is None else f"{nanoseconds / 1e9:.3f}"
