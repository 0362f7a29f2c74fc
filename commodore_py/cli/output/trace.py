"""A trace for Perfetto and chrome://tracing.

The format: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from commodore_py.spans import Span


def write_trace(file: Path, spans: Iterable[Span]) -> None:
    """Write what ran to a file."""
    content = {"traceEvents": list(events_of(spans, main=os.getpid())), "displayTimeUnit": "ms"}
    file.write_text(json.dumps(content), encoding="utf-8")


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
