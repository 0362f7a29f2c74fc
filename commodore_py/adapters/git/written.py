"""Objects made of bytes in memory: blobs, and the trees that they make up.

Files on disk are never read, so neither attributes, filters nor repositories among them count.
"""

from __future__ import annotations

import hashlib
import os
import struct
import zlib
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple
from uuid import uuid4

from .program import git_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_FOLDER = 0o040000
_KINDS = {"tree": 2, "blob": 3}
# As of fetched objects: above that, one pack is quicker than as many files.
_MOST_LOOSE = 100
_LEVEL = 1  # as Git compresses loose objects
_SHARED = "sharedrepository"


class Leaf(NamedTuple):
    """What a commit or an index has at a path: a file, a link, or a submodule."""

    mode: int
    id: str


class Object(NamedTuple):
    """A blob or a tree."""

    kind: str
    content: bytes

    def id(self, algorithm: str) -> str:
        """Its name."""
        digest = hashlib.sha1 if algorithm == "sha1" else hashlib.sha256
        named = digest(b"%s %d\0" % (self.kind.encode(), len(self.content)), usedforsecurity=False)
        named.update(self.content)
        return named.hexdigest()


class Trees(NamedTuple):
    """The trees of a set of leaves."""

    root: str
    objects: Mapping[str, Object]
    noted: bytes
    """The same for the index, see gitformat-index(5)."""


def trees_of(leaves: Mapping[bytes, Leaf]) -> Trees:
    """The trees that leaves make up, named by SHA-1 (pure)."""
    objects: dict[str, Object] = {}
    root: _Folder = {}
    for path, leaf in leaves.items():
        *folders, name = path.split(b"/")
        here = root
        for folder in folders:
            inner = here.setdefault(folder, {})
            assert isinstance(inner, dict)  # noqa: S101 - a path is a file or a folder
            here = inner
        here[name] = leaf
    id_, _, noted = _tree(b"", root, objects)
    return Trees(id_, objects, noted)


_Folder = dict[bytes, "Leaf | _Folder"]


def _tree(name: bytes, folder: _Folder, objects: dict[str, Object]) -> tuple[str, int, bytes]:
    lines: list[tuple[bytes, bytes]] = []
    notes: list[tuple[bytes, bytes]] = []
    count = 0
    for child, what in folder.items():
        if isinstance(what, Leaf):
            count += 1
            mode, id_, order = what.mode, what.id, child
        else:
            id_, inside, noted = _tree(child, what, objects)
            count += inside
            notes.append((child, noted))
            mode, order = _FOLDER, child + b"/"
        lines.append((order, b"%o %s\0%s" % (mode, child, bytes.fromhex(id_))))
    tree = Object("tree", b"".join(line for _, line in sorted(lines)))
    id_ = tree.id("sha1")
    objects[id_] = tree
    return id_, count, note_of(name, id_, count, notes)


def note_of(name: bytes, tree: str, count: int, inner: list[tuple[bytes, bytes]]) -> bytes:
    """What the index notes of a folder with so many files, and of those in it; by their names."""
    notes = [note for _, _, note in sorted((len(child), child, note) for child, note in inner)]
    return b"%s\0%d %d\n%s%s" % (name, count, len(inner), bytes.fromhex(tree), b"".join(notes))


def store(
    directory: Path, objects: Mapping[str, Object], *, git_folder: Path | None, algorithm: str
) -> None:
    """Have the objects in the repository; by files if it has a `git_folder` of the plain format."""
    if not objects:
        return
    if git_folder is not None and len(objects) <= _MOST_LOOSE and not _is_shared(git_folder):
        for id_, one in objects.items():
            _write_loose(git_folder, id_, one)
        return
    verb = ("unpack-objects", "-q") if len(objects) <= _MOST_LOOSE else ("index-pack", "--stdin")
    git_bytes(directory, *verb, stdin=b"".join(_packed(objects, algorithm)))


def _is_shared(git_folder: Path) -> bool:
    try:
        return _SHARED in (git_folder / "config").read_text(errors="replace").lower()
    except OSError:
        return True


def _write_loose(git_folder: Path, id_: str, one: Object) -> None:
    folder = f"{git_folder}/objects/{id_[:2]}"
    path = f"{folder}/{id_[2:]}"
    if os.path.exists(path):
        return
    with suppress(FileExistsError):
        os.mkdir(folder)
    aside = f"{folder}/tmp_obj_{uuid4().hex[:12]}"  # noqa: S108 - a name that Git tidies up
    content = b"%s %d\0%s" % (one.kind.encode(), len(one.content), one.content)
    file = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o444)
    try:
        with os.fdopen(file, "wb") as opened:
            opened.write(zlib.compress(content, _LEVEL))
        os.replace(aside, path)
    except OSError:
        with suppress(OSError):
            os.unlink(aside)
        raise


def _packed(objects: Mapping[str, Object], algorithm: str) -> Iterator[bytes]:
    """A pack, see gitformat-pack(5)."""
    end = hashlib.new(algorithm, usedforsecurity=False)
    for piece in _pieces(objects):
        end.update(piece)
        yield piece
    yield end.digest()


def _pieces(objects: Mapping[str, Object]) -> Iterator[bytes]:
    yield struct.pack(">4sII", b"PACK", 2, len(objects))
    for one in objects.values():
        size = len(one.content)
        head = [_KINDS[one.kind] << 4 | size & 0xF]
        size >>= 4
        while size:
            head[-1] |= 0x80
            head.append(size & 0x7F)
            size >>= 7
        yield bytes(head)
        yield zlib.compress(one.content, _LEVEL)
