"""A working directory and what must hold after each compile in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.config import Config, WorkPaths
from commodore_py.dependencies.protection.local_work import LocalWork
from commodore_py.dependencies.protection.run_lock import exclusive_run
from commodore_py.errors import CommodoreError
from commodore_py.pipeline import gather
from tests.support.builders import errors_in, git

from .belongings import Belongings, Holding
from .remotes import CLUSTER, SOURCES, TENANT, Remotes

if TYPE_CHECKING:
    from pathlib import Path

_CONFIGURATION = ("global", "tenant")


class Broken(AssertionError):
    """A property does not hold."""


class Scene:
    """What the user has, what is wanted, and compiles that are watched."""

    def __init__(self, root: Path) -> None:
        self.remotes = Remotes(root)
        self.work = root / "work"
        self.user = Belongings()
        self.touched: set[str] = set()
        """What the user changed since the last compile that went well."""

    def _compile(self, *, force: bool) -> None:
        missing = [name for name in SOURCES if self.remotes.commit_of(name) is None]
        before = Holding.of(self.work)
        error = self._run(force=force)
        after = Holding.of(self.work)
        self._nothing_lost(before, after)
        if error is None:
            if not force:
                self._files_stayed(before, after)
            self._is_as_wanted(after)
            self.touched.clear()
            return
        if not force:
            # A configuration may have been switched before: what it had is in a commit, as before.
            committed = before.objects & after.objects
            for path, content in before.files.items():
                if content in self.user.contents - committed:
                    demand(after.files.get(path) == content, f"a refused compile changed {path}")
        missing = missing or self.remotes.incomplete()
        for one in errors_in(error):
            if isinstance(one, LocalWork):
                demand(not force, f"refused although forced: {one}")
                self._is_justified(one, after)
            else:
                demand(bool(missing), f"failed for no reason: {one!r}, {one.where}")

    def _run(self, *, force: bool = False, local: bool = False) -> CommodoreError | None:
        config = Config(
            paths=WorkPaths(self.work),
            api_url=str(self.remotes.root / "facts"),
            force=force,
            local=local,
        )
        self.work.mkdir(exist_ok=True)
        try:
            with exclusive_run(config.paths):
                gather(config, CLUSTER)
        except CommodoreError as error:
            return error
        return None

    # Properties

    def _nothing_lost(self, before: Holding, after: Holding) -> None:
        lost = self.user.among(before) - after.everything() - self.remotes.ever
        names = [path for path, content in before.files.items() if content in lost]
        demand(not lost, f"lost {sorted(lost)}, of files {names}")

    def _files_stayed(self, before: Holding, after: Holding) -> None:
        aside = set(self._put_aside(after))
        # What was committed in the catalog makes room for what is compiled, and is kept.
        aside |= {
            content
            for path, content in before.files.items()
            if path.startswith("catalog/") and content in after.objects
        }
        for path, content in before.files.items():
            if content in self.user.contents - self.remotes.ever and content not in aside:
                stayed = after.files.get(path) == content
                demand(stayed, f"a compile without --force took {path} away")

    def _is_as_wanted(self, after: Holding) -> None:
        for name in SOURCES:
            place, commit = self._place(name), self.remotes.commit_of(name)
            if commit is None:
                continue
            head = git(place, "rev-parse", "HEAD")
            demand(head == commit, f"{name} is at {head}, not at {commit}")
            prefix = f"{place.relative_to(self.work)}/"
            there = {
                path.removeprefix(prefix): content
                for path, content in after.files.items()
                if path.startswith(prefix)
            }
            for line in git(place, "ls-tree", "-r", "HEAD").splitlines():
                about, _, path = line.partition("\t")
                demand(there.pop(path, "") == about.split()[2], f"{name}: {path} is not as wanted")
            for path, content in there.items():
                demand(content in self.user.contents, f"{name}: nobody wrote {path}")
                allowed = name not in _CONFIGURATION or path.endswith(".log")
                demand(allowed, f"{name}: a fresh clone has no {path}")
            changes = git(place, "status", "--porcelain", "--untracked-files=no")
            demand(not changes, f"{name}: Git sees changes: {changes}")

    def _is_justified(self, error: CommodoreError, after: Holding) -> None:
        for name in SOURCES:
            place = self._place(name)
            if error.where == str(place):
                prefix = f"{place.relative_to(self.work)}/"
                own = any(
                    content in self.user.contents
                    for path, content in after.files.items()
                    if path.startswith(prefix)
                )
                demand(own or name in self.touched, f"refused for no reason: {error}")
                return
        raise Broken(f"refused, but where? {error.where}: {error}")

    # Helpers

    def _place(self, name: str) -> Path:
        match name:
            case "global":
                return self.work / "inventory/classes/global"
            case "tenant":
                return self.work / "inventory/classes" / TENANT
            case "catalog":
                return self.work / "catalog"
            case "pack":
                return self.work / "dependencies/pkg.pack"
        return self.work / "dependencies" / name

    def _in_checkouts(self, files: dict[str, str]) -> dict[str, str]:
        places = tuple(f"{self._place(name).relative_to(self.work)}/" for name in SOURCES)
        return {path: content for path, content in files.items() if path.startswith(places)}

    @staticmethod
    def _put_aside(holding: Holding) -> list[str]:
        return [content for path, content in holding.files.items() if "/.put-aside/" in path]


def demand(holds: bool, message: str) -> None:
    """See that something holds."""
    if not holds:
        raise Broken(message)
