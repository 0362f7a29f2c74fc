"""What the user's cache of Git objects holds of a remote: packs, refs, and a list of both."""

from __future__ import annotations

import hashlib
import json
import logging
import os
from typing import TYPE_CHECKING

from commodore_py.adapters import json_text
from commodore_py.adapters.files import remove, write_if_changed
from commodore_py.adapters.git.layout import by_program, is_plain
from commodore_py.adapters.git.local_remote import write_all_refs
from commodore_py.adapters.git.objects import link_or_copy, lists
from commodore_py.adapters.git.program import git
from commodore_py.adapters.git.refs import read_refs, refs_in_files, write_packed_refs
from commodore_py.adapters.process import ProgramFailed
from commodore_py.cache.trust import is_of_this_user

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from commodore_py.adapters.git.refs import RefValues

    from .remotes import RemoteRefs

LIST = "commodore-lends.json"
"""What an entry holds; a repository without this file is not finished."""

_SCHEMA = "git-cache-entry/v1"
# Refs of the remote, none of the user's: neither local branches nor backups.
_OF_REMOTE = ("refs/remotes/origin", "refs/tags")
_CONFIG = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n"
_TEMPORARY = "refs/commodore/lent/"
_SUM = hashlib.sha1(b"", usedforsecurity=False).digest_size
# Always packs, as loose objects are not shared; and no housekeeping in the background.
_SETTINGS = ("fetch.unpackLimit=1", "gc.autoDetach=false", "maintenance.autoDetach=false")
# As many as Git leaves alone; a fetch puts more into one.
_MOST_PACKS = 50

log = logging.getLogger(__name__)


class BrokenEntry(Exception):
    """The content of an entry differs from its list."""


def remove_cache_refs(clone: Path) -> None:
    """Remove what a loan needed until the fetch was done; the objects stay."""
    names = [name for name in read_refs(clone, _TEMPORARY).objects if name.startswith(_TEMPORARY)]
    if names:
        commands = "".join(f"delete {name}\n" for name in names)
        git(clone, "update-ref", "--stdin", stdin=os.fsencode(commands))


def populate_from(entry: Path, clone: Path, listed: RemoteRefs | None = None) -> None:
    """Give a new clone all objects of an entry, and refs that a fetch sends to its remote.

    If the remote has `listed` what the entry has, there is nothing to fetch: the clone gets the
    refs of the remote instead.
    """
    if not (is_plain(entry) and is_plain(clone)):
        _require_own(entry, _listed(entry)[0])
        _fetch_into(clone, entry, [f"+{name}/*:{_TEMPORARY}{name}/*" for name in _OF_REMOTE])
        os.utime(entry / LIST)
        return
    packs, tips = verify(entry)
    _give(packs, entry, clone)
    have = read_refs(entry, *_OF_REMOTE)
    if listed is not None and listed.objects == _of_remote(have) and _tips(have) <= set(tips):
        write_all_refs(clone, listed.objects, {**listed.peeled, **have.peeled})
    else:
        # The fetch sends these to the remote; under their own names they would count as fetched.
        write_packed_refs(clone, {f"{_TEMPORARY}{number}": tip for number, tip in enumerate(tips)})
    os.utime(entry / LIST)


def _listed(entry: Path) -> tuple[list[str], list[str]]:
    try:
        content = json_text.load((entry / LIST).read_bytes(), name=str(entry / LIST))
        if content["schema"] != _SCHEMA:
            raise BrokenEntry(f"it is a {content['schema']}, and no {_SCHEMA}")
        return [str(name) for name in content["packs"]], [str(tip) for tip in content["tips"]]
    except (ValueError, KeyError, TypeError) as error:
        raise BrokenEntry(f"{LIST} cannot be understood: {error}") from error


