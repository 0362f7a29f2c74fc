"""A Helm chart: what its templates give is read and written again, file by file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.compiler.fields import (
    EVERY_INPUT,
    NO_TEXT,
    NOTHING,
    OFF,
    Field,
    automatic,
    mapping,
    or_null,
    texts,
)

from .base import CachePolicy, inputs_of, record_environment, record_tool

if TYPE_CHECKING:
    from commodore_py.cache.recorder import Recorder
    from commodore_py.compiler.entry import InputJob
    from commodore_py.compiler.output import Output

FIELDS = {
    **EVERY_INPUT,
    "output_type": Field(automatic, default="auto"),
    "prune": OFF,
    "helm_params": Field(mapping, default=NOTHING),
    "helm_values": Field(or_null(mapping), default=NOTHING),
    "helm_values_files": Field(or_null(texts), default=[]),
    "helm_path": NO_TEXT,
    "kube_version": NO_TEXT,
}
CACHE = CachePolicy()

# Flags of helm template that let it read nothing but the chart and the values.
_HARMLESS = frozenset(
    {
        "api_versions",
        "create_namespace",
        "disable_openapi_validation",
        "include_crds",
        "is_upgrade",
        "kube_version",
        "name",
        "namespace",
        "no_hooks",
        "output_file",
        "release_name",
        "skip_crds",
        "skip_tests",
    }
)


def render(job: InputJob) -> Output:
    """Render the charts in the order of the search paths; the last one to a path wins."""
    from . import helm_rendering

    return helm_rendering.render(job)


def record(job: InputJob, recorder: Recorder) -> None:
    """Record all of the charts and values; charts that are not steady are not cached."""
    from commodore_py.cache.questions.tools import HELM

    from .helm_arguments import releases_of

    entry = job.entry
    charts = [chart for pattern in entry.input_paths for chart in inputs_of(job, pattern)]
    params = sorted(set(entry.fields["helm_params"]) - _HARMLESS)
    if params:
        recorder.unseal(f"helm_params.{params[0]} lets Helm read more than the chart")
    releases = releases_of(entry.fields, where=entry.where)
    if not all(next(releases).named for _ in charts):
        recorder.unseal("a release without a name is named after the clock")
    values = _recorded_values(job, recorder)
    for chart in charts:
        _record_chart(job, chart, values, recorder)
    record_tool(f"{HELM}:{entry.fields['helm_path'] or ''}", recorder)
    record_environment(recorder)


def _recorded_values(job: InputJob, recorder: Recorder) -> list[str]:
    files, fields = job.lookup.files, job.entry.fields
    values = [str(fields["helm_values"] or "")]
    for name in fields["helm_values_files"] or ():
        path = Path(name)
        if "://" in name or files.hides(path):
            recorder.unseal(f"values come from {name}")
        else:
            values.append((files.read(path) or b"").decode(errors="replace"))
    return values


def _record_chart(job: InputJob, chart: Path, values: list[str], recorder: Recorder) -> None:
    from commodore_py.compiler.charts.texts import unsteady

    files = job.lookup.files
    if files.hides(chart):
        recorder.unseal("the chart is output of an earlier entry")
        return
    if files.kind(chart) == "folder":
        functions = unsteady(files.tree_at(chart), values)
    else:
        entry = files.entry(chart)
        functions = unsteady(entry.content if entry else b"", values)
    if functions:
        names = ", ".join(functions)
        why = f"chart {chart.name} gives something else at every compile ({names})"
        recorder.unseal(why)
