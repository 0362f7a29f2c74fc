"""What Git keeps in plain files, read where that spares a process; None where it is in doubt."""

from __future__ import annotations

import os
import re
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

_OBJECT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_PLAIN_SETTING = re.compile(r'\t(url|pushurl|fetch) = ([^\s"\\#;][^"\\#;]*)')
_BRANCHES = "refs/heads/"
_BRANCH = re.compile(r"refs/heads/[^\s~^:?*\[\\]+")
_PACKED = "packed-refs"
_INDEX_V2 = b"\xfftOc\0\0\0\2"


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
    if (git_folder / "reftable").exists():
        return None
    below = tuple(name.rstrip("/") for name in below)
    loose: dict[str, str] = {}
    try:
        loose["HEAD"] = (git_folder / "HEAD").read_text("utf-8").strip()
        for prefix in below:
            loose.update(_loose(git_folder, prefix))
        # Last, as Git does: a ref that is packed meanwhile must not be in neither place.
        objects, peeled = _packed(git_folder, below)
    except (OSError, UnicodeDecodeError, ValueError):
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
        file = self.own / "HEAD"
        if (self.shared / "reftable").exists() or file.is_symlink():
            return None
        try:
            content = file.read_text("utf-8").strip()
            if _OBJECT.fullmatch(content):
                return content, None
            ref = content.removeprefix("ref: ").strip()
            if not content.startswith("ref: ") or not _BRANCH.fullmatch(ref) or ".." in ref:
                return None
            commit = _value_of(self.shared, ref)
        except (OSError, UnicodeDecodeError, ValueError):
            return None
        return commit, ref.removeprefix(_BRANCHES)


def folders_of(checkout: Path) -> GitFolders | None:
    """The folders behind a checkout; None if there is none, or only Git itself can tell."""
    place = checkout / ".git"
    try:
        own = place if place.is_dir() else checkout / _named(place, "gitdir: ")
        common = own / "commondir"
        shared = own / _named(common) if common.exists() else own
        # Git refuses what belongs to others, unless the user's settings allow it.
        ours = all(path.stat().st_uid == os.geteuid() for path in (checkout, place, own, shared))
    except (OSError, UnicodeDecodeError, ValueError):
        return None
    complete = (
        (own / "HEAD").is_file() and (shared / "objects").is_dir() and (shared / "refs").is_dir()
    )
    return GitFolders(own, shared) if ours and complete else None


def _named(file: Path, label: str = "") -> str:
    text = file.read_text("utf-8").rstrip("\r\n")
    if not text.startswith(label) or text == label or "\n" in text:
        raise ValueError("not the name of a folder")
    return text.removeprefix(label)


def _value_of(git_folder: Path, ref: str) -> str | None:
    """What a ref leads to, None if it is not there."""
    try:
        content = (git_folder / ref).read_text("utf-8").strip()
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
        lines = config.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return None
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
    for folder in (path / ".git", path):
        if folder.is_file():
            return None
        if (folder / "HEAD").is_file() and (folder / "objects").is_dir():
            return folder
    return None


def _loose(git_folder: Path, prefix: str) -> Iterator[tuple[str, str]]:
    for parent, _, names in os.walk(git_folder / prefix):
        for name in names:
            if not name.endswith(".lock"):
                path = os.path.join(parent, name)  # noqa: PTH118 - many, and Path is slow
                with open(path, encoding="utf-8") as file:  # noqa: PTH123 - as above
                    yield os.path.relpath(path, git_folder), file.read().strip()


def _packed(git_folder: Path, below: Iterable[str]) -> tuple[dict[str, str], dict[str, str]]:
    objects: dict[str, str] = {}
    peeled: dict[str, str] = {}
    prefixes = tuple(f"{prefix}/" for prefix in below)
    try:
        lines = (git_folder / _PACKED).read_text("utf-8").splitlines()
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


def is_unambiguous(git_folder: Path, start: str) -> bool | None:
    """Whether at most one object's name has this start of six digits or more."""
    objects = git_folder / "objects"
    if (objects / "info/alternates").exists():
        return None
    found = set()
    try:
        loose = objects / start[:2]
        if loose.is_dir():
            names = {start[:2] + file.name for file in loose.iterdir()}
            found |= {name for name in names if name.startswith(start)}
        for index in (objects / "pack").glob("*.idx"):
            found |= _indexed(index.read_bytes(), start)
    except (OSError, ValueError):
        return None
    return len(found) < 2  # noqa: PLR2004 - the plural


def _indexed(index: bytes, start: str) -> set[str]:
    """The names in a pack's index that begin so; see gitformat-pack(5)."""
    if index[:8] != _INDEX_V2:
        raise ValueError("an index of another version")
    table = struct.unpack(">256I", index[8 : 8 + 1024])
    width = 20
    if len(index) < 8 + 1024 + table[-1] * (width + 8) + 2 * width:
        raise ValueError("cut off")
    first = int(start[:2], 16)
    names = range(table[first - 1] if first else 0, table[first])
    places = (8 + 1024 + number * width for number in names)
    texts = (index[place : place + width].hex() for place in places)
    return {text for text in texts if text.startswith(start)}
