"""Jsonnet libraries of a locked run: required versions become commits before they are fetched."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from commodore_py.dependencies.git.revisions import is_commit
from commodore_py.dependencies.jsonnet.jsonnetfile import GitSource
from commodore_py.dependencies.jsonnet.resolve import resolve
from commodore_py.dependencies.offline import NotAvailableOffline
from commodore_py.errors import CommodoreError

from .commits import tree_in
from .document import KEYS
from .git_pins import commit_in

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path as Folder

    from commodore_py.dependencies.jsonnet.remote import Remote
    from commodore_py.dependencies.jsonnet.resolve import (
        FetchAll,
        Key,
        LibraryRequest,
        Outcome,
        Package,
        Read,
        Resolution,
    )

    from .document import Block, Path
    from .state import LockState


class _NotLocked(CommodoreError):
    """A library is required in a version that the lock has no commit of."""

    def __init__(self, request: LibraryRequest) -> None:
        super().__init__("it is not locked")
        self.request = request


class LibraryInputs:
    """Resolves libraries, and notes which were chosen."""

    def __init__(self, state: LockState, clone_of: Callable[[Remote], Folder]) -> None:
        self._state, self._clone_of = state, clone_of
        self._known: dict[Key, Outcome] = {}

    def resolve(self, direct: Sequence[LibraryRequest], fetch: FetchAll, read: Read) -> Resolution:
        """Resolve with what is locked alone; if that does not do, with the rest as well."""
        resolution = resolve(
            direct, lambda requests: self._fetched(requests, fetch, all_of_them=False), read
        )
        # Of a component by itself, what its own list requires is refused, all else is missing.
        failed = (*(missing.error for missing in resolution.missing), *resolution.refused)
        unlocked = [error.request for error in failed if isinstance(error, _NotLocked)]
        if unlocked and self._state.settings.frozen:
            for request in unlocked:
                self._state.refuse(f"library {request.name}", self._why(request), request.where)
            self._state.raise_changes()
        if unlocked:
            resolution = resolve(
                direct, lambda requests: self._fetched(requests, fetch, all_of_them=True), read
            )
        for package in resolution.packages:
            self._record(package)
        for lost in resolution.missing:
            if not isinstance(lost.error, NotAvailableOffline):
                self._record_missing(lost.request)
        self._state.raise_changes()
        return resolution

    def _path(self, request: LibraryRequest) -> Path:
        """The block of a library."""
        name = self._state.settings.block_name(request.name, request.requirement.version)
        return "library", name

    def _pin(self, request: LibraryRequest) -> Block | None:
        """The block that answers a requirement, if there is one."""
        block = self._state.pin(self._path(request))
        source = request.requirement.source
        if block is None or not isinstance(source, GitSource) or not commit_in(block):
            return None
        same = block.text("requested") == request.requirement.version
        return block if same and block.text("url") == source.remote.url else None

    def _is_locked_as_missing(self, library: LibraryRequest) -> bool:
        """Return whether it could not be fetched when it was locked, which was a warning."""
        block, source = self._state.pin(self._path(library)), library.requirement.source
        if block is None or not isinstance(source, GitSource):
            return False
        request = block.text("url"), block.text("requested")
        same = request == (source.remote.url, library.requirement.version)
        return same and block.values.get("missing") is True

    def _why(self, request: LibraryRequest) -> str:
        block = self._state.lock.blocks.get(self._path(request))
        version = request.requirement.version
        if block is None:
            return f"{version} is required, and it is not locked"
        if not is_commit(block.text("commit")):
            return "its pin is incomplete"
        return f"{version} is required by {request.by}, {block.text('requested')} is locked"

    def _fetched(
        self, requests: Sequence[LibraryRequest], fetch: FetchAll, *, all_of_them: bool
    ) -> list[Outcome]:
        """Fetch the locked commits; what is not locked is an error, or fetched as required."""
        to_fetch: dict[Key, LibraryRequest] = {}
        for request in requests:
            if request.key in self._known:
                continue
            pin = self._pin(request)
            if pin is not None:
                to_fetch[request.key] = replace(
                    request, requirement=replace(request.requirement, version=commit_in(pin))
                )
            elif all_of_them or not isinstance(request.requirement.source, GitSource):
                to_fetch[request.key] = request
        originals = {request.key: request for request in requests}
        for key, outcome in zip(to_fetch, fetch(list(to_fetch.values())), strict=True):
            if isinstance(outcome, CommodoreError):
                if to_fetch[key] is not originals[key]:
                    settings = self._state.settings
                    outcome.add_note(
                        f"it is locked in {settings.name}: if it is gone, to choose another one,"
                        f" {settings.to_update(self._path(originals[key]))}"
                    )
                self._known[key] = outcome
            else:
                self._known[key] = replace(outcome, request=originals[key])
        return [self._known.get(request.key) or self._unknown(request) for request in requests]

    def _unknown(self, request: LibraryRequest) -> CommodoreError:
        """The error for a library that the lock has no commit of."""
        if self._state.settings.frozen and self._is_locked_as_missing(request):
            settings = self._state.settings
            hint = f"once it is there, {settings.to_update(self._path(request))}"
            return CommodoreError("it was missing when it was locked", hint=hint)
        return _NotLocked(request)

    def _record(self, package: Package) -> None:
        request, source = package.request, package.request.requirement.source
        if not isinstance(source, GitSource):
            return
        pin, path = self._pin(request), self._path(request)
        tree = self._tree(source, package.commit, pin)
        if pin is not None and pin.text("tree") != tree and self._state.settings.frozen:
            self._state.refuse(f"library {request.name}", "its pin is incomplete", request.where)
        version = request.requirement.version
        self._state.record(
            path,
            {
                "url": source.remote.url,
                "requested": version,
                "version": version,
                "commit": package.commit,
                "tree": tree,
            },
            order=KEYS["library"],
        )

    def _tree(self, source: GitSource, commit: str, pin: Block | None) -> str:
        clone = self._clone_of(source.remote)
        if self._state.settings.offline and pin is not None and not (clone / "HEAD").is_file():
            return pin.text("tree")  # its files are here, and the repository is not
        return tree_in(clone, commit)

    def _record_missing(self, library: LibraryRequest) -> None:
        source = library.requirement.source
        if isinstance(source, GitSource):
            request = {"url": source.remote.url, "requested": library.requirement.version}
            values = {**request, "missing": True}
            self._state.record(self._path(library), values, order=KEYS["library"])
