"""Entries of Kapitan's own input types: run by its classes, in scratch folders, elsewhere."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from posixpath import normpath
from typing import TYPE_CHECKING, Any, NamedTuple

from commodore_py import run_log
from commodore_py.adapters import time_limits
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from commodore_py.adapters.isolated import Session
    from commodore_py.adapters.time_limits import TimeLimits
    from commodore_py.compiler.entry import InputJob
    from commodore_py.compiler.job import Job
    from commodore_py.compiler.output import Output
    from commodore_py.compiler.views import Views

# These show templates the inventory of every target.
_SEE_ALL = ("jinja2", "kadet")
PROGRAMS = {"kustomize": "kustomize", "cuelang": "cue"}
"""Input types that run a program; Kapitan's classes take names of files from content."""

_GET = {
    "kustomize": "`commodore tool install kustomize` gets one",
    "cue": "see the releases of cue-lang/cue",
}


class ProgramError(CommodoreError):
    """An entry that Kapitan could not compile."""


class Request(NamedTuple):
    """The arguments of the other process for one entry."""

    target: str
    fields: Mapping[str, Any]
    views: Mapping[str, Any]
    search_paths: tuple[str, ...]
    scratch: Path
    places: tuple[Path, ...]
    """Where the entry may write."""
    limits: TimeLimits
    job: Job


class Kapitan:
    """Kapitan in a process of its own, started when an entry needs it."""

    def __init__(self, job: Job, views: Views) -> None:
        self.job = job
        self.views = views
        self._sessions: list[Session] = []

    @cached_property
    def session(self) -> Session:
        """Kapitan's process."""
        return self._new_session()

    @cached_property
    def helm(self) -> Session:
        """Helm as a library; beside Kapitan it would be a second Go runtime in one process."""
        return self._new_session()

    def render(self, job: InputJob) -> Output:
        """Compile the entry with its target's files on disk for as long as it takes."""
        from commodore_py.adapters.files import write_if_changed
        from commodore_py.compiler.workplace import laid_out

        _look_for_program(job)
        checkout = job.output.checkout
        roams = job.entry.input_type == "kadet" and checkout is not None
        with laid_out(job, [checkout] if roams and checkout else []) as workplace:
            for file in self.job.references:
                write_if_changed(workplace.scratch / "refs" / file.path, file.content)
            place = job.output.place(job.entry.output_path)
            places = (workplace.compiled, *([place] if isinstance(place, Path) else []))
            self._call(job, workplace.scratch, places)
            return workplace.output()

    def close(self) -> None:
        """End the processes."""
        for session in self._sessions:
            session.close()

    def _new_session(self) -> Session:
        from commodore_py.adapters.isolated import Session

        self._sessions.append(Session())
        return self._sessions[-1]

    def _call(self, job: InputJob, scratch: Path, places: tuple[Path, ...]) -> None:
        from commodore_py.adapters.isolated import Crashed

        entry = job.entry
        target = job.output.target
        request = Request(
            target=target,
            fields={
                **entry.fields,
                "input_paths": [_in_scratch(path, scratch) for path in entry.input_paths],
            },
            views=self.views.all() if entry.input_type in _SEE_ALL else self.views.only(target),
            search_paths=tuple(map(str, (*self.job.search_paths, scratch))),
            scratch=scratch,
            places=places,
            limits=time_limits.current(),
            job=self.job._replace(inventory=type(self.job.inventory)({})),
        )
        try:
            problem, outside = self.session.call("commodore_py.compiler.kapitan.entry:run", request)
        except Crashed as error:
            raise ProgramError(f"Kapitan ended without a result: {error}") from error
        for one in outside:
            run_log.report(one)
        if problem:
            # The scratch folder is removed before this is read.
            text = problem.replace(str(scratch), "(scratch)")
            from .parts import about_reference

            raise about_reference(ProgramError(text, where=entry.where))


def _in_scratch(path: str, scratch: Path) -> str:
    # The working directory still has the last run's `compiled/`, and it would be found first.
    clean = normpath(path)
    return str(scratch / clean) if clean.startswith("compiled/") else path


def _look_for_program(job: InputJob) -> None:
    program = PROGRAMS.get(job.entry.input_type)
    if program is None:
        return
    import shutil

    if shutil.which(program) is None:
        raise ProgramError(
            f"input type {job.entry.input_type} needs {program}, and there is none in PATH",
            where=job.entry.where,
            hint=f"install {program}: {_GET[program]}",
        )
