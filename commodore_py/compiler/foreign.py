"""Entries of Kapitan's own input types: run by its classes, in scratch folders, elsewhere."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from posixpath import normpath
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import files, isolated
from commodore_py.errors import CommodoreError
from commodore_py.model import Entry as File
from commodore_py.model import Tree

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .inputs import InputJob
    from .job import Job
    from .output import Output, Place
    from .views import Views

# These show templates the inventory of every target.
_SEE_ALL = ("jinja2", "kadet")


class ProgramError(CommodoreError):
    """An entry that Kapitan could not compile."""


@dataclass(frozen=True, slots=True)
class Request:
    """What the other process is told about one entry."""

    target: str
    fields: Mapping[str, Any]
    views: Mapping[str, Any]
    search_paths: tuple[str, ...]
    scratch: Path
    job: Job


@dataclass(frozen=True, slots=True)
class Kapitan:
    """Kapitan in a process of its own, started when an entry needs it."""

    job: Job
    views: Views
    session: isolated.Session = field(default_factory=isolated.Session)

    def render(self, job: InputJob) -> Output:
        """Compile the entry with its target's files on disk for as long as it takes."""
        with tempfile.TemporaryDirectory(prefix="commodore-", suffix=".kapitan") as name:
            scratch = Path(name).resolve()
            for file in self.job.references:
                files.write_if_changed(scratch / "refs" / file.path, file.content)
            compiled = scratch / "compiled" / job.output.folder
            place = job.output.place(job.entry.output_path)
            files.write_tree(compiled, job.output.with_folder(place).tree)
            with _on_disk(job.output.written), _watched(place) as changes:
                self._call(job, scratch)
                found = changes()
            output = replace(job.output, tree=files.read_tree(compiled))
            return replace(output, written={**output.written, **found})

    def _call(self, job: InputJob, scratch: Path) -> None:
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
            job=replace(self.job, inventory=type(self.job.inventory)({})),
        )
        try:
            problem = self.session.call("commodore_py.compiler.kapitan_entry:run", request)
        except isolated.Crashed as error:
            raise ProgramError(f"Kapitan ended without a result: {error}") from error
        if problem:
            # The scratch folder is gone when this is read.
            raise ProgramError(problem.replace(str(scratch), "(scratch)"), where=entry.where)


def _in_scratch(path: str, scratch: Path) -> str:
    # The working directory still has the last run's `compiled/`, and it would be found first.
    clean = normpath(path)
    return str(scratch / clean) if clean.startswith("compiled/") else path


@contextmanager
def _on_disk(written: Mapping[Path, File | None]) -> Iterator[None]:
    """The checkout as this target left it; afterwards it is as it was."""
    before = {path: _read(path) for path in written}
    missing = {parent for path in written for parent in path.parents if not parent.exists()}
    try:
        _put(written)
        yield
    finally:
        _put(before)
        for folder in sorted(missing, reverse=True):
            if folder.is_dir() and not any(folder.iterdir()):
                folder.rmdir()


@contextmanager
def _watched(place: Place) -> Iterator[Any]:
    """What a program changes in a folder of the checkout, which is put back afterwards."""
    if not isinstance(place, Path):
        yield dict
        return
    existed = place.exists()
    before = files.read_tree(place) if existed else Tree()

    def changes() -> Mapping[Path, File | None]:
        after = files.read_tree(place) if place.exists() else Tree()
        gone: dict[PurePosixPath, File | None] = dict.fromkeys(before.keys() - after.keys())
        changed = {path: file for path, file in after.items() if before.get(path) != file}
        return {place / path: file for path, file in {**gone, **changed}.items()}

    try:
        yield changes
    finally:
        if existed:
            files.write_tree(place, before)
        elif place.exists():
            shutil.rmtree(place)


def _read(path: Path) -> File | None:
    return File(path.read_bytes(), executable=files.is_executable(path)) if path.exists() else None


def _put(written: Mapping[Path, File | None]) -> None:
    for path, file in written.items():
        if file is None:
            files.remove(path)
        else:
            files.write_if_changed(path, file.content, executable=file.executable)
