"""Compare a lock with servers: moved, gone, yanked, changed, withdrawn and others."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path as Folder
from typing import TYPE_CHECKING, Literal

from commodore_py.adapters import git_urls
from commodore_py.adapters.git.program import git, succeeds
from commodore_py.adapters.git.refs import BRANCHES, TAGS
from commodore_py.adapters.process import ProgramFailed
from commodore_py.adapters.workers import in_parallel
from commodore_py.dependencies.bare_repositories import make_bare
from commodore_py.dependencies.bundles.index import FILE, parse
from commodore_py.dependencies.downloads.artifacts import fetch_artifact
from commodore_py.dependencies.downloads.charts import Charts
from commodore_py.dependencies.downloads.store import FetchSettings, Store
from commodore_py.dependencies.downloads.web_files import fetch_file
from commodore_py.dependencies.git.remotes import list_refs
from commodore_py.dependencies.git.revisions import is_commit
from commodore_py.dependencies.lock.document import Block
from commodore_py.dependencies.lock.downloads import sha256_in
from commodore_py.errors import CommodoreError
from commodore_py.model.download import Artifact, Chart

from .names import inputs_of, name_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.config import Config
    from commodore_py.dependencies.lock.document import Lock, Path

_PARALLEL = 8
_BUNDLE = ("bundle",)
State = Literal["same", "behind", "moved", "gone", "yanked", "changed", "withdrawn", "unknown"]
BAD = ("moved", "gone", "yanked", "changed", "withdrawn")


@dataclass(frozen=True, slots=True)
class Finding:
    """State of one input."""

    name: str
    state: State
    details: str = ""


def check_lock(config: Config, lock: Lock) -> tuple[Finding, ...]:
    """Compare all inputs with what their servers have now."""
    with tempfile.TemporaryDirectory(prefix="commodore-lock-check-") as scratch:
        checking = _Checking(config, lock, Folder(scratch))
        recorded = {path: block for path, block in lock.blocks.items() if path == _BUNDLE}
        inputs = sorted((inputs_of(lock) | recorded).items())
        findings = in_parallel(checking.check, inputs, at_most=_PARALLEL)
        return tuple(finding for finding in findings if finding is not None)


class _Checking:
    def __init__(self, config: Config, lock: Lock, scratch: Folder) -> None:
        self._lock, self._scratch = lock, scratch
        # A store of its own: what is cached says nothing about servers.
        self._settings = FetchSettings(
            Store(scratch / "downloads"),
            refresh=True,
            offline=False,
            timeout=config.request_timeout,
        )
        self._charts = Charts(self._settings)

    def check(self, named_block: tuple[Path, Block]) -> Finding | None:
        path, block = named_block
        try:
            state, details = self._state(path, block)
        except (CommodoreError, OSError) as error:
            state, details = "unknown", str(error)
        return Finding(name_of(path), state, details)

    def _state(self, path: Path, block: Block) -> tuple[State, str]:
        kind = path[0]
        if kind == "bundle":
            return self._of_bundle(block.text("version"))
        if kind == "chart":
            return self._of_chart(path[1], block)
        if kind in ("file", "artifact"):
            return self._of_download(path, block)
        if kind in ("repository", "base"):
            url, _, requested = path[1].rpartition("@")
            return self._of_repository(url, requested, block)
        if block.text("commit"):
            return self._of_repository(block.text("url"), block.text("requested"), block)
        return "same", ""

    def _of_download(self, path: Path, block: Block) -> tuple[State, str]:
        if path[0] == "file":
            sha256 = fetch_file(path[1], self._settings).sha256
            return _same_if(sha256 == sha256_in(block), "changed", f"its SHA-256 is {sha256}")
        digest = fetch_artifact(Artifact(path[1]), self._settings).about.get("digest", "")
        return _same_if(digest == block.text("digest"), "moved", f"its digest is {digest}")

    def _of_repository(self, url: str, requested: str, block: Block) -> tuple[State, str]:
        commit = block.text("commit")
        refs = list_refs(url)
        if is_commit(requested):
            is_present = commit in refs.commits.values() or self._has(url, commit)
            return _same_if(is_present, "gone", commit)
        name = requested or refs.default_branch
        branch, tag = refs.commits.get(BRANCHES + name), refs.commits.get(TAGS + name)
        if tag is not None:
            return _same_if(tag == commit, "moved", f"tag {name} is at {tag[:12]}")
        if branch is None:
            is_present = self._has(url, commit)
            return ("same", "") if is_present else ("gone", f"{name} and {commit[:12]}")
        if branch == commit:
            return "same", ""
        if self._has(url, commit, branch=name):
            return "behind", f"branch {name} is at {branch[:12]}"
        return "gone", f"branch {name} was replaced and is at {branch[:12]}"

    def _has(self, url: str, commit: str, *, branch: str = "") -> bool:
        """Return whether a remote has a commit, on a branch if one is named."""
        with self._cloned(url) as clone:
            starts = (f"{BRANCHES}{branch}",) if branch else ("--all",)
            try:
                listed = git(clone, "rev-list", *starts)
            except ProgramFailed:
                return False
            return succeeds(clone, "cat-file", "-e", commit) and commit in listed.split()

    @contextmanager
    def _cloned(self, url: str) -> Iterator[Folder]:
        with tempfile.TemporaryDirectory(dir=self._scratch) as name:
            clone = Folder(name) / "clone"
            make_bare(clone, git_urls.normalise(url))
            yield clone

    def _of_bundle(self, version: str) -> tuple[State, str]:
        """The newest index: that of the branch, or else of the default branch."""
        configuration = self._lock.blocks.get(("config", "global"), Block({}))
        url, requested = configuration.text("url"), configuration.text("requested")
        refs = list_refs(url)
        branch = requested if BRANCHES + requested in refs.commits else refs.default_branch
        with self._cloned(url) as clone:
            text = git(clone, "show", f"{BRANCHES}{branch}:{FILE}")
        entry = parse(text.encode(), FILE).entry(version)
        if entry is None:
            return "gone", f"{version} is not in the index of bundles"
        if entry.withdrawn is None:
            return "same", ""
        reason, instead = entry.withdrawn
        return "withdrawn", f"{version}: {reason}{f'; use {instead} instead' if instead else ''}"

    def _of_chart(self, name: str, block: Block) -> tuple[State, str]:
        place, _, requested = name.rpartition("@")
        repository, chart = place, place.rpartition("/")[2]
        if not place.startswith("oci://"):
            repository = place.rpartition("/")[0]
        version = block.text("version")
        nothing = "no-helm-program"  # what another program finds is not what this one would
        try:
            stored = self._charts.fetch(Chart(repository, chart, version, nothing))
        except CommodoreError as error:
            if "there is no version" in str(error) or "there is no chart" in str(error):
                return "yanked", str(error)
            raise
        if stored.sha256 != sha256_in(block):
            return "changed", f"its SHA-256 is {stored.sha256}"
        newest = self._charts.fetch(Chart(repository, chart, requested, nothing))
        now = newest.about.get("version", version)
        return _same_if(now == version, "behind", f"{now} is there")


def _same_if(same: bool, otherwise: State, details: str) -> tuple[State, str]:  # noqa: FBT001 - read as one sentence
    return ("same", "") if same else (otherwise, details)
