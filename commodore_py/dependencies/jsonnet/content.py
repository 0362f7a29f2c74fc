"""Contents of Jsonnet libraries from Git below `vendor/.cache`."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from commodore_py.adapters import json_text
from commodore_py.adapters.files import aside_of, asides_in, remove
from commodore_py.adapters.git.program import git, git_bytes
from commodore_py.adapters.process import ProgramFailed
from commodore_py.adapters.reading import bytes_of
from commodore_py.dependencies.protection.local_work import move_aside
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from .resolve import Wanted

_NOTE = ".commodore.json"


class Content(NamedTuple):
    """A version of a folder of a repository."""

    commit: str
    subdir: str
    as_archive: bool
    """Whether to omit files that the repository excludes from archives."""


def place_of(cache: Path, wanted: Wanted) -> Path:
    """The folder of a library's content."""
    return cache / _escaped(f"{wanted.name}-{wanted.requirement.version}") / wanted.name


def put(
    content: Content,
    bare: Path,
    cache: Path,
    wanted: Wanted,
    provide: Callable[[], None] = lambda: None,
) -> str:
    """Write the content of a library if needed, and return its sum for the lock file.

    `provide` fetches the content into the clone; it is called only if needed.
    """
    place = place_of(cache, wanted)
    entry = cache / place.relative_to(cache).parts[0]
    note = _read_note(entry)
    if note is not None:
        digest, total = _digests(place)
        if note.get("digest") != digest:
            move_aside(f"Jsonnet library {wanted.name} was modified: {entry}", entry)
        elif all(note.get(name) == value for name, value in content._asdict().items()):
            return total
    provide()
    aside = aside_of(entry)
    try:
        total = _make(content, bare, aside, wanted.name)
        remove(entry)
        aside.rename(entry)
    except OSError as error:
        raise CommodoreError(f"cannot write files: {error.strerror}", where=str(entry)) from error
    finally:
        remove(aside)
    return total


def content_here(cache: Path, wanted: Wanted) -> tuple[str, str] | None:
    """The commit and the sum of an existing content, if it is unmodified."""
    place = place_of(cache, wanted)
    note = _read_note(cache / place.relative_to(cache).parts[0])
    if note is None:
        return None
    digest, total = _digests(place)
    return (str(note["commit"]), total) if note.get("digest") == digest else None


def invalidate(place: Path, name: str) -> None:
    """Make the next run write a content again, as other libraries are linked into it."""
    (place.parents[name.count("/")] / _NOTE).unlink(missing_ok=True)


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


def _make(content: Content, bare: Path, aside: Path, name: str) -> str:
    repository = aside / name.removesuffix(content.subdir)
    repository.mkdir(parents=True)
    _check_out(content, bare, repository)
    digest, total = _digests(repository / content.subdir)
    note = json.dumps({"name": name, **content._asdict(), "digest": digest})
    (aside / _NOTE).write_text(note, encoding="utf-8")
    return total


def _check_out(content: Content, bare: Path, repository: Path) -> None:
    """Write the files of a version like a checkout, without registering a worktree."""
    import tempfile  # for new versions only

    if content.subdir:
        _require_folder(content, bare)
    with tempfile.TemporaryDirectory() as scratch:
        env = {
            "GIT_DIR": str(bare.resolve()),
            "GIT_WORK_TREE": str(repository),
            "GIT_INDEX_FILE": str(Path(scratch) / "index"),
        }
        # The whole tree: attributes of outer folders apply to files of inner ones.
        git(repository, "read-tree", content.commit, env=env)
        paths = _in_archive(content, bare) if content.as_archive else None
        if not paths:
            paths = git_bytes(repository, *_listing(content, "ls-files", "-z"), env=env)
        git(repository, "checkout-index", "-z", "--stdin", stdin=paths, env=env)
    (repository / content.subdir).mkdir(parents=True, exist_ok=True)  # it may be empty


def _require_folder(content: Content, bare: Path) -> None:
    try:
        kind = git(bare, "cat-file", "-t", f"{content.commit}:{content.subdir}")
    except ProgramFailed:
        kind = "nothing"
    if kind != "tree":
        raise CommodoreError(
            f"commit {content.commit[:12]} has no folder {content.subdir}",
            hint="check its subdir and version",
        )


def _in_archive(content: Content, bare: Path) -> bytes | None:
    """The paths in an archive of the version; None if it would be empty."""
    import tarfile  # for sources of jsonnet-bundler only

    command = _listing(content, "archive", "--format=tar", content.commit)
    try:
        archive = git_bytes(bare, *command)
    except ProgramFailed:
        return None
    try:
        with tarfile.open(fileobj=io.BytesIO(archive)) as files:
            return b"".join(os.fsencode(f"{one.name}\0") for one in files if not one.isdir())
    except tarfile.ReadError:  # raised for an archive without files
        return None


def _listing(content: Content, *command: str) -> tuple[str, ...]:
    return "--literal-pathspecs", *command, *(("--", content.subdir) if content.subdir else ())


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


def _escaped(name: str) -> str:
    return quote(name, safe="$&+=:@~")


def _read_note(entry: Path) -> dict[str, object] | None:
    try:
        note = json_text.load((entry / _NOTE).read_bytes(), name=str(entry / _NOTE))
    except (OSError, ValueError):
        return None
    return note if isinstance(note, dict) and "name" in note else None
