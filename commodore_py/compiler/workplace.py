"""Where programs work for an entry: its target in a scratch folder, its checkout on disk."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.adapters import files
from commodore_py.adapters.files.on_disk import on_disk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from commodore_py.adapters.files.on_disk import Borrowed

    from .entry import InputJob
    from .output import Output


@dataclass(frozen=True, slots=True)
class Workplace:
    """The disk as the programs of an entry find it."""

    job: InputJob
    scratch: Path
    borrowed: Borrowed

    @property
    def compiled(self) -> Path:
        """The target's output."""
        return self.scratch / "compiled" / self.job.output.folder

    def real(self, path: Path) -> Path:
        """The path of an input: the output of earlier entries is nowhere else on disk."""
        hidden = self.job.lookup.files.compiled
        if path.is_relative_to(hidden):
            return self.scratch / "compiled" / path.relative_to(hidden)
        return path

    def output(self) -> Output:
        """What there is after all programs."""
        before = self.job.output
        tree = files.read_tree(self.compiled)
        for path in tree:
            before.place(str(path))
        return before._replace(
            tree=tree,
            written={**before.written, **self.borrowed.changes()},
            made=self.borrowed.new_folders(),
        )


@contextmanager
def laid_out(job: InputJob, watched: Iterable[Path] = ()) -> Iterator[Workplace]:
    """Everything in its place for as long as it takes; what changes at `watched` is output, too."""
    place = job.output.place(job.entry.output_path)
    places = {*watched, *([place] if isinstance(place, Path) else [])}
    with (
        tempfile.TemporaryDirectory(prefix="commodore-", suffix=".kapitan") as name,
        checkout_on_disk(job, places) as borrowed,
    ):
        workplace = Workplace(job, Path(name).resolve(), borrowed)
        files.write_tree(workplace.compiled, job.output.with_folder(place).tree)
        if isinstance(place, Path):
            place.mkdir(parents=True, exist_ok=True)
        yield workplace


@contextmanager
def checkout_on_disk(job: InputJob, watched: Iterable[Path] = ()) -> Iterator[Borrowed]:
    """The component's checkout as this target left it; afterwards it is as it was."""
    checkout = job.output.checkout or job.kapitan.job.root
    notes, there = job.kapitan.job.notes, job.output
    with on_disk(notes, checkout, there.written, watched, made=there.made) as borrowed:
        yield borrowed
