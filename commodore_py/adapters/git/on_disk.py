"""Files put into a checkout while programs work there; afterwards it is as before, killed or not.

What was there is noted before anything is written, under a lock that the programs hold, too. A
run that was killed leaves its notes, and the next one puts things back by them.
"""

from __future__ import annotations

import hashlib
import os
import stat
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from commodore_py.adapters import files
from commodore_py.adapters.files.copies import Copies, Listing, list_files
from commodore_py.adapters.files.file_lock import locked
from commodore_py.adapters.process import ProgramFailed
from commodore_py.adapters.reading import content_of
from commodore_py.errors import CommodoreError
from commodore_py.model.tree import Entry

from .program import git_bytes
from .repository import git_folder_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

_PATIENCE = 600.0


@dataclass(frozen=True, slots=True)
class Borrowed:
    """A checkout as programs find it."""

    checkout: Path
    roots: tuple[str, ...] = ()
    before: Listing | None = None
    begun: Listing | None = None
    keep_open: tuple[int, ...] = ()
    """The lock, for programs to inherit: the checkout stays while they run."""

    def changes(self) -> dict[Path, Entry | None]:
        """Files that the programs wrote, and None for those that they removed."""
        if self.begun is None:
            return {}
        now = list_files(self.checkout, self.roots)
        made: dict[Path, Entry | None] = {}
        for name, mark in now.marks.items():
            path = self.checkout / name
            # A link to nothing, or to a folder, is not a file.
            if self.begun.marks.get(name) != mark and path.is_file():
                made[path] = Entry(content_of(path), executable=files.is_executable(path))
        removed = self.begun.marks.keys() - now.marks.keys()
        return {**made, **{self.checkout / name: None for name in removed}}

    def new_folders(self) -> frozenset[Path]:
        """Folders that were not there before anything was put into the checkout."""
        if self.before is None:
            return frozenset()
        now = list_files(self.checkout, self.roots)
        return frozenset(self.checkout / name for name in now.folders - self.before.folders)


@contextmanager
def on_disk(
    notes: Path,
    checkout: Path,
    written: Mapping[Path, Entry | None],
    watched: Iterable[Path],
    *,
    made: Iterable[Path] = (),
) -> Iterator[Borrowed]:
    """Put files and folders there, see what happens at the watched places, and undo all of it.

    But for one thing: a program that Git ignores stays where it was put, as scripts that fetch one
    look there before they fetch it again.
    """
    watched, made = set(watched), set(made)
    if not watched and not written and not made:
        yield Borrowed(checkout)
        return
    digest = hashlib.sha256(os.fsencode(os.path.realpath(checkout))).hexdigest()[:16]
    file = notes / f"{checkout.name[:64]}-{digest}.lock"
    with (
        locked(file, what=str(checkout), patience=_PATIENCE) as lock,
        files.anchored(checkout),
    ):
        copies = Copies(file.with_suffix(""))
        copies.put_back()
        # What is there in any case is not ours to look after.
        made = sorted(path for path in made if not path.is_dir())
        roots = _outermost(checkout, {*watched, *written, *made})
        before = copies.note(checkout, roots)
        fetched: frozenset[str] = frozenset()
        try:
            _put(written, made)
            begun = list_files(checkout, roots)
            yield Borrowed(checkout, roots, before, begun, (lock,))
            fetched = _fetched_programs(checkout, roots, before, begun)
        finally:
            copies.put_back(spare=fetched)
    _tidy(notes)


def repair(notes: Path, *, patience: float) -> tuple[Path, ...]:
    """Put back what killed runs left on disk; returns the checkouts."""
    repaired = []
    for file in sorted(notes.glob("*.lock")):
        with locked(file, what=file.stem.rpartition("-")[0], patience=patience):
            place = Copies(file.with_suffix("")).put_back()
            if place is not None:
                repaired.append(place)
    _tidy(notes)
    return tuple(repaired)


def notes_below(state: Path) -> Path:
    """Where notes lie, within the state of a working directory."""
    return state / "on-disk"


def notes_in(checkout: Path) -> Path:
    """Where notes about a checkout lie that belongs to no working directory."""
    git = git_folder_of(checkout) or checkout / ".git"
    return git / "commodore-on-disk" if git.is_dir() else checkout / ".commodore-on-disk"


def _outermost(checkout: Path, paths: Iterable[Path]) -> tuple[str, ...]:
    """The places to look at: as high up as something would have to be made for them."""
    tops = set()
    for path in paths:
        top = path
        while top != checkout and not top.parent.exists():
            top = top.parent
        tops.add(top)
    outer = (top for top in tops if tops.isdisjoint(top.parents))
    return tuple(sorted(top.relative_to(checkout).as_posix() for top in outer))


def _put(written: Mapping[Path, Entry | None], made: Iterable[Path]) -> None:
    place = None
    try:
        for place, entry in written.items():
            if entry is None:
                files.remove(place)
            else:
                files.write_if_changed(place, entry.content, executable=entry.executable)
        for place in made:
            files.make_folder(place)
    except OSError as error:
        raise CommodoreError(
            f"cannot write what programs are to find: {error.strerror}", where=str(place)
        ) from error


def _fetched_programs(
    checkout: Path, roots: Iterable[str], before: Listing, begun: Listing
) -> frozenset[str]:
    now = list_files(checkout, roots)
    new = [
        name
        for name, mark in now.marks.items()
        if name not in before.marks
        and begun.marks.get(name) != mark
        and isinstance(mark[0], int)
        and mark[0] & stat.S_IXUSR
    ]
    if not new:
        return frozenset()
    stdin = "".join(f"{name}\0" for name in new)
    try:
        ignored = git_bytes(checkout, "check-ignore", "-z", "--stdin", stdin=os.fsencode(stdin))
    except ProgramFailed:  # none of them is, or nothing is known about that
        return frozenset()
    return frozenset(filter(None, os.fsdecode(ignored).split("\0")))


def _tidy(notes: Path) -> None:
    files.remove_empty(notes)  # unless another checkout's notes are there
