"""The user's cache of Git objects: it lends them to new clones, by hard link or copy."""

from __future__ import annotations

import fcntl
import hashlib
import json
import logging
import os
import shutil
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.adapters import git_urls
from commodore_py.adapters.files import aside_of, is_aside, remove, write_if_changed
from commodore_py.adapters.git import git
from commodore_py.adapters.process import ProgramFailed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from commodore_py.config import Config

log = logging.getLogger(__name__)

LIST = "commodore-lends.json"
"""What an entry holds; a repository without this file is not finished."""

_OF_GIT = ("branches", "hooks", "info", "logs", "objects", "refs")
_SCHEMA = "git-cache-entry/v1"
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
            _link_or_copy(source / "objects/pack" / file, folder / file)


def _link_or_copy(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except FileExistsError:
        return
    except OSError:  # another file system, or one that knows no hard links
        aside = aside_of(target)
        try:
            shutil.copy2(source, aside)
            aside.replace(target)
        finally:
            aside.unlink(missing_ok=True)


def _keep(entry: Path, clone: Path, *, fresh: bool) -> None:
    if (entry / LIST).is_file():
        (entry / LIST).unlink()
        _update(entry, clone)
        return
    _discard(entry)
    aside = aside_of(entry)
    try:
        aside.mkdir(parents=True)
        git(aside, "init", "--quiet", "--bare", "--initial-branch=master", "--template=")
        if fresh:  # all in it is the remote's, so that its packs will do
            _give((p.name for p in (clone / "objects/pack").glob("*.pack")), clone, aside)
        _update(aside, clone)
        aside.rename(entry)
    finally:
        with suppress(OSError):
            remove(aside)


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
