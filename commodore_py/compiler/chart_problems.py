"""Problems of charts: their output changes without a reason, or they may do too much."""

from __future__ import annotations

import glob
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.model.problem import Problem

from .charts import CLOCK, RANDOM, WORLD, Chart
from .entries import entries_of
from .inputs.helm_arguments import reaching

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.model.inventory import Node
    from commodore_py.model.stages import Sources

    from .job import Entry

# Whether a template comes to its calls is a matter of its conditions, which are not read.
_EFFECTS = (
    (RANDOM, "may generate new values in every compile"),
    (CLOCK, "may look at the clock"),
    (WORLD, "may ask for what is not there while compiling"),
)


def find_chart_problems(sources: Sources) -> tuple[Problem, ...]:
    """The problems of the charts of all instances, with the templates and their lines."""
    entries = [
        entry
        for instance in sources.inventory.instances
        for entry in _helm_entries(sources.inventory.nodes[instance.name])
    ]
    reach = [
        Problem(
            f"{entry.target}: helm_params.{key} has helm run programs, or read more than the chart",
            where=entry.where,
            remedy="leave it out; a program of a component belongs into an external entry",
            strict=True,
            code="charts/reaching-out",
        )
        for entry in entries
        for key in reaching(entry.fields["helm_params"])
    ]
    unsteady = (p for entry in entries for p in _unsteady(entry, sources.plan.search_paths))
    return (*reach, *unsteady)


def _helm_entries(node: Node) -> Iterator[Entry]:
    kapitan = node.parameters.get("kapitan")
    listed = kapitan.get("compile") if isinstance(kapitan, Mapping) else None
    # Hardly any component has one, and reading all entries takes its time.
    if any("helm" in one.values() for one in listed or () if isinstance(one, Mapping)):
        yield from (entry for entry in entries_of(node).compiled if entry.input_type == "helm")


def _unsteady(entry: Entry, folders: tuple[Path, ...]) -> Iterator[Problem]:
    if not _is_named(entry):
        text = f"{entry.target}: a release without helm_params.name is named after the clock"
        yield Problem(text, where=entry.where, code="charts/nondeterministic")
    for path in _chart_paths(entry, folders):
        chart = Chart.at(path)
        calls = chart.calls(entry.fields["helm_values"] or {})
        for functions, effect in _EFFECTS:
            these = [call for call in calls if call.function in functions]
            if these:
                names = ", ".join(dict.fromkeys(call.function for call in these))
                places = dict.fromkeys(f"{path / call.file}:{call.line}" for call in these)
                title = chart.title or path.name
                yield Problem(
                    f"{entry.target}: chart {title} {effect} ({names})",
                    where="\n".join([*places, entry.where]),
                    code="charts/nondeterministic",
                )


def _is_named(entry: Entry) -> bool:
    params = entry.fields["helm_params"]
    # Helm takes this one before it makes up a name; what a template calls is another question.
    template = str(params.get("name_template") or "")
    if template:
        return "{{" not in template
    return bool({"name", "release_name"} & params.keys()) and len(entry.input_paths) <= 1


def _chart_paths(entry: Entry, folders: tuple[Path, ...]) -> list[Path]:
    paths: dict[str, Path] = {}
    for pattern in entry.input_paths:
        for folder in folders:
            for path in glob.glob(str(folder / pattern)):  # noqa: PTH207 - Path.glob knows no absolute patterns
                paths.setdefault(os.path.realpath(path), Path(path))
    return list(paths.values())
