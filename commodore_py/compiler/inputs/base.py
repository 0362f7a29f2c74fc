"""The form of an input type, and what input types have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from commodore_py.adapters.child_environment import child_environment
from commodore_py.adapters.process import ProgramFailed, run
from commodore_py.cache.questions.tools import (
    ENVIRONMENT,
    SCRIPT,
    TOOL,
    environment_digest,
    tool_digest,
)
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from commodore_py.cache.recorder import Recorder
    from commodore_py.compiler.fields import Field
    from commodore_py.compiler.job import InputJob
    from commodore_py.compiler.output import Output


class InputType(Protocol):
    """A module below `compiler/inputs/`."""

    @property
    def FIELDS(self) -> Mapping[str, Field]:  # noqa: N802 - a constant of a module
        """The keys of an entry."""

    @property
    def SECONDS(self) -> float:  # noqa: N802 - as above
        """The usual time of an entry; 0 if it takes no longer than a look-up in the cache."""

    def render(self, job: InputJob) -> Output:
        """The target's output with this entry's; `job.recorder` gets what `job` does not read."""


def record_program(about: str, recorder: Recorder) -> None:
    """Record Helm or kustomize, with its variables and settings; a script may read anything."""
    answer = tool_digest(about)
    if answer == SCRIPT:
        recorder.unseal(f"{about.partition(':')[0]} is a script, which may read anything")
    recorder.note(TOOL.question(about), answer)
    recorder.note(ENVIRONMENT.question("Helm and kustomize"), environment_digest())


def run_program(
    job: InputJob, command: Sequence[str], source: Path, folder: Path, env: Mapping[str, str]
) -> bytes:
    """The output of a program that renders a copy of a source, in a scratch folder."""
    scratch = {**child_environment(), "TMPDIR": str(folder.parent)}
    try:
        return run(command, cwd=folder, only_env={**scratch, **env})
    except ProgramFailed as error:
        text = (error.stderr or str(error)).replace(str(folder.parent), "(scratch)")
        raise CommodoreError(
            f"{command[0]} cannot render {source}: {text}", where=job.entry.where, hint=error.hint
        ) from error


def check_for_programs(job: InputJob, paths: Iterable[Path]) -> None:
    """Judge paths that a program will read, as it does not read through the files view."""
    for path in paths:
        if not job.files.hides(path):
            job.files.reach.check(str(path))


class InputMissing(CommodoreError):
    """An input path leads to nothing."""


def all_inputs(job: InputJob) -> Iterator[Path]:
    """The files and folders of all input paths, in their order."""
    for pattern in job.entry.input_paths:
        yield from inputs_of(job, pattern)


def inputs_of(job: InputJob, pattern: str) -> list[Path]:
    """The files and folders of an input path; none is an error unless the entry allows it.

    The first search path comes last, as the last output to a file wins: it is the one that an
    import would find.
    """
    paths: dict[Path, None] = {}
    for folder in job.files.search_paths:
        paths.update(dict.fromkeys(job.files.expand(folder / pattern)))
    if not paths and not job.entry.fields["ignore_missing"]:
        searched = ", ".join(dict.fromkeys(str(at / pattern) for at in job.files.search_paths))
        raise InputMissing(
            f"input {pattern} does not exist", where=job.entry.where, hint=f"searched: {searched}"
        )
    return [*reversed(paths)]
