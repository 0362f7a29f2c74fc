"""Charts whose output changes without a reason, with their template and its line."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.model.problem import Problem

from .entries import entries_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from commodore_py.model.inventory import Node
    from commodore_py.model.stages import Sources

    from .charts.templates import Call
    from .entry import Entry


def find_chart_problems(sources: Sources) -> tuple[Problem, ...]:
    """What charts do that makes no two compiles the same, and what is more than a chart may do."""
    entries = [
        entry
        for instance in sources.inventory.instances
        for entry in _helm_entries(sources.inventory.nodes[instance.name])
    ]
    reach = tuple(notice for entry in entries for notice in _reach_of(entry))
    found = [
        notice for entry in entries for notice in _problems_of(entry, sources.plan.search_paths)
    ]
    return (*reach, *found)


def _reach_of(entry: Entry) -> Iterator[Problem]:
    from .inputs.helm_arguments import reaching

    for key in reaching(entry.fields["helm_params"]):
        yield Problem(
            f"{entry.target}: helm_params.{key} has helm run programs, or read more than the chart",
            where=entry.where,
            remedy="leave it out; a program of a component belongs into an external entry",
            strict=True,
            code="charts/reaching-out",
        )


def _helm_entries(node: Node) -> Iterator[Entry]:
    kapitan = node.parameters.get("kapitan")
    listed = kapitan.get("compile") if isinstance(kapitan, Mapping) else None
    # Hardly any component has one, and reading all entries takes its time.
    if any("helm" in one.values() for one in listed or () if isinstance(one, Mapping)):
        yield from (one for one in entries_of(node).compiled if one.input_type == "helm")


def _problems_of(entry: Entry, folders: tuple[Path, ...]) -> Iterator[Problem]:
    # Hardly any component has charts, and to read them takes half of the standard library.
    from .charts import calls_of, title_of
    from .charts.templates import CLOCK, RANDOM, WORLD

    # Whether a template comes to its calls is a matter of its conditions, which are not read.
    what_they_do = (
        (RANDOM, "may generate new values in every compile"),
        (CLOCK, "may look at the clock"),
        (WORLD, "may ask for what is not there while compiling"),
    )
    if not _is_named(entry):
        text = f"{entry.target}: a release without helm_params.name is named after the clock"
        yield Problem(text, where=entry.where, code="charts/nondeterministic")
    for chart in _charts(entry, folders):
        calls = calls_of(chart, entry.fields["helm_values"] or {})
        for functions, effect in what_they_do:
            these = [call for call in calls if call.function in functions]
            if these:
                names = ", ".join(dict.fromkeys(call.function for call in these))
                text = f"{entry.target}: chart {title_of(chart)} {effect} ({names})"
                yield Problem(
                    text,
                    where="\n".join([*_places(chart, these), entry.where]),
                    code="charts/nondeterministic",
                )


def _is_named(entry: Entry) -> bool:
    params = entry.fields["helm_params"]
    # Helm takes this one before it makes up a name; what a template calls is another question.
    template = str(params.get("name_template") or "")
    if template:
        return "{{" not in template
    return bool({"name", "release_name"} & params.keys()) and len(entry.input_paths) <= 1


def _places(chart: Path, calls: Iterable[Call]) -> Iterator[str]:
    yield from dict.fromkeys(f"{chart / call.file}:{call.line}" for call in calls)


def _charts(entry: Entry, folders: tuple[Path, ...]) -> list[Path]:
    import glob

    found: dict[str, Path] = {}
    for pattern in entry.input_paths:
        for folder in folders:
            for place in glob.glob(str(folder / pattern)):  # noqa: PTH207 - Path.glob knows no absolute patterns
                found.setdefault(os.path.realpath(place), Path(place))
    return list(found.values())
