"""Branches and tags: what Git keeps of them in files, or what it lists itself."""

# Of so many files, Path takes longer than the system calls do.
from __future__ import annotations

import os
import re
from os.path import exists, isfile, islink
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from commodore_py.adapters.masking import without_secrets
from commodore_py.adapters.process import ProgramFailed
from commodore_py.adapters.reading import text_of
from commodore_py.errors import CommodoreError

from .layout import by_program, is_plain
from .locked_files import replace
from .program import git

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

HEADS, TAGS = "refs/heads/", "refs/tags/"
BRANCHES = "refs/remotes/origin/"
FALLBACK_BRANCH = "master"

OBJECT = re.compile(r"[0-9a-f]{40}")
_PACKED = "packed-refs"
_PACKED_HEADER = "# pack-refs with: peeled fully-peeled sorted \n"


class RevisionNotFound(CommodoreError):
    """A repository has no such branch, tag or commit."""

    @classmethod
    def named(cls, revision: str, *, url: str) -> RevisionNotFound:
        """Name the revision and where it was looked for."""
        return cls(
            f"revision {revision} not found",
            where=without_secrets(url),
            hint="check the version: it must be a branch, a tag or a commit of that repository",
        )


class RefValues(NamedTuple):
    """The refs of a repository, by their full names."""

    objects: Mapping[str, str]
    symbolic: Mapping[str, str]
    """Names that stand for other names; `HEAD` is among them unless it is detached."""
    peeled: Mapping[str, str]
    """What refs lead to once tags are opened, where that is known."""


class Refs(NamedTuple):
    """The branches and tags of a remote."""

    commits: Mapping[str, str]
    """Commits by full names of refs, `refs/remotes/origin/...` and `refs/tags/...`."""
    default_branch: str
    """The branch that the remote's HEAD was last seen to name."""


def read_refs(git_folder: Path, *below: str) -> RefValues:
    """All refs below some names, and `HEAD`."""
    found = refs_in_files(git_folder, *below)
    return found if found is not None else list_refs(git_folder, *below)


def refs_in_files(git_folder: Path | str, *below: str) -> RefValues | None:
    """The same by files; None if the git program is needed."""
    folder = str(git_folder)
    if not is_plain(folder):
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
        elif OBJECT.fullmatch(content):
            objects[name] = content
        else:
            return None
    return RefValues(objects, symbolic, peeled)


def list_refs(git_folder: Path, *below: str) -> RefValues:
    """The same by the git program."""
    names = tuple(name.rstrip("/") for name in below)
    listing = git(
        git_folder,
        "for-each-ref",
        "--format=%(refname) %(objectname) %(*objecttype) %(*objectname) %(symref)",
        *names,
    )
    objects, peeled, symbolic = {}, {}, {}
    for line in listing.splitlines():
        name, value, inner_kind, inner, target = line.split(" ")
        if target:
            symbolic[name] = target
        else:
            objects[name] = value
            if inner_kind != "tag":  # old versions of Git open only the outer one of two tags
                peeled[name] = inner or value
    try:
        symbolic["HEAD"] = git(git_folder, "symbolic-ref", "--quiet", "HEAD")
    except ProgramFailed:
        commit = commit_of(git_folder, "HEAD")
        if commit is not None:
            objects["HEAD"] = commit
    return RefValues(objects, symbolic, peeled)


def value_in(git_folder: str, ref: str) -> str | None:
    """What a ref leads to by files, None if it is not there; else a `ValueError`."""
    try:
        content = text_of(f"{git_folder}/{ref}").strip()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        # Last, as Git does: a ref that is packed meanwhile must not be in neither place.
        content = _packed(git_folder, (ref.rpartition("/")[0],))[0].get(ref, "")
        if not content:
            return None
    if not OBJECT.fullmatch(content):
        raise ValueError("a ref to a ref")
    return content


