"""Output of `catalog compile` for several clusters: each as it ends, changes and a table of all."""

from __future__ import annotations

import logging
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from commodore_py.adapters.escaping import one_line
from commodore_py.manifests import grades
from commodore_py.manifests.folding import folded_over_clusters
from commodore_py.model.names import counted
from commodore_py.model.published import ReportOutcome

from . import formats, log, messages, streams
from .differences import as_markdown, as_text, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from commodore_py.config import Config
    from commodore_py.manifests.diff import ObjectChange, What
    from commodore_py.manifests.folding import Common
    from commodore_py.model.difference import Grade
    from commodore_py.model.published import Published

    from .compile_result import CompileReporter, Form

_COLUMNS = ("CLUSTER", "RESULT", "ADDED", "CHANGED", "REMOVED", "WORST", "CACHED", "TIME", "STAGE")
_MOST_LINES = 30
_MOST_KINDS = 4
_NAMED = 3
_WORDS = 2
_BAD = dict.fromkeys(("failed", "held", "not reported"), "red")
_COLOURS = {**_BAD, "changed": "yellow", "pushed": "green"}
_KINDS: dict[str, tuple[What, ...]] = {
    "added": ("created",),
    "changed": ("changed", "renamed"),
    "removed": ("deleted",),
}


@dataclass(frozen=True, slots=True)
class ClusterResult:
    """How the compile of one of several clusters ended, as small as it can be sent."""

    cluster: str
    outcome: str
    """`unchanged`, `changed`, `held`, `pushed`, `not reported`, `failed`, `skipped` or
    `interrupted`."""
    code: int = 0
    seconds: float = 0.0
    changes: tuple[ObjectChange, ...] | None = None
    """What changes, without the contents of the objects; None if it is not known."""
    cached: tuple[int, int] = (0, 0)
    """How many results came from the cache, and of how many."""
    folder: str = ""
    content: dict[str, Any] | None = None
    """The result for programs, as that of a single cluster."""
    records: tuple[logging.LogRecord, ...] = ()
    """What was logged."""
    output: str = ""
    """What was printed."""
    stage: str = ""

    @property
    def errors(self) -> list[dict[str, str]]:
        """The errors that were logged, for programs."""
        errors = [log.as_data(each) for each in self.records if each.levelno >= logging.ERROR]
        return [{name: error[name] for name in error if name != "level"} for error in errors]

    @property
    def worst(self) -> Grade:
        """The worst grade of its changes."""
        return grades.worst([change.grade for change in self.changes or ()])

    @property
    def objects(self) -> dict[str, int] | None:
        """How many objects are added, changed and removed."""
        if self.changes is None:
            return None
        number = Counter(change.what for change in self.changes)
        return {kind: sum(number[what] for what in whats) for kind, whats in _KINDS.items()}


def result_of(
    show: CompileReporter, config: Config, published: Published, code: int, seconds: float
) -> ClusterResult:
    """A cluster that was compiled."""
    return ClusterResult(
        published.record.cluster,
        "held" if show.held else _outcome(published),
        1 if show.held else code,
        seconds,
        tuple(map(_without_contents, show.objects(published.change))),
        folder=str(config.paths.root),
        content=show.content,
    )


def show_log(result: ClusterResult, shown: set[str]) -> None:
    """Print what was logged for a cluster by a process that has no terminal.

    What others have logged, too, was `shown` before: most warnings are about what all share.
    """
    records = [record for record in result.records if _is_new(record, shown)]
    if records:
        messages.heading(f"\nCluster {result.cluster}")
    for record in records:
        logging.getLogger(record.name).handle(record)


def show_end(result: ClusterResult, number: int, count: int) -> None:
    """Print in a line how the compile of a cluster ended, and what it printed."""
    objects = sum((result.objects or {}).values())
    changes = f", {counted(objects, 'object')} changed" if objects else ""
    messages.info(
        f"{result.cluster}: {result.outcome}{changes} ({number} of {count}, {result.seconds:.1f} s)"
    )
    if result.output:
        streams.result(f"\nCluster {result.cluster}:\n{result.output}".rstrip("\n"))


def _is_new(record: logging.LogRecord, shown: set[str]) -> bool:
    key = f"{record.msg}\0{Path(str(getattr(record, 'where', ''))).name}"
    is_new = record.levelno >= logging.ERROR or key not in shown
    shown.add(key)
    return is_new


