"""A whole compile by Kapitan itself, in a process of its own: the oracle of tests.

Kapitan keeps its state in modules, ends the process on a bad inventory and prints tracebacks;
none of that reaches ours.
"""

from __future__ import annotations

import logging
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.adapters import isolated
from commodore_py.adapters.files import read_tree, remove, write_if_changed
from commodore_py.errors import raise_collected
from commodore_py.model.inventory import Inventory
from commodore_py.model.tree import Tree

from .parts import (
    CompileError,
    about_reference,
    arguments_of,
    confine_templates,
    references_of,
    words_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from commodore_py.compiler.job import Job


def compile_job(job: Job, *, show_log: bool) -> Mapping[str, Tree]:
    """Compile all targets and read what they wrote."""
    # Components may read `compiled/`: they must find this run's output there, not the last one's.
    if job.output == job.root:
        remove(job.root / "compiled")
    for target in job.targets:
        remove(job.output / "compiled" / _folder_of(target))
    with tempfile.TemporaryDirectory(prefix="commodore-", suffix=".kapitan") as name:
        scratch = Path(name).resolve()
        for file in job.references:
            write_if_changed(scratch / "refs" / file.path, file.content)
        try:
            problems: dict[str, str] = isolated.call(
                "commodore_py.compiler.kapitan.reference:run_kapitan",
                replace(job, inventory=Inventory({})),  # Kapitan renders it again, from the files
                scratch,
                forward=show_log,
            )
        except isolated.Crashed as error:
            raise CompileError(f"Kapitan ended without a result: {error}") from error
        raise_collected(
            # The scratch folder is removed before this is read.
            (
                about_reference(
                    CompileError(
                        problem.replace(str(scratch), "(scratch)"), where=f"target {target}"
                    )
                )
                for target, problem in sorted(problems.items())
            ),
            "some component instances do not compile",
        )
        folders = {target: scratch / "compiled" / _folder_of(target) for target in job.targets}
        return {
            target: read_tree(folder) if folder.is_dir() else Tree()
            for target, folder in folders.items()
        }


def _folder_of(target: str) -> str:
    return target.replace(".", "/")


def run_kapitan(job: Job, scratch: Path) -> dict[str, str]:
    """Drive Kapitan's parts as its own command would (runs in the other process)."""
    from kapitan import cached
    from kapitan.resources import get_inventory
    from kapitan.targets import compile_target, load_target_inventory

    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(message)s")
    confine_templates()
    arguments = arguments_of(job)
    cached.args = arguments
    errors = _Errors()
    logging.getLogger().addHandler(errors)
    try:
        inventory = get_inventory(str(job.root / "inventory"))
        targets = load_target_inventory(inventory, list(job.targets))
    except (Exception, SystemExit) as error:
        # Kapitan checks all targets at once, logs what it does not like, and ends the process.
        raise CompileError(
            f"Kapitan does not accept the inventory: {errors.text() or error}",
            where="parameters.kapitan of the targets",
            hint="check input types and keys of the compile and dependencies entries;"
            " -v shows Kapitan's own words",
        ) from error
    search_paths = [str(path) for path in (*job.search_paths, scratch)]
    references = references_of(job, scratch)
    problems: dict[str, str] = {}
    for target in targets:
        try:
            compile_target(target, search_paths, str(scratch / "compiled"), references, arguments)
        except Exception as error:  # noqa: BLE001 - any input type may raise anything; it is shown with its target
            problems[str(target.vars.target)] = words_of(error)
    return problems


class _Errors(logging.Handler):
    """Errors in Kapitan's log, to be shown with ours."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self._lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self._lines += record.getMessage().splitlines()

    def text(self) -> str:
        """The lines without links to documentation, each once."""
        useful = (line.strip() for line in self._lines if "errors.pydantic.dev" not in line)
        return "; ".join(dict.fromkeys(line for line in useful if line))