def verify(entry: Path) -> tuple[list[str], list[str]]:
    """Look at all that an entry holds; returns its packs, and what its refs lead to."""
    packs, tips = _listed(entry)
    _require_own(entry, packs)
    if by_program():
        try:
            for pack in packs:
                git(entry, "verify-pack", f"objects/pack/{pack}")
        except ProgramFailed as error:
            raise BrokenEntry(error.stderr.strip()) from error
        return packs, tips
    missing = set(tips)
    for pack in packs:
        missing -= _verify(entry / "objects/pack" / pack, missing)
    if missing:  # or an index of another version
        responses = git(entry, "cat-file", "--batch-check", stdin="\n".join(missing).encode())
        if any(line.endswith(" missing") for line in responses.splitlines()):
            raise BrokenEntry("objects that it lists are missing")
    return packs, tips


def _require_own(entry: Path, packs: Iterable[str]) -> None:
    """Refuse what others may have written; below the entry, nobody else comes."""
    names = (LIST, "config", "objects", "objects/pack", *(f"objects/pack/{p}" for p in packs))
    try:
        owners = {(entry / name).stat().st_uid for name in names}
    except FileNotFoundError as error:
        raise BrokenEntry(f"{error.filename} is missing") from error
    if not is_of_this_user(entry.stat()) or owners != {os.geteuid()}:
        raise BrokenEntry("another user may have written to it")


def _verify(pack: Path, names: Iterable[str]) -> set[str]:
    """Whether pack and index are what they were written as: each ends with its own checksum.

    Returns which of some objects are in it.
    """
    try:
        packed, index = _intact(pack), _intact(pack.with_suffix(".idx"))
    except FileNotFoundError as error:
        raise BrokenEntry(f"{error.filename} is missing") from error
    if packed[-_SUM:] != index[-2 * _SUM : -_SUM]:
        raise BrokenEntry(f"{pack.name} and its index are not of each other")
    return {name for name in names if lists(index, name)}


def _intact(file: Path) -> bytes:
    content = file.read_bytes()
    found = hashlib.sha1(memoryview(content)[:-_SUM], usedforsecurity=False).digest()
    if found != content[-_SUM:]:
        raise BrokenEntry(f"{file.name} was changed or cut off")
    return content


def _give(packs: Iterable[str], source: Path, target: Path) -> None:
    folder = target / "objects/pack"
    folder.mkdir(parents=True, exist_ok=True)
    for name in packs:
        # The index last: Git looks for packs by their indexes.
        for file in (name, f"{name.removesuffix('.pack')}.idx"):
            link_or_copy(source / "objects/pack" / file, folder / file)


def update_from(entry: Path, clone: Path, scratch: Path, *, fresh: bool) -> None:
    """Bring an entry up to what a clone has of its remote; what is half done is in `scratch`."""
    if (entry / LIST).is_file():
        packs, tips = _listed(entry)
        _require_own(entry, packs)
        if not _is_current(entry, clone):
            (entry / LIST).unlink()
            if not _add(entry, clone, packs, tips):
                _update(entry, clone)
        return
    discard(entry, scratch)
    entry.parent.mkdir(parents=True, exist_ok=True)
    made = scratch / "made"
    made.mkdir(parents=True, mode=0o700)
    if not (fresh and _copy(clone, made)):
        git(made, "init", "--quiet", "--bare", "--initial-branch=master", "--template=")
        if (
            fresh and is_plain(clone) and is_plain(made)
        ):  # all in it is the remote's, so that its packs will do
            _give((p.name for p in (clone / "objects/pack").glob("*.pack")), clone, made)
        _update(made, clone)
    made.rename(entry)


