"""The user's cache of Git objects: it lends them to new clones, by hard link or copy."""

from __future__ import annotations

import fcntl
import hashlib
import json
import logging
import os
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.adapters import git_urls
from commodore_py.adapters.files import (
    aside_of,
    is_aside,
    link_or_copy,
    remove,
    write_if_changed,
)
from commodore_py.adapters.git import git
from commodore_py.adapters.git_files import refs_in
from commodore_py.adapters.process import ProgramFailed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from commodore_py.adapters.git_files import RefFiles
    from commodore_py.config import Config

log = logging.getLogger(__name__)

LIST = "commodore-lends.json"
"""What an entry holds; a repository without this file is not finished."""

_OF_GIT = ("branches", "hooks", "info", "logs", "objects", "refs")
_SCHEMA = "git-cache-entry/v1"
_OF_REMOTE = ("refs/remotes/origin", "refs/tags")
_CONFIG = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n"
_LENT = "refs/commodore/lent/"
_SUM = hashlib.sha1(b"", usedforsecurity=False).digest_size
_PAUSE = 0.05
# What is the remote's, and nothing of the user's: neither branches nor what was put aside.
_REFSPECS = ("+refs/remotes/origin/*:refs/remotes/origin/*", "+refs/tags/*:refs/tags/*")
# Always packs, as single objects are not lent; and no housekeeping behind our back.
_SETTINGS = ("fetch.unpackLimit=1", "gc.autoDetach=false", "maintenance.autoDetach=false")


class BrokenEntry(Exception):
    """An entry does not hold what it says."""


class Busy(Exception):
    """Another run works on an entry."""


