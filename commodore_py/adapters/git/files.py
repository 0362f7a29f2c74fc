"""What Git keeps in plain files, read where that spares a process; None where it is in doubt."""

# Of so many files, Path takes longer than the system calls do.
# ruff: noqa: PTH110, PTH112, PTH113, PTH114
from __future__ import annotations

import os
import re
from dataclasses import dataclass
from os.path import exists, isdir, isfile, islink, join
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_OBJECT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_PLAIN_SETTING = re.compile(r'\t(url|pushurl|fetch) = ([^\s"\\#;][^"\\#;]*)')
_BRANCHES = "refs/heads/"
_BRANCH = re.compile(r"refs/heads/[^\s~^:?*\[\\]+")
_PACKED = "packed-refs"
_CHUNK = 1 << 14


@dataclass(frozen=True, slots=True)
class RefFiles:
    """The refs of a repository, by their full names."""

    objects: Mapping[str, str]
    symbolic: Mapping[str, str]
    """Names that stand for other names; `HEAD` is among them unless it is detached."""
    peeled: Mapping[str, str]
    """What refs lead to once tags are opened, where the files say so."""


def refs_in(git_folder: Path, *below: str) -> RefFiles | None:
    """All refs below some names, and `HEAD`; None if only Git itself can tell."""
    folder = str(git_folder)
    if exists(f"{folder}/reftable"):
        return None
    below = tuple(name.rstrip("/") for name in below)
    try:
        loose = {"HEAD": text_of(f"{folder}/HEAD").strip()}
        for prefix in below:
            loose.update(_loose(folder, prefix))
        # Last, as Git does: a ref that is packed meanwhile must not be in neither place.
        objects, peeled = _packed(folder, below)
    except (OSError, ValueError):
        return None
    symbolic: dict[str, str] = {}
    for name, content in loose.items():
        peeled.pop(name, None)
        if content.startswith("ref: "):
            objects.pop(name, None)
            symbolic[name] = content.removeprefix("ref: ").strip()
        elif _OBJECT.fullmatch(content):
            objects[name] = content
        else:
            return None
    return RefFiles(objects, symbolic, peeled)


@dataclass(frozen=True, slots=True)
class GitFolders:
    """Where a checkout's Git keeps what is its own, and what all worktrees of a clone share."""

    own: Path
    shared: Path

    def head(self) -> tuple[str | None, str | None] | None:
        """The commit and the branch that HEAD names, either may be missing; None if in doubt."""
        file = f"{self.own}/HEAD"
        if exists(f"{self.shared}/reftable") or islink(file):
            return None
        try:
            content = text_of(file).strip()
            if _OBJECT.fullmatch(content):
                return content, None
            ref = content.removeprefix("ref: ").strip()
            if not content.startswith("ref: ") or not _BRANCH.fullmatch(ref) or ".." in ref:
                return None
            commit = _value_of(str(self.shared), ref)
        except (OSError, ValueError):
            return None
        return commit, ref.removeprefix(_BRANCHES)


def folders_of(checkout: Path) -> GitFolders | None:
    """The folders behind a checkout; None if there is none, or only Git itself can tell."""
    # Asked of every checkout, several times: a path as a text takes a fraction of the time.
    place = f"{checkout}/.git"
    try:
        own = place if isdir(place) else join(checkout, _named(place, "gitdir: "))  # noqa: PTH118 - see above
        common = f"{own}/commondir"
        shared = join(own, _named(common)) if exists(common) else own  # noqa: PTH118 - see above
        # Git refuses what belongs to others, unless the user's settings allow it.
        me = os.geteuid()
        ours = all(os.stat(path).st_uid == me for path in (checkout, place, own, shared))  # noqa: PTH116 - see above
    except (OSError, ValueError):
        return None
    complete = isfile(f"{own}/HEAD") and isdir(f"{shared}/objects") and isdir(f"{shared}/refs")
    return GitFolders(Path(own), Path(shared)) if ours and complete else None


def _named(file: str, label: str = "") -> str:
    text = text_of(file).rstrip("\r\n")
    if not text.startswith(label) or text == label or "\n" in text:
        raise ValueError("not the name of a folder")
    return text.removeprefix(label)


