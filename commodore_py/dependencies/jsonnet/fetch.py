"""Fetch Jsonnet libraries from Git with the bare clones that components use, too."""

from __future__ import annotations

import logging
from collections import defaultdict
from functools import partial
from typing import TYPE_CHECKING

from commodore_py.adapters import git_urls
from commodore_py.adapters.git.program import fetch, succeeds
from commodore_py.adapters.git.refs import BRANCHES, TAGS, RevisionNotFound, read_refs, refs_of
from commodore_py.adapters.git.repository import configure_remote
from commodore_py.adapters.masking import without_secrets
from commodore_py.adapters.parallel import in_parallel
from commodore_py.adapters.process import ProgramFailed
from commodore_py.dependencies.git.cached_commits import has_commit
from commodore_py.dependencies.git.clones import make_clone
from commodore_py.dependencies.git.object_cache_entries import remove_cache_refs
from commodore_py.dependencies.git.remotes import RemoteClient, lacks
from commodore_py.dependencies.git.revisions import find, is_commit, is_complete, moved_tags
from commodore_py.dependencies.offline import NotAvailableOffline
from commodore_py.errors import CommodoreError
from commodore_py.model.dependency import Kind

from .content import Content, content_here, place_of, put
from .jsonnetfile import GitSource
from .resolve import Package

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from commodore_py.dependencies.git.object_cache import ObjectCache
    from commodore_py.dependencies.git.remotes import RemoteRefs
    from commodore_py.model.dependency import Dependency

    from .remote import Remote
    from .resolve import Outcome, Wanted

log = logging.getLogger(__name__)

_PARALLEL = 8  # waiting for servers, not computing
_WITH_WORKTREE = (Kind.COMPONENT, Kind.INSTANCE, Kind.PACKAGE)


class Clones:
    """The bare clones of a working directory, each queried and fetched at most once."""

    def __init__(
        self,
        folder: Path,
        object_cache: ObjectCache | None = None,
        *,
        offline: bool = False,
        borrow: bool = False,
    ) -> None:
        self.offline = offline
        self._borrow = borrow
        """Whether a commit in the user's cache is used without a query to its remote."""
        self._folder = folder
        self._object_cache = object_cache
        self._client = RemoteClient(folder)
        self._shared: dict[str, tuple[Path, str]] = {}
        self._current: set[tuple[Path, str]] = set()
        self._answers: dict[Path, RemoteRefs] = {}
        self._fresh: set[Path] = set()
        self._from_cache: set[Path] = set()
        self._fetched: dict[Path, str] = {}

    @classmethod
    def shared_with(
        cls,
        folder: Path,
        dependencies: Iterable[Dependency],
        object_cache: ObjectCache | None = None,
        *,
        local: bool,
        offline: bool = False,
        borrow: bool = False,
    ) -> Clones:
        """The clones after components and packages were fetched, which local mode skips."""
        clones = cls(folder, object_cache, offline=offline, borrow=borrow)
        for dependency in dependencies:
            if dependency.spec.kind not in _WITH_WORKTREE or not dependency.url:
                continue
            key = git_urls.dependency_key(dependency.url)
            bare = folder / key
            if (bare / "HEAD").is_file():
                clones._shared[_without_suffix(key)] = (bare, dependency.url)
                if not local and dependency.spec.version:
                    # Only this version: other branches and tags may have moved.
                    clones._current.add((bare, dependency.spec.version))
        return clones

    def of(self, remote: Remote) -> Path:
        """The path of the clone of a repository."""
        return self._place(remote)[0]

    def commit(self, remote: Remote, version: str) -> str:
        """The commit of a version; the remote is queried at most once, for a known commit never."""
        bare, url = self._place(remote)
        if self._borrow and is_commit(version) and self._has(bare, url, version):
            return version
        if self.offline:
            return _found_here(bare, remote, version)
        self._open(bare, remote)
        # A new clone has borrowed objects that the remote may not have.
        if bare not in self._fresh and is_commit(version) and is_complete(bare, version):
            return version
        if reason := self._update(bare, url, version):
            raise CommodoreError(
                f"cannot fetch its repository: {reason}",
                where=without_secrets(url),
                hint="check the remote, and that you may read it",
            )
        try:
            return _find(bare, remote, version)
        except RevisionNotFound:
            # The commit may not be on a branch; many servers send it by its id.
            if is_commit(version) and succeeds(bare, "fetch", "--quiet", "origin", version):
                return version
            raise

    def provide(self, remote: Remote, content: Content) -> None:
        """Make the files of a commit available; here, they were fetched with it."""

    def _place(self, remote: Remote) -> tuple[Path, str]:
        key = git_urls.dependency_key(remote.url)
        return self._shared.get(_without_suffix(key)) or (self._folder / key, remote.url)

    def _has(self, bare: Path, url: str, commit: str) -> bool:
        known = (bare / "HEAD").is_file()
        found = has_commit(bare, url, commit, self._object_cache)
        if not known and not found and (bare / "HEAD").is_file():
            self._from_cache.add(bare)
            self._fresh.add(bare)
        return found

    def _open(self, bare: Path, remote: Remote) -> None:
        if any(bare == shared for shared, _ in self._shared.values()):
            return  # the component has set its URL
        if (bare / "HEAD").is_file():
            configure_remote(bare, remote.url)
            return
        if make_clone(bare, remote.url, self._object_cache):
            self._from_cache.add(bare)
        self._fresh.add(bare)

    def _update(self, bare: Path, url: str, version: str) -> str:
        """Update a clone for a version; returns the error, if any."""
        if bare not in self._fetched:
            try:
                if self._is_current(bare, url, version):
                    return ""
                from_cache = bare in self._from_cache
                _fetch(
                    bare, url, self._object_cache, fresh=bare in self._fresh, from_cache=from_cache
                )
            except ProgramFailed as error:
                self._fetched[bare] = error.stderr.strip() or str(error)
            else:
                self._fetched[bare] = ""
                self._fresh.discard(bare)
        return self._fetched[bare]

    def _is_current(self, bare: Path, url: str, version: str) -> bool:
        """Whether a clone has the version of the remote; a missing commit must be fetched."""
        if bare in self._fresh or is_commit(version):
            return False
        if (bare, version) in self._current:
            return True
        if bare not in self._answers:
            self._answers[bare] = self._client.list_refs(url, bare)
        have = read_refs(bare, BRANCHES, TAGS)
        return not lacks(self._answers[bare], have, {version})


