"""A Helm chart: what its templates give is read and written again, file by file."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py import run_log
from commodore_py.adapters import files, yaml
from commodore_py.adapters.helm import HelmFailed, find_helm
from commodore_py.adapters.yaml.emitter import Style
from commodore_py.cache.questions.tools import HELM
from commodore_py.compiler.charts import Chart
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
from commodore_py.compiler.formats import BadValue, Format
from commodore_py.compiler.workplace import checkout_on_disk
from commodore_py.errors import CommodoreError
from commodore_py.model.remote_use import ToolUsed
from commodore_py.model.tree import Entry, Tree

from .base import (
    CachePolicy,
    check_for_programs,
    inputs_of,
    record_environment,
    record_tool,
)
from .helm_arguments import fetched, reaching, releases_of, values_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import PurePosixPath

    from commodore_py.cache.recorder import Recorder
    from commodore_py.compiler.job import InputJob
    from commodore_py.compiler.output import Output, Place

    from .helm_arguments import Release

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


def render(job: InputJob) -> Output:
    """Render the charts in the order of the search paths; the last one to a path wins."""
    entry, output = job.entry, job.output
    first, others = releases_of(entry.fields, where=entry.where)
    charts = [chart for pattern in entry.input_paths for chart in inputs_of(job, pattern)]
    lacking = (chart for chart in charts if Chart.at(chart).lacks_charts)
    if job.job.offline and (wanted := fetched(entry.fields, lacking)):
        raise CommodoreError(
            f"helm would fetch what is wanted by {', '.join(wanted)}",
            where=entry.where,
            hint="leave out --offline, or vendor it",
        )
    named = map(Path, entry.fields["helm_values_files"] or ())
    read = [chart for chart in charts if not _is_clone(job, chart)]
    check_for_programs(job, [*read, *(path for path in named if path.exists())])
    with checkout_on_disk(job, _watched(job, charts)):
        for index, chart in enumerate(charts):
            rendered = _rendered(job, chart, others if index else first)
            output = output.with_files(_written(job, rendered))
    return output


def record(job: InputJob, recorder: Recorder) -> None:
    """Record all of the charts and values; charts that are not steady are not cached."""
    fields = job.entry.fields
    charts = [chart for pattern in job.entry.input_paths for chart in inputs_of(job, pattern)]
    params = reaching(fields["helm_params"])
    if params:
        recorder.unseal(f"helm_params.{params[0]} lets Helm read more than the chart")
    first, others = releases_of(fields, where=job.entry.where)
    if (charts and not first.name) or (charts[1:] and not others.name):
        recorder.unseal("a release without a name is named after the clock")
    values = _recorded_values(job, recorder)
    for path in charts:
        _record_chart(job, path, values, recorder)
    record_tool(f"{HELM}:{fields['helm_path'] or ''}", recorder)
    record_environment(recorder)


def _recorded_values(job: InputJob, recorder: Recorder) -> list[str]:
    look, fields = job.files, job.entry.fields
    values = [str(fields["helm_values"] or ""), str(fields["helm_params"])]
    for name in fields["helm_values_files"] or ():
        path = Path(name)
        if "://" in name or look.hides(path):
            recorder.unseal(f"values come from {name}")
        else:
            values.append((look.read(path) or b"").decode(errors="replace"))
    return values


def _record_chart(job: InputJob, path: Path, values: list[str], recorder: Recorder) -> None:
    look = job.files
    if look.hides(path):
        recorder.unseal("the chart is output of an earlier entry")
        return
    if look.kind(path) == "folder":
        chart = Chart.of(look.tree_at(path))
    else:
        file = look.entry(path)
        chart = Chart.of(file.content if file else b"")
    if job.entry.fields["helm_params"].get("dependency_update") and chart.lacks_charts:
        recorder.unseal("helm_params.dependency_update has Helm fetch sub-charts")
    if chart.damage:
        recorder.unseal(f"chart {path.name} has an archive that is not read: {chart.damage[0]}")
    functions = chart.unsteady(values)
    if functions:
        names = ", ".join(functions)
        recorder.unseal(f"chart {path.name} gives something else at every compile ({names})")


def _watched(job: InputJob, charts: Iterable[Path]) -> Iterator[Path]:
    """Charts in the checkout that Helm would add missing sub-charts to."""
    checkout = job.output.checkout
    if checkout is not None and job.entry.fields["helm_params"].get("dependency_update"):
        real = checkout.resolve()
        for chart in charts:
            if chart.resolve().is_relative_to(real):
                yield checkout / chart.resolve().relative_to(real)


def _rendered(job: InputJob, chart: Path, release: Release) -> Tree:
    fields = job.entry.fields
    with tempfile.TemporaryDirectory(prefix="commodore-", suffix=".helm") as name:
        scratch = Path(name).resolve()
        made = scratch / "made"
        made.mkdir()
        values = scratch / "values.yml"
        if fields["helm_values"]:
            values.write_text(values_text(fields["helm_values"]))
        arguments = release.arguments(
            str(_on_disk(job, chart, scratch)),
            output=str(made),
            values=str(values) if fields["helm_values"] else None,
        )
        try:
            few = bool(reaching(fields["helm_params"]))
            helm = find_helm(fields["helm_path"], few_variables=few)
            printed = helm.template(arguments)
            if job.job.bases is not None:  # there is a lock, which records it
                run_log.report(ToolUsed("helm", helm.version()))
        except HelmFailed as error:
            raise HelmFailed(
                f"cannot render chart {chart}: {error}".replace(str(scratch), "(scratch)"),
                where=job.entry.where,
                hint=error.hint,
            ) from error
        if release.output_file:
            files.write_if_changed(made / release.output_file, printed)
        return files.read_tree(made)


def _on_disk(job: InputJob, chart: Path, scratch: Path) -> Path:
    """Where Helm finds the chart; output of earlier entries is nowhere on disk.

    A clone is copied without its `.git`, which templates could read.
    """
    look = job.files
    if not chart.is_relative_to(look.compiled) and not _is_clone(job, chart):
        return chart
    place = scratch / "chart" / chart.name
    if look.kind(chart) == "folder":
        files.write_tree(place, look.tree_at(chart))
    else:
        files.write_if_changed(place, look.read(chart) or b"")
    return place


def _is_clone(job: InputJob, chart: Path) -> bool:
    adds_charts = job.entry.fields["helm_params"].get("dependency_update")
    return not adds_charts and (chart / ".git").is_dir()


def _written(job: InputJob, rendered: Tree) -> Mapping[Place, Entry]:
    fields = job.entry.fields
    # Mappings that a chart writes once and refers to are written once by Kapitan, too.
    style = Style(multiline=job.style.multiline, aliases=True)
    how = Format(fields["output_type"], fields["prune"], style, job.tags)
    written: dict[Place, Entry] = {}
    for path, file in rendered.items():
        name, content = _formatted(how, path, file.content)
        written[job.output.place(job.entry.output_path, name)] = Entry(content)
    return written


def _formatted(how: Format, path: PurePosixPath, content: bytes) -> tuple[str, bytes]:
    try:
        text = content.decode().replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        raise CommodoreError(f"the output of chart template {path} is not text") from error
    documents = [one for one in yaml.load_all(text, name=str(path)) if one is not None]
    try:
        return how.file(str(path), documents)
    except TypeError as error:
        raise BadValue(
            f"what the chart gives cannot be written: {error}", where=str(path)
        ) from error
