"""What is locked, how large it is, and where it is requested."""

from __future__ import annotations

import logging
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from commodore_py import compiler, pipeline
from commodore_py.adapters import git_urls
from commodore_py.adapters.git.program import git
from commodore_py.dependencies.discover import instances_of
from commodore_py.dependencies.downloads.store import Store
from commodore_py.dependencies.git.revisions import is_commit
from commodore_py.dependencies.jsonnet.install import read_jsonnetfile
from commodore_py.dependencies.jsonnet.resolve import wanted_by
from commodore_py.dependencies.lock import downloads, facts
from commodore_py.errors import CommodoreError
from commodore_py.inventory.resolve import locator_of, resolve
from commodore_py.lieutenant.clusters import load_cluster
from commodore_py.model.dependency import Kind

from .names import name_of
from .resolve import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path as Folder

    from commodore_py.config import Config
    from commodore_py.dependencies.lock.document import Block, Lock, Path

log = logging.getLogger(__name__)

_SECTIONS = {"component": "components", "instance": "components", "package": "packages"}


class LockedInput(NamedTuple):
    """An input: what is requested, what is locked for it, its size in bytes if it is here."""

    name: str
    requested: str
    pin: str
    block: Block
    size: int | None = None
    askers: tuple[str, ...] = ()
    """Files and lines that request it, as far as a working directory has them."""


def locked_inputs(config: Config, lock: Lock, paths: Iterable[Path]) -> tuple[LockedInput, ...]:
    """The inputs of a lock; sizes and requests are looked up in the working directory."""
    askers, store = _askers(config, lock), Store.of(config)
    return tuple(
        LockedInput(
            name_of(path),
            _requested(path, lock.blocks[path]),
            shown(lock, path),
            lock.blocks[path],
            _size(config, lock, path, store),
            tuple(dict.fromkeys(askers.get(path, ()))),
        )
        for path in paths
    )


def _requested(path: Path, block: Block) -> str:
    if path[0] in ("chart", "repository", "base"):
        return path[1].rpartition("@")[2]
    return block.text("requested")


def _size(config: Config, lock: Lock, path: Path, store: Store) -> int | None:
    block = lock.blocks[path]
    try:
        if path[0] in ("chart", "file"):
            sha256 = downloads.sha256_in(block)
            known = store.find("locked", *path, sha256) if sha256 else None
            return store.content(known).stat().st_size if known is not None else None
        commit = block.text("commit")
        folder = _repository(config, lock, path) if is_commit(commit) else None
        if folder is None or not (folder / "HEAD").is_file():
            return None
        listed = git(folder, "ls-tree", "-r", "-l", commit)
    except (CommodoreError, OSError):
        return None  # it is not here
    sizes = (line.partition("\t")[0].split()[3] for line in listed.splitlines())
    return sum(int(size) for size in sizes if size.isdecimal())


def _repository(config: Config, lock: Lock, path: Path) -> Folder:
    if path[0] == "config":
        name = "global" if path[1] == "global" else facts.tenant_of(lock)
        return config.paths.classes / name / ".git"
    url = lock.blocks[path].text("url") or path[1].rpartition("@")[0]
    return config.paths.bare_clones / git_urls.dependency_key(url)


def _askers(config: Config, lock: Lock) -> Mapping[Path, list[str]]:
    """Where each input is requested, if the cluster of the lock was compiled here."""
    found: dict[Path, list[str]] = defaultdict(list)
    if not lock.cluster or not config.paths.params_file.is_file():
        return found
    try:
        for path, place in _requests(config._replace(local=True), lock):
            if place:
                found[path].append(place)
    except CommodoreError as error:
        log.info("what requests inputs is not known: %s", error)
    return found


def _requests(config: Config, lock: Lock) -> Iterator[tuple[Path, str]]:
    cluster = load_cluster(config, lock.cluster)
    classes, node = pipeline.gather_classes(config, cluster)
    instances = instances_of(node, classes)
    inventory = resolve(config, cluster, classes, instances)
    places = locator_of(config, cluster, classes, instances)
    for path in lock.blocks:
        if path[0] in _SECTIONS:
            named = (places.parameter("cluster", (_SECTIONS[path[0]], path[1], "version")),)
            yield path, named[0]
    for download in compiler.wanted_downloads(inventory):
        spot = download.spot
        yield downloads.path_of(download.source), places.parameter(spot.target, spot.path)
    folders = {one.spec.name: one.directory for one in classes.of_kind(Kind.COMPONENT)}
    folders |= {path[1]: config.paths.vendor / path[1] for path in lock.blocks if len(path) > 1}
    for name, folder in folders.items():
        file = folder / "jsonnetfile.json"
        for wanted in wanted_by(read_jsonnetfile(file), by=name, where=str(file), folder=folder):
            yield ("library", wanted.name), wanted.where
