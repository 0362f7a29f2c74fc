"""Rendering of charts by Helm: imported when an entry is not cached."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from commodore_py import run_log
from commodore_py.adapters import files
from commodore_py.adapters.helm.program import HelmFailed, find_helm
from commodore_py.adapters.yaml import exact as yaml_exact
from commodore_py.adapters.yaml.bounds import may_have_aliases
from commodore_py.compiler.charts import lacks_charts
from commodore_py.compiler.formats import BadValue, Format
from commodore_py.compiler.tags import BadTag, Tags
from commodore_py.compiler.workplace import checkout_on_disk
from commodore_py.errors import CommodoreError
from commodore_py.model.remote_use import ToolUsed
from commodore_py.model.tree import Entry, Tree

from .base import check_for_programs, inputs_of
from .helm_arguments import fetched, reaching, releases_of, values_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import PurePosixPath

    from commodore_py.adapters.helm.program import Helm
    from commodore_py.compiler.entry import InputJob
    from commodore_py.compiler.output import Output, Place

    from .helm_arguments import Release


class _Sharing(Tags):
    """Mappings that a chart writes once and refers to are written once by Kapitan, too."""

    __slots__ = ()

    def in_value(self, value: Any) -> Any:  # noqa: ANN401 - what Helm printed
        return self._shared(value, {})

    def _shared(self, value: Any, known: dict[int, dict[Any, Any]]) -> Any:  # noqa: ANN401 - as above
        match value:
            case str():
                return self.in_text(value)
            case list():
                return [self._shared(below, known) for below in value]
            case dict():
                if id(value) not in known:
                    known[id(value)] = made = {}
                    for key, below in value.items():
                        with _at(key):
                            made[key] = self._shared(below, known)
                return known[id(value)]
            case _:
                return value


@contextmanager
def _at(key: object) -> Iterator[None]:
    try:
        yield
    except BadTag as error:
        error.where = f"{key}.{error.where}" if error.where else str(key)
        raise


def render(job: InputJob) -> Output:
    """Render the charts in the order of the search paths; the last one to a path wins."""
    entry = job.entry
    releases = releases_of(entry.fields, where=entry.where)
    output = job.output
    charts = [chart for pattern in entry.input_paths for chart in inputs_of(job, pattern)]
    lacking = filter(lacks_charts, charts)
    if job.kapitan.job.offline and (wanted := fetched(entry.fields, lacking)):
        raise CommodoreError(
            f"helm would fetch what is wanted by {', '.join(wanted)}",
            where=entry.where,
            hint="leave out --offline, or vendor it",
        )
    named = map(Path, entry.fields["helm_values_files"] or ())
    read = [chart for chart in charts if not _is_clone(job, chart)]
    check_for_programs(job, [*read, *(path for path in named if path.exists())])
    with checkout_on_disk(job, _watched(job, charts)):
        for chart in charts:
            rendered = _rendered(job, chart, next(releases))
            output = output.with_files(_written(job, rendered))
    return output


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
            helm: Helm = find_helm(fields["helm_path"], job.kapitan.helm, few_variables=few)
            printed = helm.template(arguments)
            if job.kapitan.job.bases is not None:  # there is a lock, which records it
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
    look = job.lookup.files
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
    entry = job.entry
    tags = _Sharing(job.tags.hashes, job.tags.bare)
    found: dict[Place, Entry] = {}
    for path, file in rendered.items():
        style = job.style._replace(aliases=may_have_aliases(file.content))
        how = Format(entry.output_type, entry.prune, style, tags)
        name, content = _formatted(how, path, file.content)
        found[job.output.place(entry.output_path, name)] = Entry(content)
    return found


def _formatted(how: Format, path: PurePosixPath, content: bytes) -> tuple[str, bytes]:
    try:
        text = content.decode().replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        raise CommodoreError(f"the output of chart template {path} is not text") from error
    documents = [one for one in yaml_exact.load_all(text, name=str(path)) if one is not None]
    try:
        return how.file(str(path), documents)
    except TypeError as error:
        raise BadValue(
            f"what the chart gives cannot be written: {error}", where=str(path)
        ) from error