def refs_of(directory: Path) -> Refs:
    """All remote branches and tags that lead to commits, as the last fetch left them."""
    objects = "%(objecttype) %(objectname) %(*objecttype) %(*objectname)"
    listing = git(
        directory,
        "for-each-ref",
        f"--format=%(refname) {objects} %(symref)",
        "refs/remotes/origin",
        "refs/tags",
    )
    commits, head = {}, ""
    for line in listing.splitlines():
        name, kind, commit, inner_kind, inner_commit, target = line.split(" ")
        if target:
            head = target
        elif kind == "commit":
            commits[name] = commit
        elif inner_kind == "commit":  # a tag may also name a file or a folder
            commits[name] = inner_commit
    known = head.removeprefix(BRANCHES) if head in commits else ""
    return Refs(commits, known or FALLBACK_BRANCH)


def note_default_branch(directory: Path, branch: str, known: RefValues | None = None) -> None:
    """Note which branch the remote's HEAD names; a remote may have none to name."""
    name, target = f"{BRANCHES}HEAD", BRANCHES + branch
    if branch and (known is None or known.symbolic.get(name) != target):
        git(directory, "symbolic-ref", name, target)


def commit_of(directory: Path, revision: str) -> str | None:
    """The commit that a revision expression names, if there is one."""
    try:
        return git(
            directory,
            "rev-parse",
            "--quiet",
            "--verify",
            "--end-of-options",
            f"{revision}^{{commit}}",
        )
    except ProgramFailed:
        return None


def own_ref(git_folder: Path | str, name: str) -> str:
    """What a ref of one worktree alone leads to; empty if it is not there."""
    if not by_program():
        try:
            return text_of(f"{git_folder}/{name}").strip()  # refs of one worktree are never packed
        except FileNotFoundError:
            if _folder_of_refs(git_folder) is not None:
                return ""
        except (OSError, ValueError):
            pass
    try:
        return git(Path(git_folder), "rev-parse", "--quiet", "--verify", name)
    except (ProgramFailed, OSError):
        return ""


def set_own_ref(directory: Path, git_folder: Path, name: str, commit: str) -> None:
    """Have a ref of one worktree alone lead to a commit that is there."""
    if not _write_own_ref(git_folder, name, commit):
        git(directory, "update-ref", name, commit)


def _write_own_ref(git_folder: Path, name: str, commit: str) -> bool:
    """Write a ref of one worktree alone; False where that is Git's to do."""
    file = f"{git_folder}/{name}"
    if not isfile(f"{git_folder}/HEAD") or _folder_of_refs(git_folder) is None:
        return False
    try:
        # A log of it is Git's to write.
        if exists(f"{git_folder}/logs/{name}") or not _is_value(file):
            return False
        os.makedirs(os.path.dirname(file), exist_ok=True)
        replace(file, f"{commit}\n")
    except (OSError, ValueError):
        return False
    return True


def _is_value(file: str) -> bool:
    """Whether a ref may be replaced: it names an object, and no ref, or is not there."""
    try:
        return not islink(file) and OBJECT.fullmatch(text_of(file).strip()) is not None
    except FileNotFoundError:
        return True


def _folder_of_refs(git_folder: Path | str) -> str | None:
    """The folder that a worktree shares with its clone; None if the git program is needed."""
    if by_program():
        return None
    try:
        shared = os.path.join(git_folder, text_of(f"{git_folder}/commondir").strip())
    except FileNotFoundError:
        shared = str(git_folder)
    except (OSError, ValueError):
        return None
    return shared if is_plain(shared) else None


def write_packed_refs(
    git_folder: Path, objects: Mapping[str, str], peeled: Mapping[str, str] | None = None
) -> None:
    """Write all refs of a repository that was made just now, and has none.

    Without `peeled`, Git finds out itself what tags lead to. Refs that are not in it are written
    as files of their own.
    """
    lines, single = ["" if peeled is None else _PACKED_HEADER], []
    for name, value in sorted(objects.items()):
        inner = value if peeled is None else peeled.get(name, "")
        if not inner:
            single.append((name, value))
            continue
        lines.append(f"{value} {name}\n")
        if inner != value:
            lines.append(f"^{inner}\n")
    (git_folder / _PACKED).write_text("".join(lines), "utf-8", errors="surrogateescape")
    for name, value in single:
        (git_folder / name).parent.mkdir(parents=True, exist_ok=True)
        (git_folder / name).write_text(f"{value}\n", "utf-8")


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
