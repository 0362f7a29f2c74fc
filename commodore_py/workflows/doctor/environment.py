"""The state of this machine as a run would find it; reading it changes nothing."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from http import HTTPStatus
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from commodore_py.adapters.git.refs import commit_of
from commodore_py.adapters.git.status import status
from commodore_py.adapters.http import HttpError
from commodore_py.adapters.process import ProgramFailed, run
from commodore_py.catalog.layout import is_generated
from commodore_py.config import facts_folder
from commodore_py.dependencies.protection.local_work import unpushed
from commodore_py.errors import CommodoreError
from commodore_py.lieutenant.auth.session import token_state
from commodore_py.lieutenant.clusters import check_reachable, list_clusters, load_cluster
from commodore_py.workflows.tools.folder import ToolFolder
from commodore_py.workflows.tools.programs import Tool, built_in, installed_tools

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from commodore_py.config import Config, WorkPaths
    from commodore_py.lieutenant.auth.session import TokenState

_REFUSED = {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}


@dataclass(frozen=True, slots=True)
class Checkout:
    """A repository in the working directory, and what in it is not committed or not pushed."""

    path: str
    changes: tuple[str, ...] = ()
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Lock:
    """A lock file of Git; its process may have ended."""

    path: Path
    age: float
    """In seconds."""


@dataclass(frozen=True, slots=True)
class WorkFolder:
    """The working directory."""

    path: Path
    exists: bool = False
    compiled_before: bool = False
    entries: int = 0
    problem: str = ""
    """Why it cannot be written to."""
    checkouts: tuple[Checkout, ...] = ()
    locks: tuple[Lock, ...] = ()


@dataclass(frozen=True, slots=True)
class Cache:
    """A file or folder in the user's cache."""

    path: Path
    size: int
    mode: int


@dataclass(frozen=True, slots=True)
class Api:
    """Look at what `--api-url` leads to."""

    url: str = ""
    is_folder: bool = False
    clusters: int | None = None
    """None if they could not be queried."""
    problem: CommodoreError | None = None
    rejection: CommodoreError | None = None
    """Why the server rejected the token."""


@dataclass(frozen=True, slots=True)
class Environment:
    """Everything that the checks examine."""

    python: tuple[int, int, int]
    git: Tool
    tools: tuple[Tool, ...]
    built_in: Mapping[str, str]
    tools_problem: CommodoreError | None
    api: Api
    token: TokenState
    work: WorkFolder
    cache: Path | None
    caches: tuple[Cache, ...]
    kubectl: str | None = None
    """Its path; it includes kustomize."""


def inspect_environment(config: Config, cache: Path | None) -> Environment:
    """Read the whole state: query servers, read repositories and folders."""
    now = time.time()
    token = token_state(config, cache)
    return Environment(
        python=sys.version_info[:3],
        git=_git(),
        tools=installed_tools(),
        built_in=built_in(),
        tools_problem=_problem_of_tools(cache),
        api=inspect_api(config, token),
        token=token,
        work=inspect_work(config.paths, now),
        cache=cache,
        caches=tuple(
            Cache(path, _size(path), path.stat().st_mode & 0o7777)
            for path in (_children(cache) if cache else ())
            if path.exists()  # a link may lead nowhere
        ),
        kubectl=shutil.which("kubectl"),
    )


def inspect_api(config: Config, token: TokenState) -> Api:
    """Query the clusters, or without a token only whether the API is reachable."""
    if not config.api_url:
        return Api()
    api = Api(config.api_url, is_folder=facts_folder(config.api_url) is not None)
    try:
        if api.is_folder:
            return replace(api, clusters=_read_all(config))
        if token.is_good:
            clusters = list_clusters(replace(config, may_log_in=False))
            return replace(api, clusters=len(clusters))
        check_reachable(config)
    except CommodoreError as error:
        refused = isinstance(error, HttpError) and error.status in _REFUSED
        return replace(api, rejection=error) if refused else replace(api, problem=error)
    return api


def _read_all(config: Config) -> int:
    """Read every cluster and its tenant; returns how many clusters there are."""
    clusters = list_clusters(config)
    for cluster in clusters:
        load_cluster(config, cluster["id"])
    return len(clusters)


def inspect_work(paths: WorkPaths, now: float) -> WorkFolder:
    """The working directory, its checkouts, and locks in them."""
    root = paths.root
    problem = _problem_of_writing(root)
    if not root.is_dir():
        return WorkFolder(root, problem=problem)
    return WorkFolder(
        root,
        exists=True,
        compiled_before=(paths.targets / "cluster.yml").is_file(),
        entries=len(_children(root)),
        problem=problem,
        checkouts=tuple(_checkout(paths, folder) for folder in _checkouts_in(paths)),
        locks=tuple(_locks_in(paths, now)),
    )


def _git() -> Tool:
    path = shutil.which("git")
    if path is None:
        return Tool("git", None)
    try:
        return Tool("git", path, run([path, "--version"]).decode(errors="replace").strip())
    except ProgramFailed:
        return Tool("git", path)


def _problem_of_tools(cache: Path | None) -> CommodoreError | None:
    try:
        if cache:
            ToolFolder(cache / "tools").managed()
    except CommodoreError as error:
        return error
    return None


def _problem_of_writing(folder: Path) -> str:
    """Why nothing can be written there; a folder that is missing would be made."""
    try:
        existing_folder = next(path for path in (folder, *folder.parents) if path.exists())
        # Modes do not apply to root, or on a read-only disk: try it.
        with tempfile.TemporaryFile(dir=existing_folder):
            return ""
    except OSError as error:
        return error.strerror or str(error)


def _checkouts_in(paths: WorkPaths) -> Iterator[Path]:
    for place in (paths.catalog, *_children(paths.classes), *_children(paths.dependencies)):
        # CheckoutRecord behind a link belong to another folder.
        if (place / ".git").exists() and not place.is_symlink():
            yield place


def _checkout(paths: WorkPaths, folder: Path) -> Checkout:
    name = str(folder.relative_to(paths.root))
    try:
        changes = (path for _, path in status(folder, untracked=True).changes)
        if folder == paths.catalog:
            # A compile without a push leaves these, and the next one overwrites them.
            changes = (path for path in changes if not is_generated(PurePosixPath(path)))
        return Checkout(name, (*sorted(changes), *_commits_of(paths, folder)))
    except CommodoreError as error:
        return Checkout(name, problem=str(error))


def _commits_of(paths: WorkPaths, folder: Path) -> list[str]:
    """Commits that no remote has; other branches of a bare clone are safe."""
    if commit_of(folder, "HEAD") is None:
        return []
    is_worktree = folder.parent == paths.dependencies
    return unpushed(folder, "HEAD", *(() if is_worktree else ("--branches",)))


def _locks_in(paths: WorkPaths, now: float) -> Iterator[Lock]:
    folders = [checkout / ".git" for checkout in _checkouts_in(paths)]
    for top in (*folders, paths.bare_clones):
        for place, names, files in os.walk(top):
            names[:] = sorted(name for name in names if name != "objects")
            for file in sorted(files):
                path = Path(place, file)
                if path.suffix == ".lock":
                    with suppress(FileNotFoundError):  # removed by its process in the meantime
                        yield Lock(path, max(now - path.stat().st_mtime, 0))


def _size(path: Path) -> int:
    if path.is_dir() and not path.is_symlink():
        return sum(map(_size, _children(path)))
    return path.lstat().st_size


def _children(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:  # missing, or not readable
        return []
