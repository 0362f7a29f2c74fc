"""The report of a run over several clusters: one HTML file that needs nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from commodore_py.adapters.files import write_if_changed
from commodore_py.lib import PAGE
from commodore_py.manifests.folding import folded_over_clusters

from . import log
from .differences.as_json import change_as_data
from .fleet import ClusterResult, line_of
from .pages import rendered

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from commodore_py.manifests.diff import ObjectChange


def write_report(results: Sequence[ClusterResult], file: Path) -> None:
    """Write the report: the table, what clusters have in common, and each by itself."""
    changes = {result.cluster: result.changes for result in results if result.changes}
    common, special_changes = folded_over_clusters(changes)
    style = (PAGE / "page.css").read_text("utf-8")
    page = rendered(
        "report.html",
        css=Markup(style),  # noqa: S704 - a file of ours
        common=[{"grade": change.grade, "text": line_of(change)} for change in common],
        clusters=[_section(result, special_changes.get(result.cluster, ())) for result in results],
    )
    write_if_changed(file.absolute(), page.encode())


def _section(result: ClusterResult, changes: Iterable[ObjectChange]) -> dict[str, Any]:
    messages = [log.as_data(record) for record in result.records if record.levelno >= log.NOTICE]
    return {
        "cluster": result.cluster,
        "outcome": result.outcome,
        "objects": result.objects or {},
        "worst": result.worst if result.changes else "",
        "time": f"{result.seconds:.1f} s",
        "stage": result.stage,
        "problems": [{**message, "severity": message["level"]} for message in messages],
        "changes": [change_as_data(change) for change in changes],
    }