def show(results: Iterable[ClusterResult], form: Form, *, code: int) -> None:
    """Print what changes, and the table of all clusters; or everything for programs."""
    results = tuple(results)
    changes = {result.cluster: result.changes for result in results if result.changes}
    common, special_changes = folded_over_clusters(changes)
    if form.output == "json":
        streams.data(formats.structured(_as_data(results, common, code)))
        return
    lines: list[str] = []
    special_changes = {cluster: special for cluster, special in special_changes.items() if special}
    if form.output == "markdown":
        if form.diff != "none":
            lines = list(_changes_in_markdown(common, special_changes))
        columns, *rows = _rows(results)
        table = [columns, ["---"] * len(columns), *rows]
        lines += ["## Summary", "", *(f"| {' | '.join(row)} |" for row in table)]
    else:
        if form.diff != "none" and changes:
            lines = [*_changes_in_text(common, special_changes), ""]
        head, *shown = formats.table(_rows(results), numbers_from=_WORDS)
        coloured = (
            streams.styled(row, fg=_COLOURS.get(result.outcome))
            for result, row in zip(results, shown, strict=True)
        )
        lines += [head, *coloured]
    streams.lines(lines)


def _changes_in_text(
    common: Sequence[Common], special_changes: Mapping[str, Sequence[ObjectChange]]
) -> Iterator[str]:
    if common:
        yield "Changes in several clusters:"
    yield from (as_text.headed(change.grade, line_of(change)) for change in common)
    for cluster, changes in special_changes.items():
        yield f"Changes in {cluster} only:"
        lines = [line for change in changes for line in as_text.change_lines(change.grade, change)]
        yield from lines[:_MOST_LINES]
        if len(lines) > _MOST_LINES:
            yield f"     … {counted(len(lines) - _MOST_LINES, 'more line')}: see --diff objects"


def _changes_in_markdown(
    common: Sequence[Common], special_changes: Mapping[str, Sequence[ObjectChange]]
) -> Iterator[str]:
    if common:
        yield from ("## Changes in several clusters", "")
        yield from (
            f"- **{change.grade}** {as_markdown.code(line_of(change))}" for change in common
        )
        yield ""
    for cluster, changes in special_changes.items():
        yield from (f"## Changes in {cluster} only", "")
        lines = [line for change in changes for line in as_markdown.change_lines(change)]
        yield from lines[:_MOST_LINES]
        if len(lines) > _MOST_LINES:
            yield from ("", f"_{counted(len(lines) - _MOST_LINES, 'more line')}_")
        yield ""


def line_of(common: Common) -> str:
    """A change in one line: what, and in how many objects of how many clusters."""
    objects = tuple(id_ for _, id_ in common.objects)
    clusters = common.clusters
    names = f" ({', '.join(clusters)})" if len(clusters) <= _NAMED else ""
    where = f"{counted(len(clusters), 'cluster')}{names}"
    if common.field is not None:
        reason = words.reason(common.field)
        why = f" ({reason})" if reason else ""
        field = words.field_line(common.field, common.path)
        return f"{field} in {words.kinds(objects, at_most=_MOST_KINDS)} of {where}{why}"
    why = f" ({common.reason})" if common.reason else ""
    if len(set(objects)) == 1:
        return f"{common.what} {one_line(str(objects[0]))} in {where}{why}"
    return f"{common.what} {words.kinds(objects, at_most=_MOST_KINDS)} of {where}{why}"


def _without_contents(change: ObjectChange) -> ObjectChange:
    """A change that is small enough to be sent: it still names the object and its file."""
    old, new = (
        kube_object and replace(kube_object, content={}) for kube_object in (change.old, change.new)
    )
    return replace(change, old=old, new=new)


def _outcome(published: Published) -> str:
    if published.report is ReportOutcome.FAILED:
        return "not reported"
    if published.commit:
        return "pushed"
    return "changed" if published.change else "unchanged"


def _rows(results: Sequence[ClusterResult]) -> list[list[str]]:
    """The table, with its head; stages are a column if there are any."""
    rows = [[*_COLUMNS], *map(_row, results)]
    return rows if any(result.stage for result in results) else [row[:-1] for row in rows]


def _row(result: ClusterResult) -> list[str]:
    hits, uses = result.cached
    return [
        result.cluster,
        result.outcome,
        *(str((result.objects or {}).get(kind, "")) for kind in _KINDS),
        result.worst if result.changes else "",
        f"{hits}/{uses}" if uses else "",
        "" if result.outcome in ("skipped", "interrupted") else f"{result.seconds:.1f} s",
        result.stage,
    ]


def _as_data(
    results: Sequence[ClusterResult], common: Sequence[Common], code: int
) -> dict[str, Any]:
    return {
        "schema": "catalog-compile-clusters/v1",
        "exit_code": code,
        "common": [
            {
                "change": change.what,
                "grade": change.grade,
                "path": change.path or None,
                "text": line_of(change),
                "objects": len(change.objects),
                "clusters": list(change.clusters),
            }
            for change in common
        ],
        "clusters": [
            {
                "cluster": result.cluster,
                "result": result.outcome,
                "exit_code": result.code,
                "objects": result.objects,
                "worst": result.worst if result.changes else None,
                "cached": {"hits": result.cached[0], "of": result.cached[1]},
                "stage": result.stage or None,
                "seconds": round(result.seconds, 3),
                "working_directory": result.folder,
                "errors": result.errors,
                "compile": result.content,
            }
            for result in results
        ],
    }
