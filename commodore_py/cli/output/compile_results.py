"""Output of `catalog compile` for several clusters: each as it ends, and a table of all."""

from __future__ import annotations

import json
import logging
from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from commodore_py.adapters import escaping
from commodore_py.model.published import ReportOutcome

from . import differences, formats, log, messages, streams
from .compile_result import CompileReporter

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from commodore_py.config import Config
    from commodore_py.manifests.diff import What
    from commodore_py.model.catalog import Change
    from commodore_py.model.published import Published

_COLUMNS = ("CLUSTER", "RESULT", "ADDED", "CHANGED", "REMOVED", "TIME")
_WORDS = 2
_COLOURS = {"failed": "red", "not reported": "red", "changed": "yellow", "pushed": "green"}
_KINDS: dict[str, tuple[What, ...]] = {
    "added": ("created", "copy added"),
    "changed": ("changed", "renamed"),
    "removed": ("deleted", "copy removed"),
}


class ClusterResult(NamedTuple):
    """How the compile of one of several clusters ended."""

    cluster: str
    outcome: str
    """`unchanged`, `changed`, `pushed`, `not reported`, `failed` or `skipped`."""
    code: int = 0
    seconds: float = 0.0
    objects: dict[str, int] | None = None
    folder: str = ""
    errors: Sequence[dict[str, str]] = ()
    content: dict[str, Any] | None = None
    """The result for programs, as that of a single cluster."""


class ClusterReporter(CompileReporter):
    """Shows the result of one of several clusters; what is for programs is printed at the end."""

    _content: dict[str, Any] | None = None

    @contextmanager
    def collecting_errors(self) -> Iterator[None]:
        """Collect the errors that are logged."""
        self._errors = _Errors()
        logger = logging.getLogger("commodore_py")
        logger.addHandler(self._errors)
        try:
            yield
        finally:
            logger.removeHandler(self._errors)

    def failed(self, cluster: str, code: int, seconds: float) -> ClusterResult:
        """A cluster whose compile failed; the error was reported."""
        return ClusterResult(cluster, "failed", code, seconds, errors=self._errors.found)

    def result(
        self, config: Config, published: Published, code: int, seconds: float
    ) -> ClusterResult:
        """A cluster that was compiled."""
        return ClusterResult(
            published.record.cluster,
            _outcome(published),
            code,
            seconds,
            self._counts(published.change),
            str(config.paths.root),
            content=self._content,
        )

    def _counts(self, change: Change) -> dict[str, int]:
        if not change:
            return dict.fromkeys(_KINDS, 0)
        found = differences.diff_of(
            change, self._options(), differences.unchanged_of(change)
        ).objects
        number = Counter(one.what for one in found)
        return {kind: sum(number[what] for what in whats) for kind, whats in _KINDS.items()}

    def _data(self, content: dict[str, Any]) -> None:
        self._content = content


class _Errors(logging.Handler):
    """Errors as they are logged, for programs."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.found: list[dict[str, str]] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep one."""
        for line in log.as_json(record):
            content = json.loads(line)
            self.found.append({k: v for k, v in content.items() if k not in ("schema", "level")})


def show_heading(cluster: str, number: int, count: int, output: str) -> None:
    """Begin one cluster: among the messages, and on stdout where results follow each other."""
    gap = "\n" if number > 1 else ""
    messages.heading(f"{gap}Cluster {cluster} ({number} of {count})")
    if output == "markdown":
        streams.result(f"{gap}## {cluster}\n")


def show(results: Iterable[ClusterResult], output: str, *, code: int) -> None:
    """Print the table of all clusters, or everything about them for programs."""
    results = tuple(results)
    match output:
        case "text":
            streams.result(f"\n{_table(results)}")
        case "markdown":
            streams.result(f"\n## Summary\n\n{_markdown(results)}")
        case _:
            streams.data(formats.structured(_as_data(results, code)))


def _outcome(published: Published) -> str:
    if published.report is ReportOutcome.FAILED:
        return "not reported"
    if published.commit:
        return "pushed"
    return "changed" if published.change else "unchanged"


def _table(results: Sequence[ClusterResult]) -> str:
    rows = [_row(one) for one in results]
    widths = [max(map(len, column)) for column in zip(_COLUMNS, *rows, strict=True)]
    lines = ["  ".join(_cells(_COLUMNS, widths))]
    for one, row in zip(results, rows, strict=True):
        cells = _cells(row, widths)
        cells[1] = streams.styled(cells[1], fg=_COLOURS.get(one.outcome))
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def _cells(row: Sequence[str], widths: Sequence[int]) -> list[str]:
    """Words to the left, numbers to the right."""
    return [
        text.ljust(width) if number < _WORDS else text.rjust(width)
        for number, (text, width) in enumerate(zip(row, widths, strict=True))
    ]


def _markdown(results: Sequence[ClusterResult]) -> str:
    lines = [_COLUMNS, ["---"] * len(_COLUMNS), *map(_row, results)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _row(one: ClusterResult) -> list[str]:
    counts = [str((one.objects or {}).get(kind, "")) for kind in _KINDS]
    time = "" if one.outcome == "skipped" else f"{one.seconds:.1f} s"
    return [escaping.one_line(one.cluster), one.outcome, *counts, time]


def _as_data(results: Sequence[ClusterResult], code: int) -> dict[str, Any]:
    return {
        "schema": "catalog-compile-clusters/v1",
        "exit_code": code,
        "clusters": [
            {
                "cluster": one.cluster,
                "result": one.outcome,
                "exit_code": one.code,
                "objects": one.objects,
                "seconds": round(one.seconds, 3),
                "working_directory": one.folder,
                "errors": list(one.errors),
                "compile": one.content,
            }
            for one in results
        ],
    }
