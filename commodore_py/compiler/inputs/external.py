"""A program of the component's choice, run by a shell, that writes files where it is told to."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.adapters.process import ProgramFailed, run
from commodore_py.compiler.workplace import laid_out
from commodore_py.lib import KUSTOMIZE_WRAPPER

from .base import inputs_of

if TYPE_CHECKING:
    from commodore_py.compiler.output import Output
    from commodore_py.compiler.workplace import Workplace

    from .base import InputJob

log = logging.getLogger(__name__)

_OUTPUT_FOLDER = "${compiled_target_dir}"
_FROM_US = ("PATH", "HOME")


def render(job: InputJob) -> Output:
    """Run the program for each input; it finds the target's output and checkout on disk."""
    with laid_out(job, _watched(job)) as workplace:
        for pattern in job.entry.input_paths:
            for source in inputs_of(job, pattern):
                _run(job, workplace, source)
        return workplace.output()


def _watched(job: InputJob) -> list[Path]:
    """Where the program may write besides its output: anywhere in the checkout, for all we know."""
    checkout = job.output.checkout
    if checkout is None:
        return []
    if set(job.entry.input_paths) != {str(KUSTOMIZE_WRAPPER)}:
        return [checkout]
    words = (Path(word) for word in job.entry.fields["args"])
    return [word for word in words if word.is_relative_to(checkout) and ".." not in word.parts]


def _run(job: InputJob, workplace: Workplace, source: Path) -> None:
    fields = job.entry.fields
    # Not tidied up: programs get to see it as Kapitan joins it.
    target = os.path.join(workplace.compiled, job.entry.output_path)  # noqa: PTH118
    command = " ".join([str(workplace.real(source)), *fields["args"]])
    ours = {name: os.environ[name] for name in _FROM_US if name in os.environ}
    env = {
        name: value.replace(_OUTPUT_FOLDER, target)
        for name, value in {**ours, **fields["env_vars"]}.items()
    }
    # Quotes, variables and patterns in `args` are the shell's; that is what they are there for.
    line = ["/bin/sh", "-c", command.replace(_OUTPUT_FOLDER, target)]
    try:
        said = run(line, only_env=env, keep_open=workplace.borrowed.keep_open)
    except ProgramFailed as error:
        raise _failure(job, command, workplace, error) from error
    log.debug("%s printed: %s", source, said.decode(errors="replace").strip() or "nothing")


def _failure(
    job: InputJob, command: str, workplace: Workplace, error: ProgramFailed
) -> ProgramFailed:
    # The scratch folder is gone when this is read.
    folder = f"compiled/{job.output.folder}"
    said = (error.stderr.strip() or str(error)).replace(str(workplace.compiled), folder)
    failed = ProgramFailed(
        f"{command} failed with status {error.code}: {said}",
        where=job.entry.where,
        hint="it gets nothing from our environment but PATH, HOME and env_vars",
    )
    failed.code, failed.stderr = error.code, error.stderr
    return failed
