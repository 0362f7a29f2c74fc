"""Entries of the user's cache of Git objects in archives: what they are made of, and back."""

from __future__ import annotations

import json
import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from commodore_py.adapters import json_text
from commodore_py.adapters.files import is_aside
from commodore_py.adapters.git.layout import is_plain
from commodore_py.adapters.git.program import git
from commodore_py.adapters.git.refs import BRANCHES, OBJECT, TAGS, read_refs
from commodore_py.cache.archive import Source
from commodore_py.model.names import problem_of_path

from .object_cache import OF_GIT, last_used
from .object_cache_entries import BrokenEntry, discard, verify, write_entry

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from commodore_py.cache.archive import Archive, Member

    from .object_cache import ObjectCache

REFS, PACK, INDEX = "git-refs", "git-pack", "git-index"
_FILE = re.compile(r"pack-[0-9a-f]{40}\.(?:pack|idx)")
_REF = re.compile(r"refs/(?:remotes/origin|tags)/[^\x00-\x20\x7f~^:?*\[\\]+")


def sources_of(folder: Path, entry: Path) -> Iterator[Source]:
    """What an archive needs of an entry; nothing if its format is not the plain one."""
    if not is_plain(entry):
        return
    used, name = int(last_used(entry)), entry.relative_to(folder).as_posix()
    packs, _ = verify(entry)
    have = read_refs(entry, BRANCHES, TAGS)
    refs = {
        ref: [value, have.peeled.get(ref, "")]
        for ref, value in have.objects.items()
        if ref.startswith((BRANCHES, TAGS))
    }
    yield Source(REFS, name, used, json.dumps(refs).encode())
    for pack in packs:
        for kind, file in ((PACK, pack), (INDEX, f"{pack.removesuffix('.pack')}.idx")):
            yield Source(kind, f"{name}/{file}", used, entry / "objects/pack" / file)


def take_entry(
    object_cache: ObjectCache, archive: Archive, refs: Member, files: Mapping[str, Member]
) -> bool:
    """Add an entry of an archive, unless the one that is there was used later.

    If anyone may have made the archive, indexes are made from the packs, and history must be
    complete: so objects are what their names say.
    """
    entry = _place(object_cache, refs.name)
    if object_cache.holds(entry) and last_used(entry) >= refs.used:
        return False
    objects, peeled = _parsed(archive.content(refs))
    with object_cache.changing(entry) as scratch:
        made = scratch / "made"
        folder = made / "objects/pack"
        folder.mkdir(parents=True, mode=0o700)
        for name, member in sorted(files.items(), reverse=True):  # packs, then their indexes
            if not _FILE.fullmatch(name):
                raise BrokenEntry(f"{name} is not a pack")
            if not archive.distrust or member.kind == PACK:
                with (folder / name).open("xb") as file:
                    file.writelines(archive.pieces(member))
                (folder / name).chmod(0o444)
        packs = sorted(name for name in files if name.endswith(".pack"))
        write_entry(made, packs, objects, None if archive.distrust else peeled)
        if archive.distrust:
            _index(made, packs, objects.values())
        verify(made)
        discard(entry, scratch)
        entry.parent.mkdir(parents=True, exist_ok=True)
        made.rename(entry)
    object_cache.used_at(entry, refs.used)
    return True


def _index(made: Path, packs: Iterable[str], tips: Iterable[str]) -> None:
    for name in packs:
        git(made, "index-pack", f"objects/pack/{name}")
    wanted = "".join(f"{tip}\n" for tip in sorted(set(tips)))
    git(made, "rev-list", "--objects", "--quiet", "--stdin", stdin=wanted.encode())


def _place(object_cache: ObjectCache, name: str) -> Path:
    parts = PurePosixPath(name).parts
    if (
        not parts
        or problem_of_path(name)
        or name != "/".join(parts)
        or any(part in OF_GIT or part.startswith(".") or is_aside(part) for part in parts)
    ):
        raise BrokenEntry("its name is not that of a repository")
    return object_cache.folder.joinpath(*parts)


def _parsed(content: bytes) -> tuple[dict[str, str], dict[str, str]]:
    objects, peeled = {}, {}
    try:
        for ref, (value, inner) in json_text.load(content, name="refs", levels=3).items():
            if _is_ref(ref) and OBJECT.fullmatch(value):
                objects[ref] = value
                if OBJECT.fullmatch(inner):
                    peeled[ref] = inner
    except (ValueError, TypeError, AttributeError) as error:
        raise BrokenEntry("its refs cannot be read") from error
    return objects, peeled


def _is_ref(name: str) -> bool:
    parts = name.split("/")
    odd = any(not one or one.startswith(".") or one.endswith((".", ".lock")) for one in parts)
    return bool(_REF.fullmatch(name)) and not odd and ".." not in name and "@{" not in name
