"""Contents of Jsonnet libraries from Git below `vendor/.cache`."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import stat
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from commodore_py.adapters import json_text
from commodore_py.adapters.files import (
    aside_of,
    asides_in,
    make_folder,
    remove,
    remove_empty,
    rename,
    write_if_changed,
)
from commodore_py.adapters.git.program import git_bytes, over_network
from commodore_py.adapters.reading import bytes_of
from commodore_py.dependencies.protection.local_work import move_aside
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from .jsonnetfile import GitSource, Requirement

_NOTE = ".commodore.json"
_ATTRIBUTES = ".gitattributes"
# Git starts a fetch itself if files are missing; a clone for one compile needs no maintenance.
_SETTINGS = ("core.sparseCheckout=true", "core.sparseCheckoutCone=false", "maintenance.auto=false")


def place_of(cache: Path, request: Requirement) -> Path:
    """The folder of a library's content."""
    return cache / quote(f"{request.name}-{request.version}", safe="$&+=:@~") / request.name


def put(
    request: Requirement,
    source: GitSource,
    commit: str,
    *,
    bare: Path,
    cache: Path,
    provide: Callable[[], None],
) -> str:
    """Write the content of a library if needed, and return its sum for the lock file.

    `provide` fetches the commit into the clone; it is called only if needed.
    """
    about: dict[str, Any] = {"commit": commit, "subdir": source.subdir}
    # A file of the repository may exclude others from archives.
    about["as_archive"] = source.remote.is_github
    place = place_of(cache, request)
    entry = cache / place.relative_to(cache).parts[0]
    note = _read_note(entry)
    if note is not None:
        digest, total = _digests(place)
        if note.get("digest") != digest:
            move_aside(f"Jsonnet library {request.name} was modified: {entry}", entry)
        elif all(note.get(name) == value for name, value in about.items()):
            return total
    provide()
    aside = aside_of(entry)
    try:
        repository = aside / request.name.removesuffix(source.subdir)
        make_folder(repository)
        _check_out(source, commit, bare, repository)
        digest, total = _digests(repository / source.subdir)
        note = {"name": request.name, **about, "digest": digest}
        write_if_changed(aside / _NOTE, json.dumps(note).encode())
        remove(entry)
        rename(aside, entry)
    except OSError as error:
        raise CommodoreError(f"cannot write files: {error.strerror}", where=str(entry)) from error
    finally:
        remove(aside)
    return total


def content_here(cache: Path, request: Requirement) -> tuple[str, str] | None:
    """The commit and the sum of an existing content, if it is unmodified."""
    place = place_of(cache, request)
    note = _read_note(cache / place.relative_to(cache).parts[0])
    if note is None:
        return None
    digest, total = _digests(place)
    return (str(note["commit"]), total) if note.get("digest") == digest else None


def invalidate(place: Path, name: str) -> None:
    """Make the next run write a content again, as other libraries are linked into it."""
    remove(place.parents[name.count("/")] / _NOTE)


def prune(cache: Path, used: Iterable[Path]) -> None:
    """Remove unused contents unless they were modified."""
    if not cache.is_dir():
        return
    for left_over in asides_in(cache):
        remove(left_over)
    needed = {place.relative_to(cache).parts[0] for place in used if place.is_relative_to(cache)}
    for entry in sorted(cache.iterdir()):
        note = None if entry.name in needed else _read_note(entry)
        if note is not None and note.get("digest") == _digests(entry / str(note["name"]))[0]:
            remove(entry)


def _check_out(source: GitSource, commit: str, bare: Path, repository: Path) -> None:
    """Write the files of a version like a sparse checkout, without registering a worktree.

    In a partial clone, Git fetches all missing files in one request.
    """
    import tempfile  # for new versions only

    # Attributes of outer folders apply to files of inner ones.
    outer = [str(folder / _ATTRIBUTES) for folder in PurePosixPath(source.subdir).parents]
    included_paths = [*outer, source.subdir] if source.subdir else []
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        (scratch / "HEAD").write_text(f"{commit}\n", "utf-8")
        (scratch / "commondir").write_bytes(os.fsencode(bare.resolve()) + b"\n")
        (scratch / "info").mkdir()
        patterns = ["/" + re.sub(r"[\\*?\[]", r"\\\g<0>", path) + "\n" for path in included_paths]
        (scratch / "info/sparse-checkout").write_text("".join(patterns) or "/*\n", "utf-8")
        settings = [word for setting in _SETTINGS for word in ("-c", setting)]
        opened = (f"--git-dir={scratch}", f"--work-tree={repository}", *settings)
        over_network(repository, *opened, "read-tree", "-m", "-u", commit)
        if not (repository / source.subdir).is_dir():
            raise CommodoreError(
                f"commit {commit[:12]} has no folder {source.subdir}",
                hint="check its subdir and version",
            )
        if source.remote.is_github:
            _omit_ignored(repository, source.subdir, opened)
    for path in outer:
        remove(repository / path)


def _omit_ignored(repository: Path, subdir: str, opened: Sequence[str]) -> None:
    """Remove what the repository excludes from archives, unless that is everything."""
    entries = [
        Path(folder) / name
        for folder, folders, files in os.walk(repository)
        for name in (*folders, *files)
    ]
    if not any(entry.name == _ATTRIBUTES for entry in entries):
        return
    folders = {entry for entry in entries if entry.is_dir() and not entry.is_symlink()}
    names = (
        os.fsencode(entry.relative_to(repository)) + b"/" * (entry in folders) for entry in entries
    )
    command = ("check-attr", "--cached", "-z", "--stdin", "export-ignore")
    answer = git_bytes(repository, *opened, *command, stdin=b"\0".join(names)).split(b"\0")
    values = zip(entries, answer[2::3], strict=True)
    ignored = {entry for entry, value in values if value == b"set"}
    kept = {entry for entry in entries if ignored.isdisjoint((entry, *entry.parents))} - folders
    if any(path.is_relative_to(repository / subdir) for path in kept):
        for path in reversed(entries):  # inner ones first
            if path in folders:
                remove_empty(path)
            elif path not in kept:
                remove(path)


def _digests(place: Path) -> tuple[str, str]:
    """The digest of a folder, and the sum of jsonnet-bundler."""
    everything, contents = hashlib.sha256(), hashlib.sha256()
    for file, kind, content in _walk(place):
        about = os.fsencode(f"{file.relative_to(place)}\0{kind}\0{len(content)}\0")
        everything.update(about + content)
        if kind != "link":
            contents.update(content)
    return everything.hexdigest(), base64.b64encode(contents.digest()).decode()


def _walk(folder: Path) -> Iterator[tuple[Path, str, bytes]]:
    """Files and links, in the order of jsonnet-bundler."""
    if not folder.is_dir():
        return
    for entry in sorted(os.scandir(folder), key=lambda entry: os.fsencode(entry.name)):
        path = Path(entry.path)
        if entry.is_symlink():
            yield path, "link", os.fsencode(path.readlink())
        elif entry.is_dir():
            yield from _walk(path)
        else:
            kind = "program" if entry.stat().st_mode & stat.S_IXUSR else "file"
            yield path, kind, bytes_of(str(path))


def _read_note(entry: Path) -> dict[str, object] | None:
    try:
        note = json_text.load((entry / _NOTE).read_bytes(), name=str(entry / _NOTE))
    except (OSError, ValueError):
        return None
    return note if isinstance(note, dict) and "name" in note else None
