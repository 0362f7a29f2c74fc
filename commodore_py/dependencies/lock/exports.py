"""Exports: everything that a compile of a lock needs, in a folder or an archive, verified."""

from __future__ import annotations

import json
import os
import shutil
import stat
import tarfile
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

from commodore_py.adapters import files, git_urls, json_text
from commodore_py.adapters.git.program import git
from commodore_py.adapters.git.refs import is_complete
from commodore_py.adapters.git.repository import configure_remote, head_of
from commodore_py.adapters.reading import bytes_of, check_kind
from commodore_py.dependencies.downloads.store import digest_of
from commodore_py.dependencies.git.clones import init_clone, swap_in
from commodore_py.dependencies.git.revisions import is_commit
from commodore_py.errors import CommodoreError, UsageError

from .commits import repository_of
from .facts import tenant_of
from .git_pins import GIT_KINDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.config import WorkPaths

    from .document import Lock

_SCHEMA = "lock-archive/v1"
_MANIFEST, LOCK, DOWNLOADS = "manifest.json", "inputs.lock", "downloads"
_WITH_REPOSITORY = (*GIT_KINDS, "base")


def collect(
    lock: Lock, text: str, paths: WorkPaths, downloads: Path, folder: Path
) -> tuple[str, ...]:
    """Put everything of a lock into a folder; clones and downloads were fetched just now.

    Returns the names of its members.
    """
    folder.mkdir(parents=True, mode=0o700)
    (folder / LOCK).write_text(text, "utf-8")
    tenant = _unpinned_tenant(lock, paths)
    sources = {commit: source for commit, _, source in _repositories(lock, paths, tenant)}
    for commit, source in sources.items():
        _bundle(source, commit, folder / "git" / f"{commit}.bundle")
    if downloads.is_dir():
        shutil.copytree(downloads, folder / DOWNLOADS)
    members = {
        str(file.relative_to(folder)): digest_of(file)
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }
    for file in folder.rglob("*"):
        file.chmod(0o700 if file.is_dir() else 0o600)
    about: dict[str, Any] = {"schema": _SCHEMA}
    about |= {"tenant": tenant} if tenant else {}
    content = json.dumps({**about, "members": members}, indent=1)
    (folder / _MANIFEST).write_text(f"{content}\n", "utf-8")
    return tuple(members)


def pack(folder: Path, file: Path) -> None:
    """Make an archive of an export: sorted, without times and owners."""

    def plain(member: tarfile.TarInfo) -> tarfile.TarInfo:
        member.mtime = member.uid = member.gid = 0
        member.uname = member.gname = ""
        return member

    new, mode = file.with_name(f".{file.name}.new"), "w:gz" if file.name.endswith(".gz") else "w"
    with (
        open(new, "xb", opener=_private) as opened,
        tarfile.open(fileobj=opened, mode=mode) as archive,  # type: ignore[call-overload]
    ):
        for path in sorted(folder.rglob("*")):
            archive.add(path, path.relative_to(folder), recursive=False, filter=plain)
    new.replace(file)


def check_name(path: Path) -> None:
    """Refuse archives of a kind that is not supported, before anything is done."""
    if path.name.endswith((".zip", ".tgz", ".xz", ".bz2", ".zst")):
        raise UsageError(
            "exports are folders, .tar or .tar.gz",
            where=str(path),
            hint="use one of these names",
        )
    if path.exists():
        raise UsageError("the export exists", where=str(path), hint="remove it, or name another")


@contextmanager
def opened(path: Path) -> Iterator[Path]:
    """The folder of an export; every member is verified before any of it is used."""
    with tempfile.TemporaryDirectory(prefix="commodore-export-") as scratch:
        folder = path
        if not path.is_dir():
            folder = Path(scratch).resolve()
            try:
                check_kind(str(path))
                with tarfile.open(path) as archive:
                    _extract(archive, folder)
            except (OSError, tarfile.TarError, EOFError) as error:
                raise CommodoreError(
                    f"not a valid export: {error}", where=str(path), hint="export it again"
                ) from error
        try:
            _verify(folder, str(path))
            yield folder
        except CommodoreError as error:
            # The folder is gone before this is read.
            error.rewrite(lambda text: text.replace(str(folder), str(path)))
            raise


def _extract(archive: tarfile.TarFile, folder: Path) -> None:
    """Write the files of an export, which has nothing but files and directories."""
    # Python 3.11.3 and older have no extraction filters.
    for member in archive:
        place = folder / member.name
        if not place.resolve().is_relative_to(folder) or not (member.isfile() or member.isdir()):
            raise tarfile.TarError(f"{member.name} is not a file or directory of an export")
        if member.isdir():
            place.mkdir(parents=True, exist_ok=True)
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        content = archive.extractfile(member)
        with open(place, "xb", opener=_private) as file:
            shutil.copyfileobj(cast("IO[bytes]", content), file)


def _private(name: str, flags: int) -> int:
    return os.open(name, flags, 0o600)