def _add(entry: Path, clone: Path, packs: Sequence[str], tips: Sequence[str]) -> bool:
    """Add a pack with what a clone has of its remote besides; False where a fetch is needed.

    That takes eight programs, this takes two: one of them reads all that the other one wrote.
    """
    have = refs_in_files(clone, *_OF_REMOTE)
    lender = str(clone.resolve() / "objects")
    if have is None or not is_plain(entry) or any(sign in lender for sign in ':"\n'):
        return False  # colons separate folders that lend objects
    indexes = (entry / "objects/pack" / f"{name.removesuffix('.pack')}.idx" for name in packs)
    if len(packs) >= _MOST_PACKS or not all(index.is_file() for index in indexes):
        return False
    objects = _of_remote(have)
    wanted = "".join([*(f"{tip}\n" for tip in _tips(have)), *(f"^{tip}\n" for tip in tips)])
    how = ("--quiet", "--revs", "--delta-base-offset", "--non-empty", "--threads=1")
    env = {"GIT_ALTERNATE_OBJECT_DIRECTORIES": lender}
    try:
        made = git(entry, "pack-objects", *how, "objects/pack/pack", stdin=wanted.encode(), env=env)
    except ProgramFailed as error:
        log.debug("%s is brought up to date by a fetch: %s", entry, error.stderr.strip())
        return False
    for pack in made.split():  # with objects that nobody has looked at; mostly one, or none
        git(entry, "index-pack", "--verify", f"objects/pack/pack-{pack}.pack")
    for name in _OF_REMOTE:
        if (entry / name).exists():
            remove(entry / name)
    packs = sorted(pack.name for pack in (entry / "objects/pack").glob("*.pack"))
    write_entry(entry, packs, objects, have.peeled)
    return True


def _is_current(entry: Path, clone: Path) -> bool:
    """Whether an entry has all that a clone has of its remote."""
    have, cached = read_refs(clone, *_OF_REMOTE), read_refs(entry, *_OF_REMOTE)
    try:
        listed = set(_listed(entry)[1])
    except BrokenEntry:
        return False
    return _of_remote(have) == _of_remote(cached) and listed == _tips(have)


def _copy(clone: Path, entry: Path) -> bool:
    """Make an entry of a clone that has nothing but what a fetch brought; False if Git must.

    No program is needed: packs are linked, and refs are few lines in a file.
    """
    have = refs_in_files(clone, *_OF_REMOTE)
    objects = {path.name for path in (clone / "objects").iterdir()}
    if have is None or objects - {"pack", "info"}:
        return False
    packs = sorted(pack.name for pack in (clone / "objects/pack").glob("*.pack"))
    _give(packs, clone, entry)
    write_entry(entry, packs, _of_remote(have), have.peeled)
    return True


def write_entry(
    entry: Path,
    packs: Sequence[str],
    objects: Mapping[str, str],
    peeled: Mapping[str, str] | None,
) -> None:
    """Make a folder that has packs an entry with these refs."""
    (entry / "refs").mkdir(exist_ok=True)
    (entry / "config").write_text(_CONFIG)
    write_packed_refs(entry, objects, peeled)
    content = {"schema": _SCHEMA, "packs": packs, "tips": sorted(set(objects.values()))}
    (entry / LIST).write_bytes(json.dumps(content).encode())
    (entry / "HEAD").write_text("ref: refs/heads/master\n")


def _of_remote(refs: RefValues) -> dict[str, str]:
    return {name: value for name, value in refs.objects.items() if name.startswith("refs/")}


def _tips(refs: RefValues) -> set[str]:
    return set(_of_remote(refs).values())


def _update(entry: Path, clone: Path) -> None:
    _fetch_into(entry, clone, [f"+{name}/*:{name}/*" for name in _OF_REMOTE])
    packs = sorted(pack.name for pack in (entry / "objects/pack").glob("*.pack"))
    tips = sorted(set(git(entry, "for-each-ref", "--format=%(objectname)").split()))
    content = {"schema": _SCHEMA, "packs": packs, "tips": tips}
    write_if_changed(entry / LIST, json.dumps(content).encode())


def _fetch_into(repository: Path, source: Path, refspecs: Iterable[str]) -> None:
    how = ("--quiet", "--prune", "--force", "--no-tags", "--no-write-fetch-head")
    settings = [part for setting in _SETTINGS for part in ("-c", setting)]
    arguments = (*settings, "fetch", *how, "--", str(source.resolve()), *refspecs)
    # The user's allowed protocols apply to remotes, not to our own folders.
    git(repository, *arguments, env={"GIT_ALLOW_PROTOCOL": "file"})


def discard(entry: Path, scratch: Path) -> None:
    """Remove an entry."""
    if entry.is_dir():
        # At once: half an entry must not be found, whenever this is ended.
        scratch.mkdir(parents=True, exist_ok=True)
        entry.rename(scratch / "discarded")
        remove(scratch / "discarded")
