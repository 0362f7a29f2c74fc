"""The disk for the programs of an entry: its target in a scratch folder, its checkout in place."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.adapters import files
from commodore_py.adapters.git.on_disk import notes_below, on_disk
from commodore_py.model.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from commodore_py.adapters.git.on_disk import Borrowed

    from .job import InputJob
    from .output import Output


SCRATCH = "commodore-"
"""How the names of scratch folders begin."""


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A folder for as long as it takes, by its real path."""
    with tempfile.TemporaryDirectory(prefix=SCRATCH) as name:
        yield Path(name).resolve()


@dataclass(frozen=True, slots=True)
class Workplace:
    """The disk as the programs of an entry find it."""

    job: InputJob
    scratch: Path
    borrowed: Borrowed
    is_watched: bool
    """Whether changes in the checkout are output, too."""

    @property
    def compiled(self) -> Path:
        """The target's output."""
        return self.scratch / "compiled" / self.job.output.folder

    def real(self, path: Path) -> Path:
        """The path of an input: the output of earlier entries is nowhere else on disk."""
        hidden = self.job.files.compiled
        if path.is_relative_to(hidden):
            return self.scratch / "compiled" / path.relative_to(hidden)
        return path

    def output(self) -> Output:
        """The output after all programs."""
        before = self.job.output
        after = files.read_tree(self.compiled)
        for path in after:
            before.place(str(path))
        # A file that is as it was counts as untouched: the next time, it may hold something else.
        old = before.tree
        entries = {
            path: old[path] if old.get(path) == file else file for path, file in after.items()
        }
        tree = Tree(entries, after.empty_folders)
        if not self.is_watched:
            return replace(before, tree=tree)
        written = {**before.written, **self.borrowed.changes()}
        return replace(before, tree=tree, written=written, made=self.borrowed.new_folders())


@contextmanager
def laid_out(job: InputJob, watched: Iterable[Path] = ()) -> Iterator[Workplace]:
    """Lay out all files for as long as it takes; what changes at `watched` is output, too."""
    place = job.output.place(job.entry.output_path)
    places = {*watched, *([place] if isinstance(place, Path) else [])}
    with scratch_folder() as scratch, checkout_on_disk(job, places) as borrowed:
        workplace = Workplace(job, scratch, borrowed, bool(places))
        files.write_tree(workplace.compiled, job.output.with_folder(place).tree)
        if isinstance(place, Path):
            place.mkdir(parents=True, exist_ok=True)
        yield workplace


@contextmanager
def checkout_on_disk(job: InputJob, watched: Iterable[Path] = ()) -> Iterator[Borrowed]:
    """The component's checkout as this target left it; afterwards it is as it was."""
    checkout, before = job.output.checkout or job.job.root, job.output
    notes = job.job.plan.scratch_notes or notes_below(job.job.config.paths.state)
    with on_disk(notes, checkout, before.written, watched, made=before.made) as borrowed:
        yield borrowed