@dataclass(frozen=True, slots=True)
class Lender:
    """A folder of bare repositories, one per remote; all of it may be deleted at any time."""

    folder: Path
    patience: float = 10.0
    """How long to wait for another run, in seconds, before going on without a loan."""

    @classmethod
    def of(cls, config: Config) -> Lender | None:
        """The one that the settings name, if they name one."""
        return cls(config.git_cache) if config.git_cache is not None else None

    def entry(self, url: str) -> Path:
        """Where the objects of a remote are kept."""
        return self.folder / git_urls.dependency_key(url)

    def entries(self) -> Iterator[Path]:
        """All that is kept here, finished or not."""
        for parent, names, files in os.walk(self.folder):
            if is_aside(os.path.basename(parent)):  # noqa: PTH119 - a name among thousands
                names.clear()
            elif "HEAD" in files:
                yield Path(parent)
                # The name of a remote may go on below that of another.
                names[:] = [name for name in names if name not in _OF_GIT]

    def has(self, url: str) -> bool:
        """Whether there is something of a remote."""
        return (self.entry(url) / LIST).is_file()

    def lend(self, url: str, clone: Path) -> None:
        """Give a new clone what is there of its remote; the fetch that follows brings the rest."""
        entry = self.entry(url)
        try:
            if (entry / LIST).is_file():
                with self.locked(entry, fcntl.LOCK_SH, patience=self.patience):
                    _lend(entry, clone)
        except (BrokenEntry, ProgramFailed) as problem:
            self._drop_broken(entry, str(problem))
        except (OSError, Busy) as error:
            log.info("nothing is borrowed from %s: %s", entry, error)

    def keep(self, url: str, clone: Path, *, fresh: bool, changed: bool) -> None:
        """Bring an entry up to date after a fetch; nothing that goes wrong here is a failure."""
        entry = self.entry(url)
        try:
            if not changed and (entry / LIST).is_file():
                return
            make_private(self.folder)
            with self.locked(entry, fcntl.LOCK_EX, patience=0.0):
                _keep(entry, clone, fresh=fresh)
        except ProgramFailed as error:
            self._drop_broken(entry, error.stderr.strip() or str(error))
        except (OSError, Busy) as error:
            log.info("%s is not brought up to date: %s", entry, error)

    def broken(self, entry: Path) -> str:
        """What is wrong with an entry, which is removed then; empty where all is right."""
        try:
            if (entry / LIST).is_file():
                with self.locked(entry, fcntl.LOCK_SH, patience=self.patience):
                    for pack in _listed(entry)[0]:
                        _verify(entry / "objects/pack" / pack)
        except BrokenEntry as problem:
            self.drop(entry)
            return str(problem)
        except (OSError, Busy) as error:
            log.info("%s is not verified: %s", entry, error)
        return ""

    def drop(self, entry: Path) -> bool:
        """Remove an entry, unless another run works on it; says whether it is gone."""
        try:
            with self.locked(entry, fcntl.LOCK_EX, patience=0.0):
                _discard(entry)
                for parent in entry.relative_to(self.folder).parents[:-1]:
                    with suppress(OSError):  # others may be kept there
                        (self.folder / parent).rmdir()
        except (OSError, Busy) as error:
            log.info("%s is not removed: %s", entry, error)
            return False
        return True

    @contextmanager
    def locked(self, entry: Path, how: int, *, patience: float) -> Iterator[None]:
        """Keep other runs from changing an entry."""
        # Not in the entry, which may go while it is locked.
        name = hashlib.sha256(os.fsencode(entry.relative_to(self.folder))).hexdigest()[:16]
        locks = self.folder / ".locks"
        locks.mkdir(exist_ok=True)
        file = os.open(locks / name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            _wait_for(file, how, time.monotonic() + patience)
            yield
        finally:
            os.close(file)

    def _drop_broken(self, entry: Path, why: str) -> None:
        log.warning("the cached objects in %s are broken, and removed: %s", entry, why)
        self.drop(entry)


def last_used(entry: Path) -> float:
    """When an entry was last lent or changed, as files tell their times."""
    listed = entry / LIST
    return (listed if listed.is_file() else entry).stat().st_mtime


def give_back(clone: Path) -> None:
    """Remove what a loan needed until the fetch was done; the objects stay."""
    try:
        packed = (clone / "packed-refs").read_text(errors="surrogateescape")
    except FileNotFoundError:
        return
    names = [line.split(" ")[1] for line in packed.splitlines() if f" {_LENT}" in line]
    if names:
        commands = "".join(f"delete {name}\n" for name in names)
        git(clone, "update-ref", "--stdin", stdin=commands.encode())


def make_private(folder: Path) -> None:
    """Make the folder, for its owner alone: repositories may be secret."""
    folder.mkdir(parents=True, exist_ok=True)
    if folder.stat().st_mode & 0o077:
        folder.chmod(0o700)


def _wait_for(file: int, how: int, deadline: float) -> None:
    while True:
        try:
            fcntl.flock(file, how | fcntl.LOCK_NB)
        except BlockingIOError as error:
            if time.monotonic() >= deadline:
                raise Busy("another run works on it") from error
            time.sleep(_PAUSE)
        else:
            return


def _lend(entry: Path, clone: Path) -> None:
    packs, tips = _listed(entry)
    for pack in packs:
        _verify(entry / "objects/pack" / pack)
    _give(packs, entry, clone)
    answers = git(clone, "cat-file", "--batch-check", stdin="\n".join(tips).encode())
    if any(line.endswith(" missing") for line in answers.splitlines()):
        raise BrokenEntry("objects that it lists are missing")
    # The fetch tells the remote about these; under their own names they would count as fetched.
    lines = [f"{tip} {_LENT}{number}\n" for number, tip in enumerate(tips)]
    (clone / "packed-refs").write_text("".join(lines))
    os.utime(entry / LIST)


def _listed(entry: Path) -> tuple[list[str], list[str]]:
    try:
        content = json.loads((entry / LIST).read_bytes())
        if content["schema"] != _SCHEMA:
            raise BrokenEntry(f"it is a {content['schema']}, and no {_SCHEMA}")
        return [str(name) for name in content["packs"]], [str(tip) for tip in content["tips"]]
    except (ValueError, KeyError, TypeError) as error:
        raise BrokenEntry(f"{LIST} cannot be understood: {error}") from error


def _verify(pack: Path) -> None:
    """Whether pack and index are what they were written as: each ends with its own checksum."""
    try:
        packed, index = _sum_of(pack), _sum_of(pack.with_suffix(".idx"))
    except FileNotFoundError as error:
        raise BrokenEntry(f"{error.filename} is missing") from error
    if packed[1] != index[0]:
        raise BrokenEntry(f"{pack.name} and its index are not of each other")


def _sum_of(file: Path) -> tuple[bytes, bytes]:
    """The last two checksums in a file, the very last one verified."""
    content = file.read_bytes()
    found = hashlib.sha1(content[:-_SUM], usedforsecurity=False).digest()
    if found != content[-_SUM:]:
        raise BrokenEntry(f"{file.name} was changed or cut off")
    return content[-2 * _SUM : -_SUM], found


def _give(packs: Iterable[str], source: Path, target: Path) -> None:
    folder = target / "objects/pack"
    folder.mkdir(parents=True, exist_ok=True)
    for name in packs:
        # The index last: Git looks for packs by their indexes.
        for file in (name, f"{name.removesuffix('.pack')}.idx"):
            link_or_copy(source / "objects/pack" / file, folder / file)


def _keep(entry: Path, clone: Path, *, fresh: bool) -> None:
    if (entry / LIST).is_file():
        if not _is_current(entry, clone):
            (entry / LIST).unlink()
            _update(entry, clone)
        return
    _discard(entry)
    aside = aside_of(entry)
    try:
        aside.mkdir(parents=True)
        if fresh and _copy(clone, aside):
            aside.rename(entry)
            return
        git(aside, "init", "--quiet", "--bare", "--initial-branch=master", "--template=")
        if fresh:  # all in it is the remote's, so that its packs will do
            _give((p.name for p in (clone / "objects/pack").glob("*.pack")), clone, aside)
        _update(aside, clone)
        aside.rename(entry)
    finally:
        with suppress(OSError):
            remove(aside)


def _is_current(entry: Path, clone: Path) -> bool:
    """Whether an entry has all that a clone has of its remote."""
    have, kept = refs_in(clone, *_OF_REMOTE), refs_in(entry, *_OF_REMOTE)
    try:
        listed = set(_listed(entry)[1])
    except BrokenEntry:
        return False
    if have is None or kept is None:
        return False
    return _of_remote(have) == _of_remote(kept) and listed == _tips(have)


def _copy(clone: Path, entry: Path) -> bool:
    """Make an entry of a clone that has nothing but what a fetch brought; False if Git must.

    No program is needed: packs are linked, and refs are few lines in a file.
    """
    have = refs_in(clone, *_OF_REMOTE)
    objects = {path.name for path in (clone / "objects").iterdir()}
    plain = "extensions" not in (clone / "config").read_text(errors="replace").lower()
    if have is None or not plain or objects - {"pack", "info"}:
        return False
    packs = sorted(pack.name for pack in (clone / "objects/pack").glob("*.pack"))
    _give(packs, clone, entry)
    (entry / "refs").mkdir()
    (entry / "config").write_text(_CONFIG)
    lines = [f"{value} {name}\n" for name, value in sorted(_of_remote(have).items())]
    (entry / "packed-refs").write_text("".join(lines), errors="surrogateescape")
    content = {"schema": _SCHEMA, "packs": packs, "tips": sorted(_tips(have))}
    (entry / LIST).write_bytes(json.dumps(content).encode())
    (entry / "HEAD").write_text("ref: refs/heads/master\n")
    return True


def _of_remote(refs: RefFiles) -> dict[str, str]:
    return {name: value for name, value in refs.objects.items() if name.startswith("refs/")}


def _tips(refs: RefFiles) -> set[str]:
    return set(_of_remote(refs).values())


def _update(entry: Path, clone: Path) -> None:
    how = ("--quiet", "--prune", "--force", "--no-tags", "--no-write-fetch-head")
    settings = [part for setting in _SETTINGS for part in ("-c", setting)]
    arguments = (*settings, "fetch", *how, "--", str(clone.resolve()), *_REFSPECS)
    # Which protocols remotes may be fetched by says nothing about our own folders.
    git(entry, *arguments, env={"GIT_ALLOW_PROTOCOL": "file"})
    packs = sorted(pack.name for pack in (entry / "objects/pack").glob("*.pack"))
    tips = sorted(set(git(entry, "for-each-ref", "--format=%(objectname)").split()))
    content = {"schema": _SCHEMA, "packs": packs, "tips": tips}
    write_if_changed(entry / LIST, json.dumps(content).encode())


def _discard(entry: Path) -> None:
    if entry.is_dir():
        # At once: half an entry must not be found, whenever this is ended.
        aside = aside_of(entry)
        entry.rename(aside)
        remove(aside)
