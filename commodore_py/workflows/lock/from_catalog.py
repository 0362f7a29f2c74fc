"""Make the lock that a commit of a catalog was made with, as far as that can be known."""

from __future__ import annotations

import hashlib
from pathlib import Path as Folder
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from commodore_py import pipeline
from commodore_py.adapters import git_urls
from commodore_py.adapters.git.program import fetch as fetch_refs
from commodore_py.adapters.git.program import git
from commodore_py.adapters.git.refs import BRANCHES, refs_of
from commodore_py.adapters.process import ProgramFailed
from commodore_py.catalog.layout import is_generated
from commodore_py.catalog.message import Message, MessageEntry, parse_message
from commodore_py.dependencies.git.clones import make_clone
from commodore_py.dependencies.git.object_cache import ObjectCache
from commodore_py.dependencies.lock.commits import tree_in
from commodore_py.dependencies.lock.document import Block, Comment, Lock
from commodore_py.dependencies.lock.file import LockFile, check_writable
from commodore_py.dependencies.lock.place import file_of
from commodore_py.dependencies.lock.run import LockedRun
from commodore_py.dependencies.lock.state import LockSettings
from commodore_py.errors import CommodoreError, UsageError
from commodore_py.lieutenant.clusters import load_cluster
from commodore_py.lieutenant.last_compile import cluster_id_in
from commodore_py.workflows.dry_run import copied, messages_once

from .names import is_floating, name_of
from .resolve import compiled

if TYPE_CHECKING:
    from datetime import datetime

    from commodore_py.config import Config
    from commodore_py.dependencies.lock.document import Path
    from commodore_py.model.cluster import Cluster
    from commodore_py.model.tree import Tree

_GUESSED = Comment(above=("# guessed",))
_KINDS = {"Package": "package", "Configuration": "config"}
_ROUNDS = 5  # an older library may need others, which are guessed in turn


class Outcome(NamedTuple):
    """What is known about the inputs of a catalog's commit."""

    file: str
    guessed: tuple[str, ...]
    left_out: tuple[CommodoreError, ...]
    """Inputs whose commit cannot be told from the message."""
    differing: tuple[str, ...] | None
    """Files that differ from the commit's; None if they were not compared."""


class _Guess(NamedTuple):
    """What later rounds start with."""

    lock: Lock
    known: frozenset[Path]
    """Blocks that the message has."""


def from_catalog(
    config: Config, revision: str, file: Folder, *, cluster_id: str, catalog: Folder, verify: bool
) -> Outcome:
    """Write the lock of a catalog's commit, and compare what it compiles to with the commit."""
    cluster_id = cluster_id or cluster_id_in(config.paths)
    place = file_of(file, cluster_id)
    if place.exists():
        raise UsageError("the file exists", where=str(place), hint="name another file")
    check_writable(place, config.paths)
    commit, message = _message_at(catalog, revision)
    cluster = load_cluster(config, cluster_id)
    with copied(config) as scratch, messages_once():
        guess, left_out = _from_message(scratch, message, cluster)
        run, tree = _compiled(scratch, cluster_id, place, guess, message.time, verify=verify)
    result = run.result()
    guessed = _guessed(result, guess.known)
    blocks = {path: _marked(one) if path in guessed else one for path, one in result.blocks.items()}
    LockFile.read(place).write(result._replace(blocks=blocks))
    differing = _differences(catalog, commit, tree) if tree is not None else None
    return Outcome(str(place), tuple(map(name_of, sorted(guessed))), left_out, differing)


def _message_at(catalog: Folder, revision: str) -> tuple[str, Message]:
    if not (catalog / ".git").exists() and not (catalog / "HEAD").is_file():
        raise UsageError(
            "there is no catalog", where=str(catalog), hint="name its clone with --catalog"
        )
    wanted = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    try:
        commit = git(catalog, *wanted)
    except ProgramFailed as error:
        raise CommodoreError(
            f"the catalog has no commit {revision}",
            where=str(catalog),
            hint="fetch it first, or push a compile if there is none yet",
        ) from error
    message = parse_message(git(catalog, "log", "-1", "--format=%B", commit))
    if message is None:
        raise CommodoreError(
            f"commit {commit[:12]} has no message by commodore: its inputs are not known",
            where=str(catalog),
            hint="name the commit of a compile",
        )
    return commit, message


