"""Copies of folders with repositories in them, which share the objects of the originals."""

from __future__ import annotations

import os
import shutil
import stat
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

OBJECTS = "objects"

_LINK = "gitdir: "
_GIT_SIGNS = {"HEAD", "refs", OBJECTS}


def is_git_folder(names: Collection[str]) -> bool:
    """Return whether a folder with these entries is a repository's own."""
    return _GIT_SIGNS.issubset(names)


def copy_entry(entry: str, copy: str, roots: tuple[str, str]) -> None:
    """Copy a file, a link or a folder; others, such as sockets, are left out.

    Absolute links below the first of the `roots` lead below the second one.
    """
    status = os.lstat(entry)
    if stat.S_ISLNK(status.st_mode):
        os.symlink(_within_copy(os.readlink(entry), *roots), copy)
    elif stat.S_ISDIR(status.st_mode):
        _copy_folder(entry, copy, roots)
    elif stat.S_ISREG(status.st_mode):
        shutil.copyfile(entry, copy)
        os.utime(copy, ns=(status.st_atime_ns, status.st_mtime_ns))
        os.chmod(copy, stat.S_IMODE(status.st_mode) | stat.S_IWUSR)


def copy_bare(repository: Path, copy: Path, folders: Collection[str]) -> None:
    """Copy a bare repository; its objects, which never change, are links to the same files.

    Folders with other names are not its own: other repositories may be below it.
    """
    objects = f"{repository}/{OBJECTS}/"

    def copy_file(source: str, target: str) -> None:
        with suppress(OSError):  # on another file system
            if source.startswith(objects):
                os.link(source, target)
                return
        shutil.copy(source, target)  # with its mode: hooks of a template are programs

    def ignored(folder: str, names: list[str]) -> set[str]:
        left_by_killed_git = {name for name in names if name.endswith(".lock")}
        if folder != os.fspath(repository):
            return left_by_killed_git
        others = {name for name in names if name not in folders and (repository / name).is_dir()}
        return left_by_killed_git | others

    shutil.copytree(repository, copy, ignore=ignored, copy_function=copy_file)
    shutil.copymode(objects, copy)  # the repository itself may be private


def _copy_folder(folder: str, copy: str, roots: tuple[str, str]) -> None:
    os.mkdir(copy)
    names = os.listdir(folder)
    is_repository = is_git_folder(names)
    for name in names:
        if is_repository and name == OBJECTS:
            _borrow_objects(f"{folder}/{name}", f"{copy}/{name}")
        else:
            copy_entry(f"{folder}/{name}", f"{copy}/{name}", roots)


def _borrow_objects(objects: str, copy: str) -> None:
    """Let a copied repository read the objects of the original, which never change."""
    for folder in (copy, f"{copy}/info", f"{copy}/pack"):
        os.mkdir(folder)
    lenders = [objects]
    with suppress(OSError):
        alternates = Path(objects, "info", "alternates").read_text("utf-8").splitlines()
        lenders += [os.path.normpath(os.path.join(objects, line)) for line in alternates if line]
    Path(copy, "info", "alternates").write_text(
        "".join(f"{lender}\n" for lender in lenders), "utf-8"
    )


def _within_copy(target: str, root: str, scratch: str) -> str:
    if target == root or target.startswith(f"{root}/"):
        return scratch + target[len(root) :]
    return target


def relocate(copy: Path, links: Iterable[Path], root: Path) -> None:
    """In a copy of a folder, connect repositories and their worktrees by absolute paths.

    `git worktree repair` would change the originals, too.
    """
    for file in links:
        if file.is_file():
            text = os.fsdecode(file.read_bytes()).rstrip("\n")
            label = _LINK if text.startswith(_LINK) else ""
            path = Path(text.removeprefix(label))
            if path.is_relative_to(root):
                file.write_bytes(os.fsencode(f"{label}{copy / path.relative_to(root)}\n"))
