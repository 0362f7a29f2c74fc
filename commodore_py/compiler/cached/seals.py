"""What programs can look at: asked for before and after they run, or the result is not kept."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.adapters import kustomize
from commodore_py.compiler.charts.texts import unsteady
from commodore_py.compiler.inputs import inputs_of
from commodore_py.compiler.inputs.helm_arguments import releases_of
from commodore_py.lib import KUSTOMIZE_WRAPPER
from commodore_py.results import UNSTEADY

from .cache import TOOL
from .tools import HELM, KUSTOMIZE, SCRIPT, SURROUNDINGS, tool_mark

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from commodore_py.compiler.inputs import InputJob
    from commodore_py.results import Reads

_COMPILED = "${compiled_target_dir}"
_OUTPUT = re.compile(r"\$\{compiled_target_dir\}(?:/(?!\.\.)[\w.-]+)*/?")
# Flags of helm template that let it look at nothing but the chart and the values.
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


def _helm(job: InputJob, reads: Reads) -> None:
    entry, look = job.entry, job.lookup.files
    charts = [chart for pattern in entry.input_paths for chart in inputs_of(job, pattern)]
    params = sorted(set(entry.fields["helm_params"]) - _HARMLESS)
    if params:
        reads.unseal(f"helm_params.{params[0]} lets Helm look at more than the chart")
    releases = releases_of(entry.fields, where=entry.where)
    if not all(next(releases).named for _ in charts):
        reads.unseal("a release without a name is named after the clock")
    values = [str(entry.fields["helm_values"] or "")]
    for name in entry.fields["helm_values_files"] or ():
        path = Path(name)
        if "://" in name or look.hides(path):
            reads.unseal(f"values come from {name}")
        else:
            values.append((look.read(path) or b"").decode(errors="replace"))
    for chart in charts:
        if look.hides(chart):
            reads.unseal("the chart is output of an earlier entry")
        elif look.kind(chart) == "folder":
            _refuse_unsteady(unsteady(look.tree_at(chart), values), chart, reads)
        else:
            file = look.entry(chart)
            _refuse_unsteady(unsteady(file.content if file else b"", values), chart, reads)
    _tool(f"{HELM}:{entry.fields['helm_path'] or ''}", reads)
    _tool(SURROUNDINGS, reads)


def _refuse_unsteady(functions: tuple[str, ...], chart: Path, reads: Reads) -> None:
    if functions:
        names = ", ".join(functions)
        reads.unseal(f"chart {chart.name} {UNSTEADY} ({names})")


def _external(job: InputJob, reads: Reads) -> None:
    fields, look = job.entry.fields, job.lookup.files
    if set(job.entry.input_paths) != {str(KUSTOMIZE_WRAPPER)}:
        reads.unseal("a program may look at anything")
        return
    source = fields["env_vars"].get("INPUT_DIR", "")
    understood = (
        set(fields["env_vars"]) == {"INPUT_DIR"}
        and len(fields["args"]) == 1
        and _OUTPUT.fullmatch(fields["args"][0])
        and _COMPILED not in source
        and not job.output.written
        and not job.output.made
        and not Path(job.entry.output_path).is_absolute()
    )
    folders = kustomize.local_folders(Path(source)) if understood else None
    if folders is None or any(map(look.hides, folders)):
        reads.unseal("kustomize is told more than a folder that is built on others beside it")
        return
    look.entry(KUSTOMIZE_WRAPPER)
    for folder in folders:
        look.tree_at(folder)
    # What was there is left there: kustomize replaces some files and keeps the others.
    look.tree_at(look.compiled / job.output.folder)
    _tool(KUSTOMIZE, reads)
    _tool(SURROUNDINGS, reads)


def _tool(about: str, reads: Reads) -> None:
    mark = tool_mark(about)
    if mark == SCRIPT:
        reads.unseal(f"{about.partition(':')[0]} is a script, which may look at anything")
    reads.note(TOOL, about, mark)


SEALS: Mapping[str, Callable[[InputJob, Reads], None]] = {
    "helm": _helm,
    "external": _external,
}
"""By input type that runs a program: notes what the program sees, or says why it cannot tell."""
