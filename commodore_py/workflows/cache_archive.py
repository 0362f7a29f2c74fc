"""Archives of the user's caches: export what was used last, import what others have exported."""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from commodore_py.adapters.process import ProgramFailed
from commodore_py.cache import archive, trust
from commodore_py.cache.records import merged
from commodore_py.cache.store import Store as Results
from commodore_py.dependencies.downloads.store import Store as Downloads
from commodore_py.dependencies.git.object_cache import Busy, ObjectCache, make_private
from commodore_py.dependencies.git.object_cache_archive import (
    INDEX,
    PACK,
    REFS,
    sources_of,
    take_entry,
)
from commodore_py.dependencies.git.object_cache_entries import BrokenEntry
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from commodore_py.cache.archive import Archive, Member, Source

log = logging.getLogger(__name__)

_BLOB, _NOTE, _CONTENT, _DOWNLOAD = "blob", "note", "content", "download"


class Folders(NamedTuple):
    """Where the caches are."""

    git: Path
    downloads: Path
    results: Path


@dataclass(slots=True)
class Moved:
    """What was exported or imported: repositories, downloads and results."""

    repositories: int = 0
    downloads: int = 0
    results: int = 0
    left_out: int = 0
    """What did not fit, is there already, or is not valid."""
    bytes: int = 0
    distrust: str = ""
    """Why there are only Git objects, if so."""
    problems: list[str] = field(default_factory=list)


class _Unit(NamedTuple):
    """What is of use only together."""

    used: int
    bytes: int
    sources: tuple[Source, ...]


def export_caches(folders: Folders, file: Path, *, limit: int, key: bytes) -> Moved:
    """Write an archive of at most so many bytes; what was used last comes first.

    Without a key, it has Git objects only: no one could know who made the rest.
    """
    moved = Moved(distrust="" if key else "there is no key")
    units = [*_repositories(folders.git, moved)]
    if key:
        units += [*_downloads(folders.downloads), *_results(folders.results)]
    units.sort(key=lambda one: -one.used)

    def fitting() -> Iterator[Source]:
        left, done = limit - archive.OVERHEAD, set()
        for unit in units:
            sources = [one for one in unit.sources if (one.kind, one.name) not in done]
            if unit.bytes > left:
                moved.left_out += 1
                continue
            left -= unit.bytes
            for one in sources:
                done.add((one.kind, one.name))
                yield one
            _count(moved, unit.sources[0].kind)

    moved.bytes = archive.write(file, fitting(), key)
    return moved


def import_caches(folders: Folders, file: Path, *, key: bytes) -> Moved:
    """Add what an archive has to the caches; what is there already stays as it is."""
    distrust = trust.distrust_in(map(str, folders))
    if distrust:
        raise CommodoreError(
            f"the cache is not used: {distrust.why}", where=distrust.where, hint=distrust.hint
        )
    with archive.Archive.opened(file, key) as opened:
        moved = Moved(bytes=file.stat().st_size, distrust=opened.distrust)
        _import_repositories(folders.git, opened, moved)
        others = [one for one in opened.members if one.kind not in (REFS, PACK, INDEX)]
        if not opened.distrust:
            _import_results(Results(folders.results), opened, others, moved)
            _import_downloads(Downloads(folders.downloads), opened, others, moved)
        else:
            moved.left_out += len(others)
    return moved


def _count(moved: Moved, kind: str) -> None:
    if kind == REFS:
        moved.repositories += 1
    elif kind in (_DOWNLOAD, _CONTENT):
        moved.downloads += kind == _DOWNLOAD
    else:
        moved.results += 1


def _unit(sources: tuple[Source, ...]) -> _Unit:
    size = 0
    for one in sources:
        content = one.content
        size += len(content) if isinstance(content, bytes) else content.stat().st_size
        size += archive.most_listed(one)
    return _Unit(sources[0].used, size, sources)


def _repositories(folder: Path, moved: Moved) -> Iterator[_Unit]:
    object_cache = ObjectCache(folder)
    for entry in sorted(object_cache.entries()):
        try:
            if object_cache.holds(entry) and (sources := tuple(sources_of(folder, entry))):
                yield _unit(sources)
        except (BrokenEntry, ProgramFailed, FileNotFoundError) as error:
            moved.problems.append(f"{entry}: {error}")


def _downloads(folder: Path) -> Iterator[_Unit]:
    store = Downloads(folder)
    for note, known, used in store.notes():
        content = store.verified(known) if known.sha256 else None
        if known.sha256 and content is None:
            continue
        with suppress(FileNotFoundError):
            sources = [archive.Source(_DOWNLOAD, note.name, used, note.read_bytes())]
            if content is not None:
                sources.append(archive.Source(_CONTENT, known.sha256, used, content))
            yield _unit(tuple(sources))


def _results(folder: Path) -> Iterator[_Unit]:
    for kind, name, used, content in Results(folder).everything():
        yield _unit((archive.Source(_BLOB if kind == "blob" else _NOTE, name, used, content),))


def _import_repositories(folder: Path, opened: Archive, moved: Moved) -> None:
    files: dict[str, dict[str, Member]] = {}
    for one in opened.members:
        if one.kind in (PACK, INDEX):
            name, _, file = one.name.rpartition("/")
            files.setdefault(name, {})[file] = one
    object_cache = ObjectCache(folder)
    for refs in (one for one in opened.members if one.kind == REFS):
        make_private(folder)
        try:
            taken = take_entry(object_cache, opened, refs, files.get(refs.name, {}))
        except (BrokenEntry, CommodoreError, OSError, Busy) as error:
            # The rest of an archive may be of use; it is as if this had never been cached.
            moved.problems.append(f"{refs.name}: {_reason(error)}")
            taken = False
        moved.repositories += taken
        moved.left_out += not taken


def _reason(error: Exception) -> str:
    return error.stderr.strip() if isinstance(error, ProgramFailed) else str(error)


def _import_results(store: Results, opened: Archive, members: list[Member], moved: Moved) -> None:
    for one in members:
        if one.kind == _BLOB:
            taken = store.take_blob(one.name, opened.content(one), one.used)
        elif one.kind == _NOTE:
            taken = store.take_note(one.name, opened.content(one), one.used, merged)
        else:
            continue
        moved.results += taken
        moved.left_out += not taken


def _import_downloads(
    store: Downloads, opened: Archive, members: list[Member], moved: Moved
) -> None:
    contents = {one.name: one for one in members if one.kind == _CONTENT}
    for one in members:
        if one.kind == _DOWNLOAD:
            taken = store.take(
                one.name,
                opened.content(one),
                one.used,
                lambda digest: opened.pieces(contents[digest]) if digest in contents else (),
            )
            moved.downloads += taken
            moved.left_out += not taken
