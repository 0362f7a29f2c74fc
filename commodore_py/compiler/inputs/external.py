"""A program of the component's choice, run by a shell, that writes files of the target."""

from __future__ import annotations

import logging
import os
import re
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py import run_log
from commodore_py.adapters import kustomize
from commodore_py.adapters.ending import adopt_orphans
from commodore_py.adapters.masking import MASK, Redactor
from commodore_py.adapters.process import ProgramFailed, TookTooLong, run
from commodore_py.compiler.fields import EVERY_INPUT, NOTHING, Field, text_mapping, texts
from commodore_py.compiler.workplace import laid_out
from commodore_py.errors import CommodoreError
from commodore_py.lib import KUSTOMIZE_WRAPPER
from commodore_py.model.remote_use import ToolUsed

from .base import all_inputs
from .kustomize import fetching, record_kustomization

if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import AbstractContextManager

    from commodore_py.compiler.job import Entry, InputJob
    from commodore_py.compiler.output import Output
    from commodore_py.compiler.workplace import Workplace

log = logging.getLogger(__name__)

_OUTPUT_FOLDER = "${compiled_target_dir}"
_OUTPUT = r"\$\{compiled_target_dir\}(?:/(?!\.\.)[\w.-]+)*/?"
_FROM_US = ("PATH", "HOME")

FIELDS = {
    **EVERY_INPUT,
    "env_vars": Field(text_mapping, default=NOTHING),
    "args": Field(texts, default=[]),
}
SECONDS = 0.6


def _is_kustomize(entry: Entry) -> bool:
    """Return whether it is the one program of which we know what it reads."""
    return set(entry.input_paths) == {str(KUSTOMIZE_WRAPPER)}


def render(job: InputJob) -> Output:
    """Run the program for each input; it finds the target's output and checkout on disk."""
    _record(job)
    with laid_out(job, _watched(job)) as workplace:
        for source in all_inputs(job):
            _run(job, workplace, source)
        output = workplace.output()
    # Once more: what kustomize reads in place may have changed while it ran.
    _record(job)
    return output


def _record(job: InputJob) -> None:
    """Record what kustomize reads; of other programs, nothing is known."""
    files, recorder = job.files, job.recorder
    if not _is_kustomize(job.entry):
        recorder.unseal("a program may read anything")
        return
    source = job.entry.fields["env_vars"].get("INPUT_DIR", "")
    if not _is_plain(job, source):
        recorder.unseal("kustomize gets more than a folder and its bases")
        return
    files.entry(KUSTOMIZE_WRAPPER)
    record_kustomization(job, Path(source))
    # Existing output stays: kustomize replaces some files and keeps the others.
    files.tree_at(files.compiled / job.output.folder)


def _is_plain(job: InputJob, source: str) -> bool:
    """Return whether an entry runs kustomize on one folder, and into the target's output."""
    fields = job.entry.fields
    return (
        set(fields["env_vars"]) == {"INPUT_DIR"}
        and len(fields["args"]) == 1
        and re.fullmatch(_OUTPUT, fields["args"][0]) is not None
        and _OUTPUT_FOLDER not in source
        and not Path(job.entry.output_path).is_absolute()
    )


def _watched(job: InputJob) -> list[Path]:
    """Where the program may write besides its output: anywhere in the checkout, for all we know."""
    checkout = job.output.checkout
    if checkout is None:
        return []
    if not _is_kustomize(job.entry):
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
    folder = env.get("INPUT_DIR") if source == KUSTOMIZE_WRAPPER else None
    bases: AbstractContextManager[Mapping[str, str]] = nullcontext({})
    if folder:
        bases = fetching(job, Path(folder), workplace.scratch)
    adopt_orphans()
    try:
        keep_open = workplace.borrowed.keep_open
        with bases as more:
            output = run(line, called=str(source), only_env={**env, **more}, keep_open=keep_open)
    except TookTooLong as error:
        error.where = job.entry.where
        raise
    except ProgramFailed as error:
        raise _failure(job, command, workplace, error) from error
    if folder and job.job.provide_bases is not None:  # there is a lock, which records it
        run_log.report(ToolUsed("kustomize", kustomize.version()))
    log.debug("%s printed: %s", source, output.decode(errors="replace").strip() or "nothing")


def _failure(
    job: InputJob, command: str, workplace: Workplace, error: ProgramFailed
) -> CommodoreError:
    # The scratch folder is removed before this is read.
    folder = f"compiled/{job.output.folder}"
    output = (error.stderr.strip() or str(error)).replace(str(workplace.compiled), folder)
    # Values may be passwords. What the program printed may repeat them.
    values = job.entry.fields["env_vars"]
    hidden = Redactor()
    for value in values.values():
        if "/" not in value:  # paths are often in reasons
            hidden.learn_if_random(value)
    hidden.learn_variables(values)
    output, command = hidden.message(output), hidden.message(command)
    line = " ".join([*(f"{name}={MASK}" for name in values), command])
    return CommodoreError(
        f"{line} ended with status {error.code}, it failed: {output or 'it printed no reason'}",
        where=job.entry.where,
        hint="of our environment, it sees PATH and HOME only; everything else goes into env_vars",
    )
