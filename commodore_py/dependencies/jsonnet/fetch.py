"""Fetch Jsonnet libraries from Git with the bare clones that components use, too."""

from __future__ import annotations

import logging
from collections import defaultdict
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from commodore_py.adapters import git_urls
from commodore_py.adapters.git.refs import Refs, RevisionNotFound, is_complete, refs_of
from commodore_py.adapters.masking import without_secrets
from commodore_py.adapters.process import ProgramFailed
from commodore_py.adapters.workers import in_parallel
from commodore_py.dependencies.git import clones as bare_clones
from commodore_py.dependencies.git.mirrors import Mirrors
from commodore_py.dependencies.git.remotes import list_refs
from commodore_py.dependencies.git.revisions import find, is_commit, named
from commodore_py.dependencies.offline import NotAvailableOffline
from commodore_py.errors import CommodoreError
from commodore_py.model.dependency import Kind

from .content import content_here, place_of, put
from .jsonnetfile import GitSource
from .resolve import Package

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path
    from typing import Self

    from commodore_py.config import Config
    from commodore_py.model.dependency import Dependency

    from .jsonnetfile import Remote, Requirement
    from .resolve import Outcome

log = logging.getLogger(__name__)

_PARALLEL = 8  # waiting for servers, not computing
_WITH_WORKTREE = (Kind.COMPONENT, Kind.INSTANCE, Kind.PACKAGE)


@dataclass(slots=True)
class Clones:
    """The bare clones of a working directory; each remote is listed at most once."""

    folder: Path
    mirrors: Mirrors | None = None
    offline: bool = field(default=False, kw_only=True)
    borrow: bool = field(default=False, kw_only=True)
    """Whether a commit in the user's mirror is used without a query to its remote."""
    _shared: dict[str, tuple[Path, str]] = field(default_factory=dict, init=False)
    """Those that components and packages are checked out of, with the URLs of their remotes."""
    _listed: dict[Path, Refs] = field(default_factory=dict, init=False)

    @classmethod
    def of(
        cls, config: Config, dependencies: Iterable[Dependency] = (), *, borrow: bool = False
    ) -> Self:
        """The clones of a run, after these components and packages were fetched."""
        folder = config.paths.bare_clones
        clones = cls(folder, Mirrors.of(config), offline=config.offline, borrow=borrow)
        for dependency in dependencies:
            if dependency.spec.kind not in _WITH_WORKTREE or not dependency.url:
                continue
            key = git_urls.dependency_key(dependency.url)
            bare = folder / key
            if (bare / "HEAD").is_file():
                clones._shared[_without_suffix(key)] = (bare, dependency.url)
        return clones

    def path(self, remote: Remote) -> Path:
        """The path of the clone of a repository."""
        return self._place(remote)[0]

    def commit(self, remote: Remote, version: str) -> str:
        """The commit of a version, of which the clone has all objects."""
        bare, url = self._place(remote)
        if (
            self.borrow
            and is_commit(version)
            and bare_clones.has_commit(bare, url, version, self.mirrors)
        ):
            return version
        if self.offline:
            return _found_here(bare, remote, version)
        refs = self._updated(remote, version)
        try:
            return _find(bare, refs, remote, version)
        except RevisionNotFound:
            # The commit may not be on a branch.
            if is_commit(version) and bare_clones.fetch_commit(bare, version):
                return version
            raise

    def resolve(self, remote: Remote, version: str) -> str:
        """The commit of a version; the clone need not have it."""
        if self.borrow or self.offline:
            return self.commit(remote, version)
        if is_commit(version):
            return version
        return _named(self.refs(remote), remote, version) or self.commit(remote, version)

    def provide(self, remote: Remote, commit: str) -> None:
        """Make the files of a commit available."""
        bare, _ = self._place(remote)
        if not ((bare / "HEAD").is_file() and is_complete(bare, commit)):
            self.commit(remote, commit)

    def _place(self, remote: Remote) -> tuple[Path, str]:
        key = git_urls.dependency_key(remote.url)
        return self._shared.get(_without_suffix(key)) or (self.folder / key, remote.url)

    def refs(self, remote: Remote) -> Refs:
        """The branches and tags of a remote."""
        bare, url = self._place(remote)
        if bare not in self._listed:
            with _fetching(url):
                self._listed[bare] = list_refs(url)
        return self._listed[bare]

    def _updated(self, remote: Remote, version: str) -> Refs:
        """The refs of a clone that was updated for a version."""
        bare, url = self._place(remote)
        shared = any(bare == place for place, _ in self._shared.values())
        listed = None if is_commit(version) else self.refs(remote)
        with _fetching(url):
            if (bare / "HEAD").is_file():
                return bare_clones.update_clone(bare, url, {version}, listed, configured=shared)
            bare_clones.make_clone(bare, url, {version}, listed, self.mirrors)
            return listed or refs_of(bare)