def restore(folder: Path, lock: Lock, paths: WorkPaths) -> None:
    """Put what an export has into clones and caches, where a run without a network finds it."""
    for commit, url, repository in _repositories(lock, paths, unpinned_tenant_in(folder)):
        bundle = folder / "git" / f"{commit}.bundle"
        if bundle.is_file():
            _restore(repository, url, commit, bundle)
    if (folder / DOWNLOADS).is_dir():
        target = paths.state / DOWNLOADS
        for file in sorted((folder / DOWNLOADS).rglob("*")):
            if file.is_file():
                copy = target / file.relative_to(folder / DOWNLOADS)
                files.remove(copy)
                files.copy_file(file, copy)
        with files.opened(target, make=True) as directory:
            os.fchmod(directory, 0o700)


def unpinned_tenant_in(folder: Path) -> str:
    """The commit of a tenant that the lock does not pin, when it was exported; else empty."""
    content: Any = json_text.load(bytes_of(str(folder / _MANIFEST), follow=False), name=_MANIFEST)
    commit = content.get("tenant") if isinstance(content, dict) else None
    return commit if isinstance(commit, str) and is_commit(commit) else ""


def _unpinned_tenant(lock: Lock, paths: WorkPaths) -> str:
    block = lock.blocks.get(("config", "tenant"))
    if block is None or block.values.get("pinned") is not False:
        return ""
    return head_of(paths.classes / tenant_of(lock))[0] or ""


def _repositories(lock: Lock, paths: WorkPaths, tenant: str) -> Iterator[tuple[str, str, Path]]:
    """The commits of a lock, each with its URL and its repository in a working directory.

    `tenant` is the commit of a tenant that the lock does not pin.
    """
    for path, block in sorted(lock.blocks.items()):
        commit = block.text("commit")
        if path == ("config", "tenant"):
            commit = tenant or commit
        if is_commit(commit) and path[0] in _WITH_REPOSITORY:
            yield commit, *repository_of(lock, path, paths)


def _bundle(source: Path, commit: str, file: Path) -> None:
    """A Git bundle with a commit and its history."""
    file.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        git(folder, "init", "--quiet", "--bare", ".")
        env = {"GIT_ALTERNATE_OBJECT_DIRECTORIES": str(source.resolve() / "objects")}
        git(folder, "update-ref", f"refs/heads/locked-{commit[:12]}", commit, env=env)
        # One thread: what is packed does not depend on their order.
        settings = ("-c", "pack.threads=1")
        git(folder, *settings, "bundle", "create", "--quiet", str(file.resolve()), "--all", env=env)


def _verify(folder: Path, name: str) -> None:
    try:
        manifest: Any = json_text.load(
            bytes_of(str(folder / _MANIFEST), follow=False), name=_MANIFEST
        )
        schema, members = manifest["schema"], dict(manifest["members"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CommodoreError(
            "not a valid export: its manifest cannot be read", where=name, hint="export it again"
        ) from error
    if schema != _SCHEMA:
        raise CommodoreError(f"the schema of the export is {schema!r}", where=name)
    modes = {str(path.relative_to(folder)): path.lstat().st_mode for path in folder.rglob("*")}
    present = {member for member, mode in modes.items() if not stat.S_ISDIR(mode)}
    # Links, and what would be waited for: devices and FIFOs are not opened.
    odd = {member for member in present if not stat.S_ISREG(modes[member])}
    present -= {_MANIFEST}
    problems = [f"{key} is missing" for key in sorted(members.keys() - present)]
    problems += [f"{member} is not in the manifest" for member in sorted(present - members.keys())]
    problems += [f"{member} is a link, or no regular file" for member in sorted(odd)]
    problems += [
        f"{member} is damaged"
        for member in sorted((present & members.keys()) - odd)
        if digest_of(folder / member) != members[member]
    ]
    if problems:
        raise CommodoreError(
            f"the export is not complete: {'; '.join(problems)}", where=name, hint="export it again"
        )


def _restore(repository: Path, url: str, commit: str, bundle: Path) -> None:
    if (repository / "HEAD").is_file():
        if not is_complete(repository, commit):
            _unbundle(repository, bundle)
    elif repository.name != ".git":
        init_clone(repository, url)
        _unbundle(repository, bundle)
    else:
        aside = files.aside_of(repository.parent)
        files.make_folder(aside)
        git(aside, "init", "--quiet", ".")
        git(aside, "remote", "add", "origin", git_urls.normalise(url))
        configure_remote(aside, url)
        _unbundle(aside, bundle)
        git(aside, "checkout", "--quiet", "--detach", commit)
        swap_in(aside, repository.parent)


def _unbundle(folder: Path, bundle: Path) -> None:
    spec = "+refs/heads/*:refs/remotes/origin/*"
    env = {"GIT_ALLOW_PROTOCOL": "file"}
    git(folder, "fetch", "--quiet", "--no-tags", str(bundle.resolve()), spec, env=env)