def _value_of(git_folder: str, ref: str) -> str | None:
    """What a ref leads to, None if it is not there."""
    try:
        content = text_of(f"{git_folder}/{ref}").strip()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        # Last, as Git does: a ref that is packed meanwhile must not be in neither place.
        content = _packed(git_folder, (ref.rpartition("/")[0],))[0].get(ref, "")
        if not content:
            return None
    if not _OBJECT.fullmatch(content):
        raise ValueError("a ref to a ref")
    return content


def remote_in(config: Path) -> dict[str, str] | None:
    """What a repository's configuration says about `origin`, where it is written plainly."""
    try:
        return origin_of(text_of(str(config)))
    except (OSError, ValueError):
        return None


def origin_of(settings: str) -> dict[str, str] | None:
    """The same of the text of a configuration (pure)."""
    lines = settings.splitlines()
    headers = [number for number, line in enumerate(lines) if "remote" in line.lower()]
    headers = [number for number in headers if lines[number].lstrip().startswith("[")]
    if len(headers) != 1 or lines[headers[0]] != '[remote "origin"]':
        return None
    found: dict[str, str] = {}
    for line in lines[headers[0] + 1 :]:
        if line.lstrip().startswith("["):
            break
        setting = _PLAIN_SETTING.fullmatch(line)
        if setting is None or f"remote.origin.{setting[1]}" in found:
            return None
        found[f"remote.origin.{setting[1]}"] = setting[2].rstrip()
    return found


def git_folder_of_remote(path: Path) -> Path | None:
    """The Git folder of a repository on this machine, as Git looks for it."""
    for folder in (f"{path}/.git", str(path)):
        if isfile(folder):
            return None
        if isfile(f"{folder}/HEAD") and isdir(f"{folder}/objects"):
            return Path(folder)
    return None


def bytes_of(path: str) -> bytes:
    """A file's content; quicker than by `Path`, which counts where many are read."""
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        content = os.read(file, _CHUNK)
        while more := os.read(file, _CHUNK):
            content += more
    finally:
        os.close(file)
    return content


def text_of(path: str) -> str:
    """The same as text; a `ValueError` where it is none."""
    return bytes_of(path).decode()


def begin_ref(git_folder: Path, name: str, commit: str) -> bool:
    """Write a ref of a worktree's own that was not there; False where that is Git's to do."""
    file = git_folder / name
    if exists(file) or not isfile(git_folder / "commondir"):
        return False
    lock = file.with_name(f"{file.name}.lock")
    try:
        if exists(git_folder / _named(f"{git_folder}/commondir") / "reftable"):
            return False
        file.parent.mkdir(parents=True, exist_ok=True)
        with lock.open("x") as new:  # as Git does: whoever makes it may write
            new.write(f"{commit}\n")
        lock.replace(file)
    except (OSError, ValueError):
        return False
    return True


def _loose(git_folder: str, prefix: str) -> Iterator[tuple[str, str]]:
    try:
        entries = os.scandir(f"{git_folder}/{prefix}")
    except (FileNotFoundError, NotADirectoryError):
        return
    with entries:
        for entry in entries:
            name = f"{prefix}/{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                yield from _loose(git_folder, name)
            elif not name.endswith(".lock"):
                yield name, text_of(entry.path).strip()


def _packed(git_folder: str, below: Iterable[str]) -> tuple[dict[str, str], dict[str, str]]:
    objects: dict[str, str] = {}
    peeled: dict[str, str] = {}
    prefixes = tuple(f"{prefix}/" for prefix in below)
    try:
        lines = text_of(f"{git_folder}/{_PACKED}").splitlines()
    except FileNotFoundError:
        return objects, peeled
    fully = bool(lines) and lines[0].startswith("#") and " fully-peeled" in lines[0]
    name = ""
    for line in lines:
        if line.startswith("^"):
            if name in objects:
                peeled[name] = line[1:]
        elif not line.startswith("#"):
            value, _, name = line.partition(" ")
            if name.startswith(prefixes):
                objects[name] = value
                if fully:
                    peeled[name] = value
    return objects, peeled