def fetch_all(wanted: Sequence[Wanted], clones: Clones, cache: Path) -> list[Outcome]:
    """Fetch libraries, in parallel by repository; failures are errors in the result."""
    groups: dict[object, list[Wanted]] = defaultdict(list)
    for one in wanted:
        source = one.requirement.source
        # One at a time per clone: Git locks it while it changes.
        groups[clones.of(source.remote) if isinstance(source, GitSource) else one].append(one)

    def fetch_group(group: Sequence[Wanted]) -> list[tuple[Wanted, Outcome]]:
        return [(one, _fetched_library(one, clones, cache)) for one in group]

    fetched = in_parallel(fetch_group, groups.values(), at_most=_PARALLEL)
    outcomes = dict(pair for pairs in fetched for pair in pairs)
    return [outcomes[one] for one in wanted]


def _fetched_library(wanted: Wanted, clones: Clones, cache: Path) -> Outcome:
    source, version = wanted.requirement.source, wanted.requirement.version
    try:
        if isinstance(source, GitSource):
            if clones.offline and (here := content_here(cache, wanted)) is not None:
                return Package(wanted, place_of(cache, wanted), *here)
            content = Content(
                clones.commit(source.remote, version), source.subdir, source.remote.is_github
            )
            provide = partial(clones.provide, source.remote, content)
            total = put(content, clones.of(source.remote), cache, wanted, provide)
            return Package(wanted, place_of(cache, wanted), content.commit, total)
        if wanted.folder is not None and wanted.folder.is_dir():
            return Package(wanted, wanted.folder)
    except CommodoreError as error:
        return error
    except OSError as error:
        return CommodoreError(f"cannot write: {error.strerror}")
    return CommodoreError("there is no such folder", where=str(wanted.folder))


def _fetch(
    bare: Path, url: str, object_cache: ObjectCache | None, *, fresh: bool, from_cache: bool
) -> None:
    shown = without_secrets(url)
    log.info("fetching %s", shown)
    before = refs_of(bare)
    fetch(bare, fresh=fresh and not from_cache)
    remove_cache_refs(bare)
    after = refs_of(bare)
    for tag in moved_tags(before, after):
        log.warning("a tag was moved in %s: %s", shown, tag)
    if object_cache is not None:
        object_cache.update(url, bare, fresh=fresh, changed=after != before)


def _found_here(bare: Path, remote: Remote, version: str) -> str:
    try:
        if (bare / "HEAD").is_file():
            complete = is_commit(version) and is_complete(bare, version)
            return version if complete else _find(bare, remote, version)
    except RevisionNotFound:
        pass
    url = without_secrets(remote.url)
    raise NotAvailableOffline.named(f"version {version} of repository {url}")


def _find(bare: Path, remote: Remote, version: str) -> str:
    refs = refs_of(bare)
    if not remote.is_github:
        return find(bare, refs, version, prefer="tag").commit
    try:
        return find(bare, refs, version, prefer="branch").commit
    except RevisionNotFound:
        if version != "master":  # many repositories have renamed it
            raise
        return find(bare, refs, "main", prefer="branch").commit


def _without_suffix(key: str) -> str:
    return key.rstrip("/").removesuffix(".git")
