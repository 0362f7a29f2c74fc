"""Repositories of a locked run: their requests become commits before anything is fetched."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from commodore_py.adapters import git_urls
from commodore_py.adapters.git.program import fetch as fetch_refs
from commodore_py.adapters.git.program import succeeds
from commodore_py.adapters.git.refs import BRANCHES, RevisionNotFound, commit_of, refs_of
from commodore_py.adapters.masking import without_secrets
from commodore_py.dependencies.git.groups import bare_clone_of, override_of, place_of
from commodore_py.dependencies.git.revisions import find, is_commit
from commodore_py.errors import CommodoreError
from commodore_py.model.dependency import CONFIGURATION, Dependency, Kind

from . import commits
from .document import hint_of_branch
from .git_pins import commit_in, path_of, pins_by_request, request_in, request_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path as Folder

    from commodore_py.config import Config
    from commodore_py.model.dependency import DependencySpec, Fetch
    from commodore_py.model.spot import Places

    from .document import Block, Path
    from .state import LockState


@dataclass(frozen=True, slots=True)
class _Request:
    """A repository as requested, and what is locked for it."""

    spec: DependencySpec
    path: Path | None
    block: Block | None = None
    """The pin that answers it."""
    loose: bool = False
    """Whether it is not to be pinned: overridden for this run, or never pinned."""
    checked_out: str = ""
    """What an offline run uses of it then: the commit that is checked out."""

    @property
    def commit(self) -> str:
        """The commit to use; empty if the request must be resolved."""
        return commit_in(self.block) if self.block is not None and not self.loose else ""

    @property
    def to_fetch(self) -> DependencySpec:
        """The request, at the commit to use if there is one."""
        commit = self.commit or self.checked_out
        return self.spec._replace(version=commit) if commit else self.spec


class GitInputs:
    """Fetches what is locked, and notes what is not."""

    def __init__(self, config: Config, state: LockState, fetch: Fetch) -> None:
        self._config, self._state, self._fetch = config, state, fetch
        self._by_request = pins_by_request(state.lock, state.settings.renewed)
        self._refused: list[tuple[_Request, str]] = []

    def __call__(self, specs: Iterable[DependencySpec]) -> tuple[Dependency, ...]:
        """Fetch, with the commits that are locked."""
        all_specs = tuple(specs)
        requests = [self._request(spec, all_specs) for spec in all_specs]
        is_configuration = any(spec.kind in CONFIGURATION for spec in all_specs)
        if self._config.local:
            by_spec = {request.spec: request for request in requests}
            return tuple(
                self._compared(by_spec[found.spec], found) for found in self._fetch(by_spec)
            )
        if self._state.settings.frozen:
            requests = [request for request in requests if not self._is_refused(request)]
            if is_configuration:
                self.refuse(None)  # without it, nothing else is known
        if self._state.settings.offline:
            requests = [request for request in map(self._offline, requests) if request is not None]
            if is_configuration:
                self._state.raise_changes()
        fetched = self._fetched(requests)
        return tuple(self._noted(*pair) for pair in zip(requests, fetched, strict=True))

    def refuse(self, places: Places | None) -> None:
        """End a frozen run whose requests are not those that are locked."""
        for request, why in self._refused:
            where = _asker(request.spec, places) if places is not None else request.spec.url
            self._state.refuse(str(request.spec), why, without_secrets(where))
        self._refused = []
        self._state.raise_changes()

    def _request(self, spec: DependencySpec, specs: tuple[DependencySpec, ...]) -> _Request:
        path = path_of(spec, specs, self._state.settings.block_name)
        overridden = spec.kind in CONFIGURATION and bool(override_of(spec, self._config))
        block = self._state.pin(path) if path is not None else None
        if self._config.local:  # the checkout decides, and the URL may not be known
            return _Request(spec, path, block)
        if overridden or (block is not None and block.values.get("pinned") is False):
            return _Request(spec, path, block, loose=True)
        if block is not None and request_in(block) == request_of(spec) and commit_in(block):
            return _Request(spec, path, block)
        shared = self._by_request.get(request_of(spec))
        return _Request(spec, path, shared)

    def _is_refused(self, request: _Request) -> bool:
        """Return whether a frozen run must end because of this request."""
        spec, path = request.spec, request.path
        block = self._state.lock.blocks.get(path) if path is not None else request.block
        requested, why = spec.version or "the default branch", ""
        now, locked = request_of(spec), request_in(block) if block is not None else None
        same_repository = locked is not None and locked[0] == now[0]
        # Of what has no pin, the revision of this run wins.
        is_overridden = request.loose and bool(override_of(spec, self._config))
        if block is None:
            why = f"{requested} is requested, and it is not locked"
        elif locked != now and not (is_overridden and same_repository):
            pinned = block.text("requested") or "the default branch"
            if not same_repository:
                requested, pinned = without_secrets(spec.url), without_secrets(block.text("url"))
            why = f"{requested} is requested, {pinned} is locked"
        elif not request.loose and not (commit_in(block) and is_commit(block.text("tree"))):
            why = "its pin is incomplete"
        if why:
            self._refused.append((request, why))
        return bool(why)

    def _offline(self, request: _Request) -> _Request | None:
        """The request, if an offline run has what it needs."""
        spec, commit = request.spec, request.commit
        if request.loose:
            revision = override_of(spec, self._config)
            commit = commits.commit_here(self._config, spec, revision or "")
        if commit and commits.is_here(self._config, spec, commit):
            return replace(request, checked_out=commit)
        what = commit[:12] or "its commit"
        self._state.missing.append(
            CommodoreError(
                f"{spec}: {what} is not available offline",
                where=without_secrets(git_urls.normalise(spec.url)),
                hint="compile once without --offline, or use --from-export",
            )
        )
        return None

    def _fetched(self, requests: list[_Request]) -> tuple[Dependency, ...]:
        dependency_specs = [request.to_fetch for request in requests]
        try:
            return self._fetch(dependency_specs)
        except CommodoreError as error:
            gone = [part for part in error.parts if isinstance(part, RevisionNotFound)]
            # One may have been chosen for this run alone: an old state is repeated with it.
            used = [
                (
                    request.spec,
                    override_of(request.spec, self._config) if request.loose else request.commit,
                )
                for request in requests
            ]
            pinned = [(spec, commit) for spec, commit in used if is_commit(commit or "")]
            if not gone or not pinned or self._state.settings.offline:
                raise
            rescued = [commits.fetch_by_id(self._config, *pin) for pin in pinned]
            if any(rescued):
                return self._fetch(dependency_specs)
            paths = {request.commit: request.path for request in requests if request.commit}
            for lost in gone:
                lost.hint = self._remedies(
                    next((path for commit, path in paths.items() if commit in str(lost)), None)
                )
            raise

    def _remedies(self, path: Path | None) -> str:
        settings = self._state.settings
        other = "update it" if path is None else settings.to_update(path)
        return (
            f"it is locked in {settings.name}, and gone from its remote: to choose another one,"
            f" {other}; or compile with an export of it"
        )

    def _compared(self, request: _Request, dependency: Dependency) -> Dependency:
        """Compare checkouts of local mode with the lock."""
        if request.path is not None:
            self._state.keep(request.path)
        if request.commit and dependency.commit != request.commit:
            text = f"{dependency.commit[:12]} is checked out, {request.commit[:12]} is locked"
            if self._state.settings.frozen:
                self._state.refuse(str(request.spec), text, str(dependency.worktree))
            else:
                self._state.notice(f"{request.spec}: {text}", str(dependency.worktree))
        return dependency

    def _noted(self, request: _Request, dependency: Dependency) -> Dependency:
        spec, path, block = request.spec, request.path, request.block
        restored = replace(dependency, spec=spec)
        if request.loose:
            self._note_loose(request)
            return restored
        if spec.kind not in CONFIGURATION:
            restored = replace(restored, version=spec.version or "HEAD")
        elif request.commit and block is not None and not spec.version:
            restored = replace(restored, version=block.text("version") or dependency.version)
        folder = _folder(spec, self._config)
        tree = commits.tree_in(folder, dependency.commit)
        frozen = self._state.settings.frozen
        if frozen and request.commit and not commits.is_published(folder, dependency.commit):
            self._state.notice(
                f"{spec}: no branch or tag has the locked commit {dependency.commit[:12]};"
                " it may come from a pull request, or a branch was rewritten",
                without_secrets(git_urls.normalise(spec.url)),
                strict=True,
                severity="warning",
            )
        if request.commit and block is not None and block.text("tree") != tree:
            self._complete(request, dependency)
        if path is not None:
            self._record(request, restored, tree)
        return restored

    def _note_loose(self, request: _Request) -> None:
        spec, path, block = request.spec, request.path, request.block
        if path is None:
            return
        self._state.keep(path)
        if block is None or block.values.get("pinned") is not False:
            return
        if request_in(block) != request_of(spec) and not override_of(spec, self._config):
            values = {"url": git_urls.normalise(spec.url), "requested": spec.version or ""}
            self._state.record(path, values, all_of_it=False)

    def _record(self, request: _Request, dependency: Dependency, tree: str) -> None:
        spec, path = request.spec, request.path
        assert path is not None  # noqa: S101 - for the type checker
        before = self._state.lock.blocks.get(path)
        values: dict[str, object] = {"url": git_urls.normalise(spec.url)}
        if spec.kind is Kind.INSTANCE:
            values["component"] = spec.component
        if spec.path:
            values["path"] = spec.path
        version = spec.version or dependency.version
        values |= {"requested": spec.version or "", "version": version}
        values |= {"commit": dependency.commit, "tree": tree}
        if before is not None and request.commit and request_in(before) == request_of(spec):
            # Another spelling of the URL is the same request: no reason to write.
            values["url"] = before.text("url")
            values["version"] = before.text("version") or version
            if {**before.values, **values} != before.values:
                values["url"] = git_urls.normalise(spec.url)
        block = self._state.record(path, values)
        if before is None or not request.commit:
            folder = _folder(spec, self._config)
            is_branch = not is_commit(version) and commit_of(folder, BRANCHES + version)
            hint = hint_of_branch(block.text("url")) if is_branch else ""
            self._state.recorded[path] = replace(block, hint=hint)

    def _complete(self, request: _Request, dependency: Dependency) -> None:
        """Accept what a bot or a person wrote, if it is what the request allows."""
        spec, folder = request.spec, _folder(request.spec, self._config)
        if self._state.settings.frozen:
            self._state.refuse(str(spec), "its pin is incomplete: the tree is another one")
            return
        version = spec.version or dependency.version
        for _ in range(2):
            with suppress(RevisionNotFound):
                tip = find(folder, refs_of(folder), version, prefer="tag").commit
                if succeeds(folder, "merge-base", "--is-ancestor", dependency.commit, tip):
                    return
            fetch_refs(folder)  # what is here may be older than the commit
        raise CommodoreError(
            f"{spec}: commit {dependency.commit[:12]} is not part of {version}",
            where=self._state.settings.name,
            hint=self._state.settings.to_update(request.path or ("component", spec.name)),
        )


def _folder(spec: DependencySpec, config: Config) -> Folder:
    """The repository that a dependency is checked out of."""
    if spec.kind in CONFIGURATION:
        return place_of(spec, config.paths) / ".git"
    return bare_clone_of(spec, config.paths)


def _asker(spec: DependencySpec, places: Places) -> str:
    """The file and line that requests a version."""
    if spec.kind in CONFIGURATION:
        return git_urls.normalise(spec.url)
    section = "packages" if spec.kind is Kind.PACKAGE else "components"
    for name in dict.fromkeys((spec.name, spec.component)):
        for key in ("version", "url"):
            place = places.parameter("cluster", (section, name, key)) if name else ""
            if place:
                return place
    return git_urls.normalise(spec.url)
