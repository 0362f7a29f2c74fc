"""Bases of kustomizations: kustomize gets Git repositories here, at locked commits."""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager
from pathlib import Path as Folder
from typing import TYPE_CHECKING

from commodore_py import run_log
from commodore_py.adapters.files import make_folder
from commodore_py.adapters.files.file_lock import locked
from commodore_py.adapters.git.program import git
from commodore_py.adapters.kustomize import GitBase, git_base, read_kustomizations
from commodore_py.adapters.masking import without_secrets
from commodore_py.dependencies.git.revisions import is_commit
from commodore_py.dependencies.jsonnet.fetch import Clones
from commodore_py.dependencies.jsonnet.jsonnetfile import Remote
from commodore_py.errors import CommodoreError
from commodore_py.model.remote_use import BaseUsed, FileUsed

from .commits import tree_in
from .document import Block
from .state import LockState

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from commodore_py.adapters.kustomize import RemoteBase
    from commodore_py.config import Config

    from .document import Lock, Path
    from .state import LockSettings

_PATIENCE = 600.0  # seconds, for other workers to fetch theirs


def path_of(base: GitBase) -> Path:
    """The block of a base."""
    return "base", f"{without_secrets(base.repository)}@{base.ref}"


@contextmanager
def provided_bases(
    config: Config, lock: Lock, settings: LockSettings, bases: Iterable[RemoteBase]
) -> Iterator[Mapping[str, str]]:
    """Variables with which kustomize finds these bases, and theirs, at locked commits."""
    with tempfile.TemporaryDirectory(prefix="commodore-bases-") as name:
        yield _Provider(config, LockState(lock, settings), Folder(name)).variables(bases)


class _Provider:
    """The repositories of one run of kustomize."""

    def __init__(self, config: Config, state: LockState, scratch: Folder) -> None:
        self._config, self._state, self._settings = config, state, state.settings
        self._scratch = scratch
        self._clones = Clones.of(self._config, borrow=True)
        self._repositories: dict[str, Folder] = {}
        self._commits: dict[Path, str] = {}
        self._provided: set[tuple[Path, str]] = set()

    def variables(self, bases: Iterable[RemoteBase]) -> Mapping[str, str]:
        state = self._config.paths.state
        make_folder(state)
        with locked(state / "bases", what="bases of kustomizations", patience=_PATIENCE):
            self._provide(bases)  # workers share clones
        settings = [("protocol.file.allow", "always"), ("safe.directory", "*")]
        for url, folder in self._repositories.items():
            place = f"url.file://{folder}.insteadOf"
            without = url.removesuffix(".git")
            settings += [(place, without), (place, f"{without}.git")]
        variables = {"GIT_CONFIG_COUNT": str(len(settings)), "GIT_CONFIG_GLOBAL": os.devnull}
        for number, (name, value) in enumerate(settings):
            variables |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
        return variables

    def _provide(self, bases: Iterable[RemoteBase]) -> None:
        waiting = list(bases)
        while waiting:
            remote_base = waiting.pop()
            base = git_base(remote_base.url)
            if base is None:
                self._plain(remote_base)
                continue
            path = path_of(base)
            if path not in self._commits:
                self._commits[path] = self._locked(base, remote_base)
            if (path, base.folder) not in self._provided:
                self._provided.add((path, base.folder))
                waiting += self._bases_of(base, self._commits[path])

    def _plain(self, base: RemoteBase) -> None:
        """Redirect repositories only."""
        url = without_secrets(base.url)
        if self._config.offline:
            raise CommodoreError(
                f"kustomize would fetch {url}",
                where=base.where,
                hint="a file that kustomize fetches by itself is not locked: vendor it",
            )
        run_log.report(FileUsed(url, base.where))

    def _locked(self, base: GitBase, named: RemoteBase) -> str:
        path = path_of(base)
        pin = self._state.pin(path) or Block({})
        pinned = pin.text("commit")
        complete = is_commit(pinned) and is_commit(pin.text("tree"))
        if self._settings.frozen and not complete:
            why = self._state.why_not_pinned(path)
            raise self._state.refusal(f"base {path[1]}", why, named.where)
        remote = Remote(base.repository, "")
        try:
            commit = self._clones.commit(remote, pinned or base.ref)
        except CommodoreError as error:
            error.where = f"{named.where}\n{error.where}".strip()
            error.add_note(f"while fetching base {path[1]}")
            raise
        clone = self._clones.path(remote)
        tree = tree_in(clone, commit)
        if self._settings.frozen and tree != pin.text("tree"):
            why = "its pin is incomplete: the tree is another one"
            raise self._state.refusal(f"base {path[1]}", why, named.where)
        values = (("version", base.ref), ("commit", commit), ("tree", tree))
        run_log.report(BaseUsed(path[1], tuple(value for value in values if value[1])))
        self._serve(base, clone, commit)
        return commit

    def _serve(self, base: GitBase, clone: Folder, commit: str) -> None:
        """A repository in which the requested version is the locked commit."""
        folder = self._repositories.get(base.repository)
        if folder is None:
            folder = self._scratch / f"{len(self._repositories)}.git"
            self._repositories[base.repository] = folder
            shared = ("--bare", "--shared", "--no-tags")
            git(self._scratch, "clone", "--quiet", *shared, str(clone.resolve()), folder.name)
            git(folder, "symbolic-ref", "HEAD", "refs/heads/locked")
            git(folder, "config", "uploadpack.allowAnySHA1InWant", "true")
        name = f"refs/tags/{base.ref}" if base.ref else "refs/heads/locked"
        git(folder, "update-ref", name, commit)

    def _bases_of(self, base: GitBase, commit: str) -> tuple[RemoteBase, ...]:
        """Bases of the kustomization in a repository."""
        with tempfile.TemporaryDirectory(dir=self._scratch) as name:
            top = Folder(name).resolve()
            clone = self._clones.path(Remote(base.repository, ""))
            env = {"GIT_INDEX_FILE": str(top / ".index")}
            git(clone, f"--work-tree={top}", "checkout", "--quiet", commit, "--", ".", env=env)
            folder = (top / base.folder).resolve()
            if not folder.is_relative_to(top) or not folder.is_dir():
                return ()
            return read_kustomizations(folder).remote_bases
