"""A Helm chart: what its templates give is read and written again, file by file."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from commodore_py import run_log
from commodore_py.adapters import files, yaml
from commodore_py.adapters.helm import HelmFailed, find_helm
from commodore_py.adapters.yaml.emitter import Style
from commodore_py.cache.questions.tools import HELM
from commodore_py.compiler.charts import TIMED, Chart
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
from commodore_py.compiler.formats import Format
from commodore_py.compiler.workplace import checkout_on_disk, scratch_folder
from commodore_py.errors import CommodoreError
from commodore_py.model.problem import Problem
from commodore_py.model.remote_use import ToolUsed
from commodore_py.model.tree import Entry, Tree

from .base import all_inputs, check_for_programs, record_program
from .helm_arguments import DEPENDENCY_UPDATE, fetched, reaching, releases_of, values_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

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
SECONDS = 0.6


def render(job: InputJob) -> Output:
    """Render the charts in the order of the search paths; the last one to a path wins."""
    first, others = releases_of(job.entry.fields, where=job.entry.where)
    paths = list(all_inputs(job))
    releases = [others if number else first for number in range(len(paths))]
    output, problems = job.output, list(_entry_problems(job, releases))
    record_program(f"{HELM}:{job.entry.fields['helm_path'] or ''}", job.recorder)
    with scratch_folder() as scratch:
        values, texts = _values(job, scratch)
        for path, release in zip(paths, releases, strict=True):
            is_folder = job.files.kind(path) == "folder"
            content = job.files.tree_at(path) if is_folder else job.files.read(path) or b""
            chart = Chart.of(content)
            unsteady = _unsteady(job, path, chart, texts)
            with scratch_folder() as place, _on_disk(job, path, content, chart, place) as found:
                names = {str(found): str(path), **values, str(place): "(scratch)"}
                with _explained(job, path, names):
                    again = written = _written(job, release, found, values, place / "made")
                    if unsteady and release.is_named:
                        again = _written(job, release, found, values, place / "again")
            problems += _chart_problems(job, path, chart, written.items() ^ again.items())
            output = output.with_files(written)
    return replace(output, problems=(*output.problems, *problems))


@contextmanager
def _explained(job: InputJob, path: Path, names: Mapping[str, str]) -> Iterator[None]:
    """Errors of Helm about a chart, with the names that people know."""
    try:
        yield
    except HelmFailed as error:
        problem = str(error)
        for hidden, shown in names.items():
            problem = problem.replace(hidden, shown)
        raise HelmFailed(
            f"cannot render chart {path}: {problem}", where=job.entry.where, hint=error.hint
        ) from error


def _entry_problems(job: InputJob, releases: Iterable[Release]) -> Iterator[Problem]:
    """Settings by which the result depends on more than charts and values."""
    target, where = job.entry.target, job.entry.where
    for key in reaching(job.entry.fields["helm_params"]):
        job.recorder.unseal(f"helm_params.{key} lets Helm read more than the chart")
        yield Problem(
            f"{target}: helm_params.{key} has helm run programs, or read more than the chart",
            where=where,
            remedy="leave it out; a program of a component belongs into an external entry",
            strict=True,
            code="charts/reaching-out",
        )
    if not all(release.is_named for release in releases):
        job.recorder.unseal("a release without a name is named after the clock")
        text = f"{target}: a release without helm_params.name is named after the clock"
        yield Problem(text, where=where, code="charts/nondeterministic")


def _unsteady(job: InputJob, path: Path, chart: Chart, values: Iterable[str]) -> frozenset[str]:
    """Functions that may give another result when called again at once; not those of the clock."""
    if chart.damage:
        job.recorder.unseal(f"chart {path.name} has an archive that is not read: {chart.damage[0]}")
    functions = chart.unsteady(values)
    if timed := sorted(functions & TIMED):
        job.recorder.unseal(f"chart {path.name} may look at the clock ({', '.join(timed)})")
    return functions - TIMED


def _chart_problems(
    job: InputJob, path: Path, chart: Chart, changed: Iterable[tuple[Place, Entry]]
) -> Iterator[Problem]:
    """Files that differ when rendered again, and calls of the clock, which only do so later."""
    about = f"{job.entry.target}: chart {chart.title or path.name}"
    folder = PurePosixPath("compiled", job.output.folder)
    places = sorted({str(folder / place) for place, _ in changed})
    if places:
        job.recorder.unseal(f"chart {path.name} gives other output each time")
        yield Problem(
            f"{about} gives other output each time: set what it generates in helm_values",
            where="\n".join([*places, job.entry.where]),
            code="charts/nondeterministic",
        )
    calls = dict.fromkeys(chart.clock_calls())
    if calls:
        names = ", ".join(dict.fromkeys(function for function, _ in calls))
        places = list(dict.fromkeys(f"{path / place}" for _, place in calls))
        yield Problem(
            f"{about} may look at the clock ({names})",
            where="\n".join([*places, job.entry.where]),
            code="charts/nondeterministic",
        )


def _values(job: InputJob, scratch: Path) -> tuple[Mapping[str, str], list[str]]:
    """Files with values for Helm, each with its name in messages; and all texts of values."""
    fields = job.entry.fields
    texts = [str(fields["helm_values"] or ""), str(fields["helm_params"])]
    names: dict[str, str] = {}
    if fields["helm_values"]:
        file = scratch / "values.yml"
        file.write_text(values_text(fields["helm_values"]))
        names[str(file)] = "helm_values"
    for number, name in enumerate(fields["helm_values_files"] or ()):
        if "://" in name:
            job.recorder.unseal(f"values come from {name}")
        content = None if "://" in name else job.files.read(Path(name))
        if content is None:  # Helm fetches it, or reports that it is missing
            names[name] = name
            continue
        copy = scratch / f"values-{number}.yml"
        files.write_if_changed(copy, content)
        names[str(copy)] = name
        texts.append(content.decode(errors="replace"))
    return names, texts


@contextmanager
def _on_disk(
    job: InputJob, path: Path, content: Tree | bytes, chart: Chart, scratch: Path
) -> Iterator[Path]:
    """Where Helm finds a chart: a copy of what was recorded, without any `.git`.

    A chart that Helm adds sub-charts to stays in its place, as these may be folders beside it.
    """
    downloads = fetched(job.entry.fields, lacks_charts=chart.lacks_charts)
    if job.job.config.offline and downloads:
        raise CommodoreError(
            f"helm would fetch what is wanted by {', '.join(downloads)}",
            where=job.entry.where,
            hint="leave out --offline, or vendor it",
        )
    if DEPENDENCY_UPDATE in downloads:
        job.recorder.unseal(f"{DEPENDENCY_UPDATE} has Helm fetch sub-charts")
        if not job.files.hides(path):
            check_for_programs(job, [path])
            checkout, real = job.output.checkout, path.resolve()
            watched = []
            if checkout is not None and real.is_relative_to(checkout.resolve()):
                watched = [checkout / real.relative_to(checkout.resolve())]
            with checkout_on_disk(job, watched):
                yield path
            return
    place = scratch / "chart" / path.name
    if isinstance(content, Tree):
        files.write_tree(place, content)
    else:
        files.write_if_changed(place, content)
    yield place


def _written(
    job: InputJob, release: Release, chart: Path, values: Iterable[str], made: Path
) -> Mapping[Place, Entry]:
    """The output of a chart, which Helm makes in a folder."""
    fields = job.entry.fields
    made.mkdir()
    helm = find_helm(fields["helm_path"], few_variables=bool(reaching(fields["helm_params"])))
    printed = helm.template(release.arguments(str(chart), output=str(made), values_files=values))
    if job.job.provide_bases is not None:  # there is a lock, which records it
        run_log.report(ToolUsed("helm", helm.version()))
    if release.output_file:
        files.write_if_changed(made / release.output_file, printed)
    # Mappings that a chart writes once and refers to are written once by Kapitan, too.
    style = Style(multiline=job.style.multiline, aliases=True)
    how = Format(fields["output_type"], fields["prune"], style, job.tags)
    written: dict[Place, Entry] = {}
    for path, file in files.read_tree(made).items():
        name, content = _formatted(how, path, file.content)
        written[job.output.place(job.entry.output_path, name)] = Entry(content)
    return written


def _formatted(how: Format, path: PurePosixPath, content: bytes) -> tuple[str, bytes]:
    try:
        text = content.decode().replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        raise CommodoreError(f"the output of chart template {path} is not text") from error
    documents = [value for value in yaml.load_all(text, name=str(path)) if value is not None]
    try:
        return how.file(str(path), documents)
    except TypeError as error:
        raise CommodoreError(
            f"what the chart gives cannot be written: {error}", where=str(path)
        ) from error
