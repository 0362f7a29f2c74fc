"""A whole compile by Kapitan itself: the oracle of tests."""

from __future__ import annotations

import tempfile
from pathlib import Path
from posixpath import normpath
from typing import TYPE_CHECKING

from commodore_py.adapters.files import read_tree, remove
from commodore_py.errors import CommodoreError, raise_collected
from commodore_py.model.tree import Tree

from . import kapitan
from .entries import entries_of
from .output import Output

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .job import Job


def compile_job(job: Job) -> Mapping[str, Tree]:
    """Compile all targets and read what they wrote."""
    folders = {target: target.replace(".", "/") for target in job.targets()}
    # Components may read `compiled/`: they must find this run's output there, not the last one's.
    if job.plan.output == job.root:
        remove(job.config.paths.compiled)
    for target, folder in folders.items():
        _refuse_misplaced(job, target)
        remove(job.plan.output / "compiled" / folder)
    with tempfile.TemporaryDirectory(prefix="commodore-", suffix=".kapitan") as name:
        scratch = Path(name).resolve()
        show_log = job.config.verbosity > 0
        names = tuple(folders)
        problems = kapitan.run("compile_targets", job, scratch, names, show_log=show_log)
        raise_collected(
            (
                kapitan.failure(problem, scratch, f"target {target}")
                for target, problem in sorted(problems.items())
            ),
            "some component instances do not compile",
        )
        places = {target: scratch / "compiled" / folder for target, folder in folders.items()}
        return {
            target: read_tree(place) if place.is_dir() else Tree()
            for target, place in places.items()
        }


def _refuse_misplaced(job: Job, target: str) -> None:
    """Refuse what Kapitan would write or delete elsewhere: it joins paths and looks no further."""
    output = Output(target, job.plan.checkouts.get(target))
    compiled = f"{job.config.paths.compiled}/{output.folder}"
    for entry in entries_of(job.inventory.nodes[target]).compiled:
        removed = entry.input_paths if entry.input_type == "remove" else ()
        paths = (normpath(job.root / path) for path in removed)
        outside = (path for path in paths if not f"{path}/".startswith(f"{compiled}/"))
        try:
            for path in (entry.output_path, *outside):
                output.place(path)
        except CommodoreError as error:
            error.where = entry.where
            raise
