"""The first checkout to an empty place, without a process: its files, its index, its HEAD.

It leaves what `git checkout` leaves, and HEAD last, so that an incomplete one looks the same to
Git. Whatever could have Git write anything else (settings, attributes, submodules, names that
Git refuses on some systems) is left to the program.
"""

# Of so many files, Path takes longer than the system calls do.
from __future__ import annotations

import functools
import os
import re
import struct
import zlib
from contextlib import suppress
from os.path import dirname, exists, lexists
from typing import TYPE_CHECKING

from commodore_py.adapters.reading import text_of
from commodore_py.tuning import enabled

from .contents import Contents
from .index import written_index
from .layout import is_plain
from .locked_files import NO_COMMIT, log_line, new_file, replace, section_of
from .refs import BRANCHES, HEADS, is_plain_branch, refs_in_files
from .user_settings import user_settings
from .written import Leaf, Object, note_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from .repository import GitFolders

_PROGRAM, _LINK, _FOLDER = 0o100755, 0o120000, 0o040000
_MODES = {b"100644": 0o100644, b"100755": _PROGRAM, b"120000": _LINK, b"40000": _FOLDER}
_WIDTH = 20
MOST = 100
"""Files: the program writes more of them quicker."""
_MOST_BYTES = 16 << 20
# Names that are plain on every system. Of those that begin like Git's own folder, only these are.
_PLAIN_NAME = re.compile(rb"(?!\.{1,2}$|git~|\.git)[\w .+@=,#%(){}^&!;'$\[\]-]+", re.IGNORECASE)
_NAMES_WITH_GIT = {b".gitignore", b".gitkeep", b".github", b".gitlab", b".gitlab-ci.yml"}
# Only Git knows what follows from these.
_SPECIAL = ("info/attributes", "info/sparse-checkout", "info/grafts", "shallow", "refs/replace")
_TREE = re.compile(rb"tree ([0-9a-f]{40})\n")
_SECTION = re.compile(r'\[(core|commodore|remote "origin"|branch "[^"\\]+")\]')
_CORE = re.compile(
    r"(repositoryformatversion = 0|filemode = true|bare = (true|false)|logallrefupdates = true)"
)
# What damaged or unusual repositories lead to: Git says what is wrong.
_UNREADABLE = (OSError, ValueError, IndexError, struct.error, zlib.error, RecursionError)


class _Version:
    """The files and folders of a commit; it and all of them are verified by their names."""

    def __init__(self, git_folder: str, commit: str) -> None:
        self.files: dict[bytes, tuple[Leaf, bytes]] = {}
        self.folders: list[bytes] = []
        self._contents = Contents(git_folder)
        self._bytes = 0
        tree = _TREE.match(self._verified(commit, "commit"))
        if tree is None:
            raise ValueError("a commit without a tree")
        self.noted = self._read(tree[1].decode(), b"", b"")[1]
        """The trees, for the index."""

    def _read(self, tree: str, name: bytes, folder: bytes) -> tuple[int, bytes]:
        """Read a tree, and return how many files are in it, and what the index notes of it."""
        count, before, names, notes = 0, b"", set(), []
        for mode, child, id_ in _entries(self._verified(tree, "tree")):
            order, path = child + b"/" if mode == _FOLDER else child, folder + child
            if order <= before or child in names or not _is_plain_name(child):
                raise ValueError("a name to be judged by Git, or a tree that it does not write")
            before = order
            names.add(child)
            if mode == _FOLDER:
                self.folders.append(path)
                inside, note = self._read(id_, child, path + b"/")
                notes.append((child, note))
                count += inside
                continue
            content = self._verified(id_, "blob")
            if mode == _LINK and b"\0" in content:
                raise ValueError("a link that no system call takes")
            count += 1
            self.files[path] = Leaf(mode, id_), content
            self._bytes += len(content)
            if len(self.files) > MOST or self._bytes > _MOST_BYTES:
                raise ValueError("too many files, or too large ones")
        if not count:
            raise ValueError("an empty folder")
        return count, note_of(name, tree, count, notes)

    def _verified(self, name: str, kind: str) -> bytes:
        content = self._contents.of(name, kind)
        if Object(kind, content).id("sha1") != name:
            raise ValueError(f"{name} is damaged")
        return content


def _entries(tree: bytes) -> Iterator[tuple[int, bytes, str]]:
    """Modes, names and objects."""
    at = 0
    while at < len(tree):
        space = tree.index(b" ", at)
        end = tree.index(b"\0", space)
        mode = _MODES.get(tree[at:space])
        if mode is None:
            raise ValueError("a submodule, or a mode of old")
        at = end + 1 + _WIDTH
        yield mode, tree[space + 1 : end], tree[end + 1 : at].hex()


def _is_plain_name(name: bytes) -> bool:
    return _PLAIN_NAME.fullmatch(name) is not None or name in _NAMES_WITH_GIT


def write_checkout(checkout: Path, git: GitFolders, commit: str, branch: str, root: Path) -> bool:
    """Check a commit out to a place with nothing in it but the link to its Git folder.

    With a branch, which must be new, HEAD names it, and it follows the remote's. If the result is
    False, the place is as it was, and the program must do it. The user's settings are those that
    hold at `root`.
    """
    own, shared = str(git.own), str(git.shared)
    found = _read(shared, commit, root)
    if found is None:
        return False
    version, who = found
    written = _Written()
    try:
        if branch and not _begin_branch(shared, branch, commit, who):
            return False
        _fill(checkout, own, version, written)
        why = f"checkout: moving from (invalid) to {branch or commit}"
        written.folder(f"{own}/logs")
        written.file(f"{own}/logs/HEAD", log_line(NO_COMMIT, commit, who, why))
        replace(f"{own}/HEAD", f"ref: {HEADS}{branch}\n" if branch else f"{commit}\n")
    except OSError:
        written.undo()
        return False
    return True


