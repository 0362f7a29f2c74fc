"""Files put into a checkout while programs work there; afterwards it is as before, killed or not.

What was there is noted before anything is written, under a lock that the programs hold, too. A
run that was killed leaves its notes, and the next one puts things back by them.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import files, json_text
from commodore_py.adapters.files.file_lock import locked
from commodore_py.adapters.files.opening import LinkInTheWay
from commodore_py.adapters.process import ProgramFailed
from commodore_py.adapters.reading import content_of
from commodore_py.errors import CommodoreError
from commodore_py.model.tree import Entry

from .program import git_bytes
from .repository import git_folder_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

Mark = tuple[int | str, ...]
"""The fingerprint of a file, from its status; for a link, its target."""

_PATIENCE = 600.0
_NOTES = "notes.json"
_NOT_OURS = ".git"


@dataclass(frozen=True, slots=True)
class Listing:
    """The files, links and folders at some paths of a folder; names are relative to it."""

    marks: Mapping[str, Mark]
    folders: frozenset[str]


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
        copies = file.with_suffix("")
        _put_back(copies, (checkout,))
        # What is there in any case is not ours to look after.
        made = sorted(path for path in made if not path.is_dir())
        roots = _outermost(checkout, {*watched, *written, *made})
        before = _copy(checkout, roots, copies)
        fetched: frozenset[str] = frozenset()
        try:
            _put(written, made)
            begun = list_files(checkout, roots)
            yield Borrowed(checkout, roots, before, begun, (lock,))
            fetched = _fetched_programs(checkout, roots, before, begun)
        finally:
            _put_back(copies, (checkout,), spare=fetched)
    files.remove_empty(notes)  # unless another checkout's notes are there


def repair(notes: Path, within: Collection[Path], *, patience: float) -> tuple[Path, ...]:
    """Put back what killed runs left on disk in these folders or below; returns the checkouts."""
    names = (entry.name for entry in notes.iterdir()) if notes.is_dir() else ()
    repaired = []
    for name in sorted({name.removesuffix(".lock").removesuffix(".new") for name in names}):
        with locked(notes / f"{name}.lock", what=name.rpartition("-")[0], patience=patience):
            if place := _put_back(notes / name, within):
                repaired.append(place)
    files.remove_empty(notes)
    return tuple(repaired)


def notes_below(state: Path) -> Path:
    """Where notes lie, within the state of a working directory."""
    return state / "on-disk"


def notes_in(checkout: Path) -> Path:
    """Where notes about a checkout lie that belongs to no working directory."""
    git = git_folder_of(checkout) or checkout / ".git"
    if git.is_dir():
        return git / "commodore-on-disk"
    notes = checkout / ".commodore-on-disk"
    if notes.is_symlink():
        raise LinkInTheWay.at(str(notes), str(notes.readlink()))
    return notes


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


def list_files(base: Path, roots: Iterable[str]) -> Listing:
    """Files, links and folders at these places and below, but for what is Git's own."""
    marks: dict[str, Mark] = {}
    folders: set[str] = set()
    waiting = [name for name in roots if os.path.lexists(base / name)]
    while waiting:
        name = waiting.pop()
        path = base / name
        status = path.lstat()
        if stat.S_ISDIR(status.st_mode):
            folders.add(name)
            children = (child for child in os.listdir(path) if child != _NOT_OURS)  # noqa: PTH208 - names
            waiting += (child if name == "." else f"{name}/{child}" for child in children)
        elif stat.S_ISLNK(status.st_mode):
            marks[name] = (os.readlink(path),)  # noqa: PTH115 - as text
        elif stat.S_ISREG(status.st_mode):
            times = (status.st_mtime_ns, status.st_ctime_ns)
            marks[name] = (status.st_mode, status.st_ino, status.st_size, *times)
    return Listing(marks, frozenset(folders - {"."}))


def _copy(base: Path, roots: Collection[str], folder: Path) -> Listing:
    """Copy the files at these paths and list them; valid once everything is written."""
    listing, unfinished = list_files(base, roots), _unfinished(folder)
    files.remove(unfinished)
    for name, mark in listing.marks.items():
        if not isinstance(mark[0], str):
            files.copy_file(base / name, unfinished / "files" / name)
    notes = {
        # The working directory may be moved before this is read.
        "base": os.path.relpath(os.path.realpath(base), os.path.realpath(folder.parent)),
        "roots": sorted(roots),
        "marks": dict(listing.marks),
        "folders": sorted(listing.folders),
    }
    files.write_if_changed(unfinished / _NOTES, json.dumps(notes).encode())
    files.rename(unfinished, folder)
    return listing


def _put_back(
    folder: Path, within: Collection[Path], *, spare: Collection[str] = ()
) -> Path | None:
    """Make everything as it was noted, if there are notes; returns the folder that it is in.

    Files to `spare` have come since, and stay. A folder or a checkout may have come with notes:
    they count only `within` these places.
    """
    files.remove(_unfinished(folder))
    try:
        content = (folder / _NOTES).read_bytes()
    except FileNotFoundError:  # what is left without its notes is only swept up
        files.remove(folder)
        return None
    notes: dict[str, Any] = json_text.load(content, name=str(folder / _NOTES))
    base = _checked_base(notes, folder, within)
    if base.is_dir():
        with files.anchored(base):
            _restore(base, notes, folder / "files", frozenset(spare))
        files.remove(folder / _NOTES)  # first of all
    files.remove(folder)
    return base


def _checked_base(notes: Any, folder: Path, within: Collection[Path]) -> Path:  # noqa: ANN401 - any JSON
    """The folder that notes are about; notes that no run has left there are refused."""
    try:
        match notes:
            case {"base": str(), "roots": [*roots], "marks": dict(marks), "folders": [*folders]}:
                base = Path(os.path.normpath(folder.parent.resolve() / notes["base"]))
                real = Path(os.path.realpath(base))
                texts = [mark[0] for mark in marks.values() if isinstance(mark[0], str)]
                names = (*folders, *marks, *(name for name in roots if name != "."))
                if (
                    any(real.is_relative_to(os.path.realpath(place)) for place in within)
                    and all(map(_is_below, names))
                    and not any("\0" in text for text in texts)
                ):
                    return base
    except (ValueError, TypeError, LookupError, AttributeError):  # of another form
        pass
    raise CommodoreError(
        "cannot put back files that a killed run had changed: its notes are about another folder",
        where=str(folder),
        hint="put back the copies in it that you need, and remove it",
    )


def _is_below(name: str) -> bool:
    parts = PurePosixPath(name).parts
    return bool(parts) and ".." not in parts and parts[0] != "/" and "\0" not in name


def _unfinished(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.new")


def _restore(base: Path, notes: Mapping[str, Any], copies: Path, spare: frozenset[str]) -> None:
    marks = {name: tuple(mark) for name, mark in notes["marks"].items()}
    folders = set(notes["folders"])
    now = list_files(base, notes["roots"])
    wrong = {name for name, mark in now.marks.items() if marks.get(name) != mark}
    for name in sorted(wrong - marks.keys() - spare):
        files.remove(base / name)
    for name in sorted(now.folders - folders, reverse=True):
        files.remove_empty(base / name)  # a foreign file keeps its folder
    for name in sorted(folders):
        if not (base / name).is_dir() or (base / name).is_symlink():
            files.remove(base / name)
            files.make_folder(base / name)
    for name in sorted(marks.keys() & wrong | marks.keys() - now.marks.keys()):
        files.remove(base / name)
        if isinstance(target := marks[name][0], str):
            files.write_link(base / name, target)
        else:
            files.copy_file(copies / name, base / name)
