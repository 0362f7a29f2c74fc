"""Jsonnet libraries of a locked run: required versions become commits before they are fetched."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from commodore_py.dependencies.git.revisions import is_commit
from commodore_py.dependencies.jsonnet.jsonnetfile import GitSource
from commodore_py.dependencies.jsonnet.resolve import resolve
from commodore_py.dependencies.offline import NotAvailableOffline
from commodore_py.errors import CommodoreError

from .commits import tree_in
from .git_pins import commit_in

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path as Folder

    from commodore_py.dependencies.jsonnet.jsonnetfile import Key, Remote, Requirement
    from commodore_py.dependencies.jsonnet.resolve import FetchAll, Outcome, Package, Resolution

    from .document import Block, Path
    from .state import LockState


class _NotLocked(CommodoreError):
    """A library is required in a version that the lock has no commit of."""

    def __init__(self, request: Requirement) -> None:
        super().__init__("it is not locked")
        self.request = request


class LibraryInputs:
    """Resolves libraries, and notes which were chosen."""

    def __init__(
        self, state: LockState, fetch: FetchAll, clone_of: Callable[[Remote], Folder]
    ) -> None:
        self._state, self._fetch, self._clone_of = state, fetch, clone_of
        self._known: dict[Key, Outcome] = {}

    def resolve(self, direct: Sequence[Requirement]) -> Resolution:
        """Resolve with what is locked alone; if that does not do, with the rest as well."""
        resolution = resolve(direct, partial(self._fetched, all_of_them=False))
        errors = (failure.error for failure in resolution.failures)
        unlocked = [error.request for error in errors if isinstance(error, _NotLocked)]
        if unlocked and self._state.settings.frozen:
            for request in unlocked:
                self._state.refuse(f"library {request.name}", self._why(request), request.where)
            self._state.raise_changes()
        if unlocked:
            resolution = resolve(direct, partial(self._fetched, all_of_them=True))
        for package in resolution.packages:
            self._record(package)
        for failure in resolution.failures:
            request, source = failure.request, failure.request.source
            is_missing = request.by and not isinstance(failure.error, NotAvailableOffline)
            if is_missing and isinstance(source, GitSource):
                self._note(request, source, {"missing": True})
        self._state.raise_changes()
        return resolution

    def _path(self, request: Requirement) -> Path:
        """The block of a library."""
        return "library", self._state.settings.block_name(request.name, request.version)

    def _block(self, request: Requirement) -> Block | None:
        """The block about this requirement, unless it is to be resolved again."""
        block, source = self._state.pin(self._path(request)), request.source
        if block is None or not isinstance(source, GitSource):
            return None
        same = (block.text("url"), block.text("requested")) == (source.remote.url, request.version)
        return block if same else None

    def _pin(self, request: Requirement) -> Block | None:
        """The block that answers a requirement, if there is one."""
        block = self._block(request)
        return block if block is not None and commit_in(block) else None

    def _why(self, request: Requirement) -> str:
        block = self._state.lock.blocks.get(self._path(request))
        if block is None:
            return f"{request.version} is required, and it is not locked"
        if not is_commit(block.text("commit")):
            return "its pin is incomplete"
        locked = block.text("requested")
        return f"{request.version} is required by {request.by}, {locked} is locked"

    def _fetched(self, requests: Sequence[Requirement], *, all_of_them: bool) -> list[Outcome]:
        """Fetch the locked commits; what is not locked is an error, or fetched as required."""
        to_fetch: dict[Key, Requirement] = {}
        for request in requests:
            if request.key in self._known:
                continue
            pin = self._pin(request)
            if pin is not None:
                to_fetch[request.key] = replace(request, version=commit_in(pin))
            elif all_of_them or not isinstance(request.source, GitSource):
                to_fetch[request.key] = request
        originals = {request.key: request for request in requests}
        for key, outcome in zip(to_fetch, self._fetch(list(to_fetch.values())), strict=True):
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

    def _unknown(self, request: Requirement) -> CommodoreError:
        """The error for a library that the lock has no commit of."""
        block = self._block(request)
        # It could not be fetched when it was locked, which was a warning.
        if (
            self._state.settings.frozen
            and block is not None
            and block.values.get("missing") is True
        ):
            hint = f"once it is there, {self._state.settings.to_update(self._path(request))}"
            return CommodoreError("it was missing when it was locked", hint=hint)
        return _NotLocked(request)

    def _record(self, package: Package) -> None:
        request, source = package.request, package.request.source
        if not isinstance(source, GitSource):
            return
        pin, clone = self._pin(request), self._clone_of(source.remote)
        if self._state.settings.offline and pin is not None and not (clone / "HEAD").is_file():
            tree = pin.text("tree")  # its files are here, and the repository is not
        else:
            tree = tree_in(clone, package.commit)
        if pin is not None and pin.text("tree") != tree and self._state.settings.frozen:
            self._state.refuse(f"library {request.name}", "its pin is incomplete", request.where)
        values = {"version": request.version, "commit": package.commit, "tree": tree}
        self._note(request, source, values)

    def _note(self, request: Requirement, source: GitSource, values: Mapping[str, object]) -> None:
        request_values = {"url": source.remote.url, "requested": request.version}
        self._state.record(self._path(request), {**request_values, **values})
