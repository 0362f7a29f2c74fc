"""A run with a lock: what is requested becomes what is locked, before anything is fetched."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path as Folder
from typing import TYPE_CHECKING, final

from commodore_py import __version__
from commodore_py.adapters import git_urls
from commodore_py.adapters.git.repository import is_repository, remote_settings
from commodore_py.errors import CommodoreError, UsageError
from commodore_py.model.published import LockUse
from commodore_py.model.remote_use import BaseUsed, FileUsed, ToolUsed

from .bases import provided_bases
from .document import KEYS, Block, Lock
from .downloads import DownloadInputs
from .facts import KINDS, locked_cluster, refuse_other_cluster
from .file import LockFile, check_writable
from .git_inputs import GitInputs
from .git_pins import with_equal_requests
from .libraries import LibraryInputs
from .place import file_of, short_name
from .state import LockSettings, LockState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from commodore_py.adapters.kustomize import RemoteBase
    from commodore_py.config import Config
    from commodore_py.dependencies.downloads.fetch import Fetcher, FetchOne
    from commodore_py.dependencies.jsonnet.jsonnetfile import Remote, Requirement
    from commodore_py.dependencies.jsonnet.resolve import FetchAll, Resolution
    from commodore_py.model.catalog import BundleUse
    from commodore_py.model.cluster import Cluster
    from commodore_py.model.dependency import Fetch
    from commodore_py.model.problem import Problem
    from commodore_py.model.spot import Places
    from commodore_py.run_log import Events

    from .document import Path

_JSONNET = "gojsonnet"


@final
class LockedRun:
    """The inputs of one run; `finish` writes what it found."""

    bundle: BundleUse | None = None
    """The bundle of the cluster, once it is known: only recorded."""

    def __init__(
        self,
        file: LockFile,
        settings: LockSettings,
        *,
        write: bool = True,
        local: bool = False,
    ) -> None:
        self.file = file
        self._local = local
        self._rendered = False
        self._write = write
        settings = replace(settings, renewed=with_equal_requests(file.lock, settings.renewed))
        self.state = LockState(file.lock, settings)
        self._note_tool("commodore", __version__)
        self._note_tool("jsonnet", _jsonnet_version())
        self._git: GitInputs | None = None

    @classmethod
    def open(cls, config: Config, cluster_id: str) -> LockedRun:
        """The lock that the settings name; refuses what cannot end well."""
        place = file_of(config.lock_file or Folder(), cluster_id)
        named, file = short_name(place), LockFile.read(place)
        frozen = config.frozen or config.offline
        refuse_other_cluster(file.lock, cluster_id, named)
        _refuse_overrides(config, file.lock, frozen=frozen)
        if not file.exists and frozen:
            raise NoLockFile.missing(named)
        writes = not (frozen or config.local or config.dry_run)
        if writes:
            check_writable(file.file, config.paths)
        settings = LockSettings(named, frozen=frozen, offline=config.offline)
        return cls(file, settings, write=writes, local=config.local)

    def cluster(self, cluster_id: str, load: Callable[[], Cluster]) -> Cluster:
        """The cluster of the run; in local mode, that of the last compile."""
        if self._local:
            for kind in KINDS:
                self.state.keep((kind,))
            return load()
        cluster = locked_cluster(self.state, cluster_id, load)
        tenant = self.state.lock.blocks.get(("config", "tenant"))
        # A lock in the tenant's repository cannot hold the commit that it is part of.
        if tenant is None and self._is_part_of(cluster.tenant_repo.url):
            values = {"url": git_urls.normalise(cluster.tenant_repo.url)}
            values["requested"] = cluster.tenant_repo.revision or ""
            block = Block({**values, "pinned": False})
            blocks = {**self.state.lock.blocks, ("config", "tenant"): block}
            self.state.lock = replace(self.state.lock, blocks=blocks)
        return cluster

    def fetching(self, config: Config, fetch: Fetch) -> Fetch:
        """A function that fetches what is locked."""
        self._git = GitInputs(config, self.state, fetch)
        return self._git

    def refuse_requests(self, places: Places) -> None:
        """End a frozen run whose requests are not locked, once all of them are known."""
        if self._git is not None:
            self._git.refuse(places)

    def resolve_libraries(
        self,
        direct: Sequence[Requirement],
        fetch: FetchAll,
        clone_of: Callable[[Remote], Folder],
    ) -> Resolution:
        """Resolve libraries by what is locked of them."""
        return LibraryInputs(self.state, fetch, clone_of).resolve(direct)

    def downloads(self, fetcher: Fetcher) -> FetchOne:
        """How downloads are fetched."""
        return DownloadInputs(self.state, fetcher).fetch

    def provide_bases(
        self, config: Config
    ) -> Callable[[Iterable[RemoteBase]], AbstractContextManager[Mapping[str, str]]]:
        """How kustomize gets what its kustomizations are built on; this is handed to workers."""
        return partial(provided_bases, config, self.state.lock, self.state.settings)

    def note_rendered(self, events: Events) -> None:
        """Note the bases and tools that were used while rendering: only then they are known."""
        self._rendered = True
        for tool in events.of(ToolUsed):
            self._note_tool(tool.name, tool.version)
        for used in events.of(BaseUsed):
            self.state.record(("base", used.name), dict(used.values))
        for file in dict.fromkeys(events.of(FileUsed)):
            text = f"kustomize fetches {file.url} by itself: it is not locked"
            self.state.notice(text, file.where, strict=True)

    def _note_tool(self, name: str, tool_version: str) -> None:
        before = self.state.lock.blocks.get(("tool", name), Block({}))
        self.state.recorded["tool", name] = before.with_values(version=tool_version)

    @property
    def notices(self) -> tuple[Problem, ...]:
        """Notices for the user."""
        return tuple(self.state.notices)

    @property
    def findings(self) -> Mapping[Path, Block]:
        """Inputs of the run so far, for others that share its lock."""
        return dict(self.state.recorded)

    def take(self, findings: Mapping[Path, Block]) -> None:
        """Take what others found for its own, once all of them have rendered."""
        self._rendered = True
        self.state.recorded |= findings

    def result(self) -> Lock:
        """The lock as this run leaves it: what it found, and what it does not know."""
        lock, recorded = self.state.lock, self.state.recorded
        tools = {path: block for path, block in recorded.items() if path[0] == "tool"}
        blocks = {path: block for path, block in recorded.items() if path not in tools}
        for path, block in lock.blocks.items():
            unknown = path[0] == "base" and not self._rendered
            if path[0] not in KEYS or path[0] in ("bundle", "tool") or unknown:
                blocks.setdefault(path, block)
        blocks = {path: block for path, block in blocks.items() if block.values}
        kept = replace(lock, blocks=blocks)
        if kept.content() != self.file.lock.content():
            # Versions of tools are only recorded: they alone cause no write.
            blocks |= tools
            blocks |= self._recorded_bundle(blocks.pop(("bundle",), Block({})))
        return replace(lock, blocks=blocks)

    def _recorded_bundle(self, before: Block) -> dict[Path, Block]:
        if self._local:
            return {("bundle",): before} if before.values else {}
        if self.bundle is None:
            return {}
        named = self.bundle.class_name.rpartition(".")[2]
        values = {"version": self.bundle.version, "class": named, "alias": self.bundle.alias}
        return {("bundle",): before.with_values(**values)}

    def finish(self) -> LockUse:
        """Write what changed, once everything is rendered; a frozen run must change nothing."""
        before, after = self.file.lock, self.result()
        changes = changes_between(before, after)
        self._warn_of_tools()
        file, written = str(self.file.file), False
        if self.state.settings.frozen or not self._write:
            for name in changes.removed:
                self.state.notice(f"{name} is locked, and nothing requests it", file)
        else:
            written = self.file.write(after)
        tenant = after.blocks.get(("config", "tenant"), Block({}))
        if written and tenant.text("commit") and self._is_part_of(tenant.text("url")):
            self.state.notice(
                "the lock pins the commit of the repository that it is part of: it is always a"
                " commit behind",
                file,
            )
        return changes._replace(file=file, written=written, drift=tuple(self.state.drift))

    def _warn_of_tools(self) -> None:
        for path, block in self.state.recorded.items():
            before = self.file.lock.blocks.get(path)
            if path[0] != "tool" or before is None:
                continue
            locked, used = before.text("version"), block.text("version")
            if locked not in ("", used):
                text = f"{path[1]} {used} compiles what was locked with {locked}"
                self.state.notice(text, severity="warning")

    def _is_part_of(self, repository: str) -> bool:
        """Return whether the file is in a clone of a repository."""
        folder = self.file.file.absolute().parent
        for parent in (folder, *folder.parents):
            if (parent / ".git").exists() and is_repository(parent):
                url = remote_settings(parent).get("url", "")
                try:
                    same = git_urls.dependency_key(url) == git_urls.dependency_key(repository)
                except CommodoreError:
                    return False
                return bool(url) and same
        return False


class NoLockFile(CommodoreError):
    """A lock file that must be there is not."""

    exit_code = 6

    @classmethod
    def missing(
        cls, name: str, hint: str = "commodore lock create CLUSTER --lock FILE"
    ) -> NoLockFile:
        """The error with the name of the file."""
        return cls(
            "there is no lock file, and --frozen changes nothing",
            where=name,
            hint=hint,
        )


def changes_between(before: Lock, after: Lock) -> LockUse:
    """Which blocks differ; the bundle and tools are only recorded."""
    old, new = (
        {
            "/".join(path): values
            for path, values in lock.content().items()
            if path[0] not in ("bundle", "tool")
        }
        for lock in (before, after)
    )
    return LockUse(
        added=tuple(sorted(new.keys() - old.keys())),
        changed=tuple(sorted(key for key in old.keys() & new.keys() if old[key] != new[key])),
        removed=tuple(sorted(old.keys() - new.keys())),
    )


def _refuse_overrides(config: Config, lock: Lock, *, frozen: bool) -> None:
    tenant = lock.blocks.get(("config", "tenant"))
    loose = tenant is not None and tenant.values.get("pinned") is False
    if frozen and (config.global_revision or (config.tenant_revision and not loose)):
        raise UsageError(
            "--frozen and an overridden revision of a configuration cannot be combined",
            hint="omit the override, or lock the revision that it names",
        )


def _jsonnet_version() -> str:
    try:
        return version(_JSONNET)
    except PackageNotFoundError:
        return ""