def fetch_all(requests: Sequence[Requirement], clones: Clones, cache: Path) -> list[Outcome]:
    """Fetch libraries, in parallel by repository; failures are errors in the result."""
    groups: dict[Path, list[Requirement]] = defaultdict(list)
    for request in requests:
        source = request.source
        # One at a time per clone: Git locks it while it changes.
        place = clones.path(source.remote) if isinstance(source, GitSource) else source.folder
        groups[place].append(request)

    def fetch_group(group: Sequence[Requirement]) -> list[tuple[Requirement, Outcome]]:
        return [(request, _fetched_library(request, clones, cache)) for request in group]

    fetched = in_parallel(fetch_group, groups.values(), at_most=_PARALLEL)
    outcomes = dict(pair for pairs in fetched for pair in pairs)
    return [outcomes[request] for request in requests]


def _fetched_library(request: Requirement, clones: Clones, cache: Path) -> Outcome:
    source = request.source
    try:
        if isinstance(source, GitSource):
            if clones.offline and (present := content_here(cache, request)) is not None:
                return Package(request, place_of(cache, request), *present)
            commit = clones.resolve(source.remote, request.version)
            provide = partial(clones.provide, source.remote, commit)
            bare = clones.path(source.remote)
            total = put(request, source, commit, bare=bare, cache=cache, provide=provide)
            return Package(request, place_of(cache, request), commit, total)
        if source.folder.is_dir():
            return Package(request, source.folder)
    except CommodoreError as error:
        return error
    except OSError as error:
        return CommodoreError(f"cannot write: {error.strerror}")
    return CommodoreError("there is no such folder", where=str(source.folder))


@contextmanager
def _fetching(url: str) -> Iterator[None]:
    """Explain a failure of Git."""
    try:
        yield
    except ProgramFailed as error:
        raise CommodoreError(
            f"cannot fetch its repository: {error.stderr.strip() or error}",
            where=without_secrets(url),
            hint="check the remote, and that you may read it",
        ) from error


def _found_here(bare: Path, remote: Remote, version: str) -> str:
    try:
        if (bare / "HEAD").is_file():
            complete = is_commit(version) and is_complete(bare, version)
            return version if complete else _find(bare, refs_of(bare), remote, version)
    except RevisionNotFound:
        pass
    url = without_secrets(remote.url)
    raise NotAvailableOffline.named(f"version {version} of repository {url}")


def _find(bare: Path, refs: Refs, remote: Remote, version: str) -> str:
    return _named(refs, remote, version) or find(bare, refs, version, prefer="tag").commit


def _named(refs: Refs, remote: Remote, version: str) -> str:
    """The commit of a branch or tag; empty if the version is something else."""
    if not remote.is_github:
        revision = named(refs, version, prefer="tag")
    else:
        revision = named(refs, version, prefer="branch")
        if revision is None and version == "master":  # many repositories have renamed it
            revision = named(refs, "main", prefer="branch")
    return revision.commit if revision is not None else ""


def _without_suffix(key: str) -> str:
    return key.rstrip("/").removesuffix(".git")
