"""Kapitan in a process of its own: whole targets for the reference engine, entries for kadet.

Kapitan keeps its state in modules, ends the process on a bad inventory and prints tracebacks; none
of that reaches ours.
"""

from __future__ import annotations

import logging
import re
import sys
from argparse import Namespace
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import isolated
from commodore_py.adapters.files import read_tree, remove, write_if_changed
from commodore_py.errors import CommodoreError, raise_collected
from commodore_py.model.tree import Tree

from .workplace import scratch_folder

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from commodore_py.compiler.job import Entry, Job
    from commodore_py.model.stages import CompilePlan

_REFERENCE = re.compile(r"\?\{[^}]+\}")


def compile_all(job: Job) -> Mapping[str, Tree]:
    """Compile all targets by Kapitan itself, the oracle of tests, and read what it wrote."""
    folders = {target: target.replace(".", "/") for target in job.targets()}
    # Components may read `compiled/`: they must find this run's output there, not the last one's.
    if job.plan.output == job.root:
        remove(job.config.paths.compiled)
    for folder in folders.values():
        remove(job.plan.output / "compiled" / folder)
    with scratch_folder() as scratch:
        show_log = job.config.verbosity > 0
        problems = run("compile_targets", job, scratch, tuple(folders), show_log=show_log)
        raise_collected(
            (
                failure(problem, scratch, f"target {target}")
                for target, problem in sorted(problems.items())
            ),
            "some component instances do not compile",
        )
        compiled = scratch / "compiled"
        return {
            target: read_tree(compiled / folder) if (compiled / folder).is_dir() else Tree()
            for target, folder in folders.items()
        }


def failure(problem: str, scratch: Path, where: str) -> CommodoreError:
    """An error of Kapitan, with the reference that it names, if it does."""
    # The scratch folder is removed before this is read.
    error = CommodoreError(problem.replace(str(scratch), "(scratch)"), where=where)
    match = _REFERENCE.search(problem)
    error.subject = match[0] if match else ""
    return error


def run(function: str, job: Job, scratch: Path, *arguments: object, show_log: bool = False) -> Any:  # noqa: ANN401 - whatever the function returns
    """Call one of the functions below in another process, with the reference files on disk."""
    for file in job.references:
        write_if_changed(scratch / "refs" / file.path, file.content)
    name = f"{__name__}:{function}"
    try:
        return isolated.call(name, job.root, job.plan, scratch, *arguments, forward=show_log)
    except isolated.Crashed as error:
        raise CommodoreError(f"Kapitan ended without a result: {error}") from error


def compile_targets(
    root: Path, plan: CompilePlan, scratch: Path, names: Sequence[str]
) -> dict[str, str]:
    """Drive Kapitan's parts as its own command would; returns the errors by target."""
    from kapitan.resources import get_inventory
    from kapitan.targets import compile_target, load_target_inventory

    arguments, references, search_paths = _set_up(root, plan, scratch)
    try:
        inventory = get_inventory(str(root / "inventory"))
        targets = load_target_inventory(inventory, list(names))
    except (Exception, SystemExit) as error:
        # Kapitan checks all targets at once, logs what it does not like, and ends the process.
        raise CommodoreError(
            f"Kapitan does not accept the inventory: {error}",
            where="parameters.kapitan of the targets",
            hint="check input types and keys of the compile and dependencies entries;"
            " -v shows Kapitan's own words",
        ) from error
    problems: dict[str, str] = {}
    for target in targets:
        try:
            compile_target(target, search_paths, str(scratch / "compiled"), references, arguments)
        except Exception as error:  # noqa: BLE001 - any input type may raise anything; it is shown with its target
            problems[str(target.vars.target)] = _words_of(error)
    return problems


def compile_kadet(
    root: Path, plan: CompilePlan, scratch: Path, entry: Entry, views: Mapping[str, Any]
) -> str:
    """Compile an entry of kadet by Kapitan's class; returns what is wrong with it, if anything."""
    from kapitan import cached
    from kapitan.inputs.kadet import Kadet
    from kapitan.inventory.model.input_types import CompileInputTypeConfig
    from pydantic import TypeAdapter

    arguments, references, search_paths = _set_up(root, plan, scratch)
    cached.inv = cached.global_inv = _Inventory(views)
    cached.inventory_global_kadet = {}
    model = TypeAdapter(CompileInputTypeConfig).validate_python(entry.fields)
    compiled = str(scratch / "compiled")
    try:
        Kadet(compiled, search_paths, references, entry.target, arguments).compile_obj(model)
    except Exception as error:  # noqa: BLE001 - the code of a component may raise anything
        return _words_of(error)
    return ""


class _Inventory(dict[str, Any]):
    """Targets in the form of Kapitan's classes; topics are not shared between targets."""

    topics: Mapping[str, Any] = {}

    def consumed_topics(self, target: str) -> set[str]:  # noqa: ARG002 - Kapitan's signature
        return set()


def _set_up(root: Path, plan: CompilePlan, scratch: Path) -> tuple[Namespace, Any, list[str]]:
    """Kapitan's command line as Commodore sets it, its reference files and its search paths."""
    import jinja2
    from kapitan import cached
    from kapitan.refs.base import PlainRef, PlainRefBackend, RefController

    from commodore_py.adapters.jinja import Confined

    class BarePaths(PlainRefBackend):  # type: ignore[misc]  # Kapitan has no types
        """Reveals a reference as its own path, whatever is stored there."""

        def __init__(self) -> None:
            super().__init__("")
            self.type_name = "vaultkv"

        def __getitem__(self, ref_path: str) -> object:
            return PlainRef(ref_path)

    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(message)s")
    # Templates are rendered in the same sandbox as ours.
    jinja2.Environment = Confined  # type: ignore[misc]
    jinja2.Template.environment_class = Confined
    arguments = Namespace(
        inventory_path=str(root / "inventory"),
        inventory_backend="reclass-rs",
        output_path=str(plan.output),
        indent=2,
        multiline_string_style="literal",
        yaml_multiline_string_style="literal",
        dump_null_as_empty=False,
        yaml_dump_null_as_empty=False,
        reveal=plan.reveal,
        prune=False,
        cache=False,
        verbose=False,
        use_go_jsonnet=True,
        cue_path="cue",
        kustomize_path="kustomize",
        helm_path="helm",
        jinja2_filters="lib/jinja2_filters.py",
        compose_target_name=False,
    )
    cached.args = arguments
    references = RefController(str(scratch / "refs"), embed_refs=False)
    if plan.reveal:
        references.register_backend(BarePaths())
    return arguments, references, [str(path) for path in (*plan.search_paths, scratch)]


def _words_of(error: BaseException) -> str:
    """The message of an error of Kapitan, as readable as possible."""
    # gojsonnet 0.22 does not end the text of a failed import: Python cannot decode what follows.
    cause: BaseException | None = error
    last = error
    while cause is not None:
        if isinstance(cause, UnicodeDecodeError):
            return cause.object.decode(errors="replace")
        last, cause = cause, cause.__cause__
    words = [str(error), "" if str(last) else type(last).__name__]
    return " ".join(filter(None, words))