def _from_message(
    config: Config, message: Message, cluster: Cluster
) -> tuple[_Guess, tuple[CommodoreError, ...]]:
    """The pins that a message names, with full commits."""
    own = {"global": cluster.global_repo, "tenant": cluster.tenant_repo}
    blocks: dict[Path, Block] = {}
    left_out = []
    for entry in message.entries:
        kind = _KINDS.get(entry.section)
        if kind is None:
            kind = "component" if entry.component == entry.name else "instance"
        # Messages have no passwords: the API may have.
        url = own[entry.name].url if kind == "config" else entry.url
        try:
            clone = _clone(config, url)
            commit = _completed(clone, entry)
        except CommodoreError as error:
            left_out.append(error)
            continue
        requested = "" if entry.version == "HEAD" else entry.version
        if kind == "config":
            requested = own[entry.name].revision or ""
        values = {"url": git_urls.normalise(entry.url), "path": entry.path, "requested": requested}
        values |= {"version": entry.version, "commit": commit, "tree": tree_in(clone, commit)}
        if kind == "instance":
            values["component"] = entry.component
        found = {key: one for key, one in values.items() if one or key == "requested"}
        blocks[kind, entry.name] = Block(found)
    return _Guess(Lock()._replace(blocks=blocks), frozenset(blocks)), tuple(left_out)


def _clone(config: Config, url: str) -> Folder:
    """A clone with everything that the remote has now."""
    bare = config.paths.bare_clones / git_urls.dependency_key(url)
    if not (bare / "HEAD").is_file():
        make_clone(bare, url, ObjectCache.of(config))
    fetch_refs(bare)
    return bare


def _completed(clone: Folder, entry: MessageEntry) -> str:
    """The only commit that begins so."""
    found = [
        one
        for one in git(clone, "rev-parse", f"--disambiguate={entry.short_commit}").splitlines()
        if git(clone, "cat-file", "-t", one) == "commit"
    ]
    if len(found) == 1:
        return found[0]
    why = "is ambiguous" if found else "is not in its repository"
    raise CommodoreError(
        f"{entry.section.lower()} {entry.name}: commit {entry.short_commit} {why}",
        where=entry.url,
        hint="it is resolved as it is now: choose its commit in the lock file",
    )


def _compiled(
    config: Config, cluster_id: str, place: Folder, guess: _Guess, time: datetime, *, verify: bool
) -> tuple[LockedRun, Tree | None]:
    """Gather until nothing more is to be guessed; then render, if that is wanted."""
    lock = guess.lock
    for _ in range(_ROUNDS):
        run = LockedRun(LockFile(place, "", lock), LockSettings(str(place)), write=False)
        pipeline.gather(config, cluster_id, None, run)
        result = run.result()
        earlier = _as_of(config, result, guess.known, time)
        if earlier == lock:
            break
        lock = earlier
    run = LockedRun(LockFile(place, "", lock), LockSettings(str(place)), write=False)
    if not verify:
        pipeline.gather(config, cluster_id, None, run)
        return run, None
    _, rendered = compiled(config, cluster_id, run)
    return run, rendered.catalog


def _as_of(config: Config, lock: Lock, known: frozenset[Path], time: datetime) -> Lock:
    """The lock with libraries and repositories at their last commit before a moment."""
    blocks = {}
    kinds = ("library", "repository", "base")
    for path, block in lock.blocks.items():
        if path in known or path[0] not in kinds or not block.text("commit"):
            blocks[path] = block
            continue
        url = block.text("url") or path[1].rpartition("@")[0]
        requested = block.text("requested") or path[1].rpartition("@")[2]
        clone = _clone(config, url)
        refs = refs_of(clone)
        tip = refs.commits.get(BRANCHES + (requested or refs.default_branch))
        before = f"--before={time.isoformat()}"
        commit = git(clone, "rev-list", "-1", "--first-parent", before, tip) if tip else ""
        if commit:
            block = block.with_values(commit=commit, tree=tree_in(clone, commit))  # noqa: PLW2901
        blocks[path] = block
    return lock._replace(blocks=blocks)


def _guessed(lock: Lock, known: frozenset[Path]) -> frozenset[Path]:
    floating = {path for path, one in lock.blocks.items() if is_floating(path, one)}
    return frozenset(floating - known - {("facts",), ("dynamic_facts",)})


def _marked(block: Block) -> Block:
    return block._replace(comments={**block.comments, "": _GUESSED})


def _differences(catalog: Folder, commit: str, tree: Tree) -> tuple[str, ...]:
    """The generated files that are not those of a commit."""
    there: dict[str, str] = {}
    for line in git(catalog, "ls-tree", "-r", "-z", commit).split("\0"):
        if line:
            about, _, path = line.partition("\t")
            there[path] = about.split()[2]
    now = {str(path): _blob(one.content, len(commit)) for path, one in tree.items()}
    names = {path for path in {*there, *now} if is_generated(PurePosixPath(path))}
    return tuple(sorted(one for one in names if there.get(one) != now.get(one)))


def _blob(content: bytes, digits: int) -> str:
    """The id that Git gives to a file."""
    kind = hashlib.sha1 if digits == 40 else hashlib.sha256  # noqa: PLR2004 - of SHA-1
    return kind(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