def write_files_of_clone(clone: Path, commit: str, branch: str, root: Path) -> bool:
    """Check a branch out to a clone that is at it, without files or an index; as above."""
    git_folder = f"{clone}/.git"
    found = _read(git_folder, commit, root)
    if found is None:
        return False
    version, who = found
    written = _Written()
    try:
        _fill(clone, git_folder, version, written)
        why = (
            f"branch: Reset to {BRANCHES}{branch}",
            f"checkout: moving from {branch} to {branch}",
        )
        with open(f"{git_folder}/logs/HEAD", "ab") as log:
            log.write(b"".join(log_line(commit, commit, who, one) for one in why))
    except OSError:
        written.undo()
        return False
    return True


def _read(git_folder: str, commit: str, root: Path) -> tuple[_Version, str] | None:
    """What is to be written, and who writes it."""
    try:
        settings = user_settings(root)
        if settings.are_plain and _is_plain_repository(git_folder):
            return _version_of(git_folder, commit), settings.committer()
    except _UNREADABLE:
        pass
    return None


@functools.lru_cache(maxsize=1)  # of several instances of a component, one after the other
def _version_of(git_folder: str, commit: str) -> _Version:
    return _Version(git_folder, commit)


def _fill(checkout: Path, git_folder: str, version: _Version, written: _Written) -> None:
    """Write the files and the index."""
    stats = _write_files(os.fsencode(checkout), version, written)
    ids = {name: (leaf.mode, bytes.fromhex(leaf.id)) for name, (leaf, _) in version.files.items()}
    index = written_index(b"", ids, version.noted, since=0, status=stats.get)
    written.file(f"{git_folder}/index", index)


def _is_plain_repository(git_folder: str) -> bool:
    if not enabled() or not is_plain(git_folder):
        return False
    if any(lexists(f"{git_folder}/{name}") for name in _SPECIAL):
        return False
    with suppress(FileNotFoundError):
        if " refs/replace/" in text_of(f"{git_folder}/packed-refs"):
            return False
    section = ""
    for line in map(str.strip, text_of(f"{git_folder}/config").splitlines()):
        if line.startswith("["):
            section = line
            if not _SECTION.fullmatch(line):
                return False
        elif not section or (section == "[core]" and not _CORE.fullmatch(line)):
            return False  # before all sections, a mark of the encoding may hide one
    return True


class _Written:
    """What was written, to remove it again."""

    def __init__(self) -> None:
        self._steps: list[tuple[Callable[[bytes | str], None], bytes | str]] = []

    def folder(self, path: bytes | str) -> None:
        """A folder that was not there."""
        os.mkdir(path)
        self._steps.append((os.rmdir, path))

    def link(self, path: bytes, content: bytes) -> os.stat_result:
        """A link that was not there."""
        os.symlink(content, path)
        self._steps.append((os.unlink, path))
        return os.lstat(path)

    def file(self, path: bytes | str, content: bytes, mode: int = 0o666) -> os.stat_result:
        """A file that was not there."""
        found = new_file(path, content, mode)
        self._steps.append((os.unlink, path))
        return found

    def undo(self) -> None:
        """What others put there stays, and what holds it."""
        for remove, path in reversed(self._steps):
            with suppress(OSError):
                remove(path)


def _write_files(
    checkout: bytes, version: _Version, written: _Written
) -> dict[bytes, os.stat_result]:
    for folder in version.folders:
        written.folder(b"%s/%s" % (checkout, folder))
    stats = {}
    for name, (leaf, content) in version.files.items():
        path = b"%s/%s" % (checkout, name)
        if leaf.mode == _LINK:
            stats[name] = written.link(path, content)
        else:
            stats[name] = written.file(path, content, 0o777 if leaf.mode == _PROGRAM else 0o666)
    return stats


def _begin_branch(git_folder: str, branch: str, commit: str, who: str) -> bool:
    """Begin a branch that follows the remote's; False if it is Git's to do."""
    have = refs_in_files(git_folder, HEADS)
    config = text_of(f"{git_folder}/config")
    log = f"{git_folder}/logs/{HEADS}{branch}"
    if (
        have is None
        or any(_meet(f"{HEADS}{branch}", one) for one in (*have.objects, *have.symbolic))
        or f'[branch "{branch}"]' in config
        or not config.endswith("\n")
        or exists(log)
        or not is_plain_branch(branch)
    ):
        return False
    for file in (log, f"{git_folder}/{HEADS}{branch}"):
        os.makedirs(dirname(file), exist_ok=True)
    why = f"branch: Created from {BRANCHES}{branch}"
    _Written().file(log, log_line(NO_COMMIT, commit, who, why))
    replace(f"{git_folder}/{HEADS}{branch}", f"{commit}\n")
    replace(f"{git_folder}/config", config + section_of(branch))
    return True


def _meet(one: str, other: str) -> bool:
    """Whether two refs are the same, or one would be a folder for the other."""
    return f"{one}/".startswith(f"{other}/") or other.startswith(f"{one}/")
