"""Random histories of moving remotes: frozen compiles equal to the byte the one that was locked.

Everything that a cluster is made of moves: branches, tags, libraries, charts, archives, facts, and
what the tenant requests. Run it as `python -m tests.stateful.locks --minutes 30 --jobs 2 --seed N`;
`--only SEED:NUMBER` runs one sequence.
"""

from __future__ import annotations

import hashlib
import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import pytest
import yaml

from commodore_py.config import WorkPaths
from commodore_py.errors import CommodoreError
from commodore_py.pipeline import compile_catalog
from commodore_py.workflows.lock import resolve
from commodore_py.workflows.lock.names import name_of
from tests.support.builders import commit_to, errors_in, git
from tests.support.fleet import CLUSTER, TENANT
from tests.support.scenarios.locked import LockedCluster, files_below, tag
from tests.support.servers.charts import chart_repository, tar_archive
from tests.support.servers.web import Page, serve

from .scene import demand
from .sequences import Game, Step, main

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from commodore_py.config import Config

_Item = TypeVar("_Item")

_REPOSITORIES = ("component-app", "component-web", "global", "tenant", "library", "r")
_KEPT = ("cluster", "tool")
_DEPLOYED = (("app", "web"), ("web",), ("app",), ("app", "web", "web as other"))
_VERSIONS = ("master", "v1", "next", "SHORT", "FULL")
_OUTPUTS = ("compiled", "catalog/manifests", "catalog/refs")
_EMPTIED = ("elsewhere", "cache-elsewhere", "git-elsewhere")
_REFUSED, _EMPTY = "(refused)", "(without caches)"


class Play:
    """The rules; each takes three numbers, and says whether there was anything to do."""

    def __init__(self, cluster: LockedCluster) -> None:
        self._cluster = cluster
        self._count = 0
        self._archives = [self._served()]
        self._charts: dict[tuple[str, str], bytes] = {}
        self._wanted: dict[str, Any] = {"deployed": _DEPLOYED[0], "version": "master", "other": ""}
        self._expected: dict[str, str] = {}
        self._tenant = ""
        """The tenant's commit when the lock was written."""
        self.seen: list[str] = []
        for name in _REPOSITORIES:
            git(self._repository(name), "config", "uploadpack.allowAnySHA1InWant", "true")
        self._component("1")
        tag(self._repository("component-web"), "v1", "HEAD")
        git(self._repository("component-web"), "branch", "next")
        self._put_chart("1.0.0")
        self.ask(0, 0, 0)

    # What others do

    def push(self, a: int, b: int, _c: int) -> bool:
        """Somebody pushes to a branch."""
        what = _one(("library", "repository", "component", "next", "class"), a)
        content = self._content()
        match what:
            case "component":
                self._component(content)
            case "next":
                self._component(content, "next")
            case "class":
                self._configure_global(b % 3)
            case _:
                self._cluster.move(what, content)
        return True

    def force_push(self, a: int, _b: int, _c: int) -> bool:
        """A branch gets another history with the same files; old commits have no branch."""
        repository = self._repository(_one(_REPOSITORIES, a))
        tree = git(repository, "rev-parse", "HEAD^{tree}")
        commit = git(repository, "commit-tree", tree, "-m", f"another history {self._content()}")
        git(repository, "update-ref", "refs/heads/master", commit)
        return True

    def move_tag(self, _a: int, _b: int, _c: int) -> bool:
        """Somebody gives the tag to the newest commit."""
        tag(self._repository("component-web"), "v1", "master")
        return True

    def release(self, _a: int, b: int, _c: int) -> bool:
        """The chart has a new version; the old ones stay."""
        self._put_chart(f"1.{b % 4}.{self._content()}")
        return True

    def replace_archive(self, a: int, _b: int, _c: int) -> bool:
        """Other bytes under the same URL, or earlier ones again."""
        if a % 2:
            self._cluster.put_file(self._content())
            self._archives.append(self._served())
        else:
            earlier = _one(self._archives, a // 2)
            self._cluster.web.put("/a.tgz", earlier, content_type="application/gzip")
        return True

    def change_facts(self, a: int, _b: int, _c: int) -> bool:
        """The API has other facts."""
        file = self._cluster.fleet.root / "facts/clusters" / f"{CLUSTER}.yaml"
        found = yaml.safe_load(file.read_text())
        found["facts"]["cloud"] = f"cloud-{a % 5}"
        file.write_text(yaml.safe_dump(found))
        return True

    def ask(self, a: int, b: int, c: int) -> bool:
        """The tenant requests other components, or other versions of them."""
        commits = {"FULL": self._commit(), "SHORT": self._commit()[:9]}
        version, other = _one(_VERSIONS, b), _one(("", *_VERSIONS[:3]), c)
        components = {"web": {"version": commits.get(version, version)}}
        if other:
            entry = {"url": f"file://{self._repository('component-web')}", "version": other}
            components["other"] = entry
        self._cluster.configure(
            *_one(_DEPLOYED, a),
            parameters={"components": components, "web": {"data": {"asked": self._content()}}},
        )
        return True

    # What the user does

    def compile(self, a: int, _b: int, _c: int) -> bool:
        """Compile with the lock, which takes up what is new; then the frozen ones follow."""
        self._write_lock(cached=a % 2 == 0)
        return True

    def update(self, a: int, _b: int, _c: int) -> bool:
        """Resolve one input again."""
        names = [name_of(path) for path in self._cluster.lock.blocks if path[0] not in _KEPT]
        if not names:
            return False
        self._update(_one(sorted(names), a))
        self._write_lock()
        return True

    def unpin_tenant(self, _a: int, _b: int, _c: int) -> bool:
        """From now on, the newest configuration of the tenant is used."""
        if self._unpinned or not self._expected:
            return False
        self._cluster.unpin_tenant()
        self._write_lock()
        return True

    def freeze_elsewhere(self, a: int, b: int, _c: int) -> bool:
        """Another working directory, every few times without any cache."""
        if not self._expected:
            return False
        empty = a % 3 != 0
        if empty:
            self._empty()
            self.seen.append(_EMPTY)
        self._frozen("elsewhere", cached=b % 2 == 0)
        return True

    def freeze_here(self, _a: int, b: int, _c: int) -> bool:
        """The same working directory again."""
        if not self._expected:
            return False
        self._frozen("work", cached=b % 2 == 0)
        return True

    def go_offline(self, _a: int, _b: int, _c: int) -> bool:
        """The same working directory without a network, after a run that fetched everything."""
        if not self._expected:
            return False
        if self._frozen("work"):
            self._frozen("work", offline=True)
        return True

    def forget(self, a: int, _b: int, _c: int) -> bool:
        """Delete a folder that a run leaves behind."""
        place = self._cluster.fleet.root / _one(("cache-work", "git-work", "work", "results"), a)
        if not place.exists():
            return False
        shutil.rmtree(place)
        return True

    def _write_lock(self, *, cached: bool = False) -> None:
        config = self._config("work", cached=cached, push=True)
        try:
            self._compiled(config)
        except CommodoreError as error:
            self._expect_changed_archive(error)
            name = next(path for path in self._cluster.lock.blocks if path[0] == "file")
            self._update(name_of(name))  # what the error says
            self._compiled(config)
        self._tenant = git(config.paths.classes / TENANT, "rev-parse", "HEAD")
        self._expected = self._outputs(config.paths)
        text = self._cluster.file.read_text()
        self._compiled(config)
        demand(self._cluster.file.read_text() == text, "a second run writes the lock again")
        self._equal(self._outputs(config.paths), "a second run")

    def _update(self, name: str) -> None:
        config = self._config("work")
        try:
            resolve.update(config, self._cluster.file, (name,), to="", dry_run=False, compare=False)
        except CommodoreError as error:  # another input is the archive that was replaced
            self._expect_changed_archive(error)

    def _frozen(self, folder: str, *, cached: bool = False, **settings: Any) -> bool:  # noqa: ANN401 - Config's
        """Compile without a change of the lock; whether nothing was refused."""
        if self._unpinned:
            settings["tenant_revision"] = self._tenant
        config = self._config(folder, cached=cached, frozen=True, **settings)
        text = self._cluster.file.read_text()
        try:
            self._compiled(config)
        except CommodoreError as error:
            self._expect_changed_archive(error)
            return False
        finally:
            demand(self._cluster.file.read_text() == text, "a frozen run wrote the lock")
        self._equal(self._outputs(config.paths), f"a frozen run in {folder} {settings}")
        return True

    def _compiled(self, config: Config) -> None:
        compile_catalog(config, CLUSTER, lambda _: True)

    def _expect_changed_archive(self, error: CommodoreError) -> None:
        """Only an archive whose server has other bytes now may be refused."""
        problems = [f"{one} {one.where}" for one in errors_in(error)]
        replaced = all("is not what is locked" in one and "/a.tgz" in one for one in problems)
        demand(replaced, "\n".join(problems))
        sums = [one.text("sum") for one in self._cluster.lock.of_kind("file").values()]
        served = hashlib.sha256(self._served()).hexdigest()
        demand(sums != [f"sha256:{served}"], "the archive is what is locked")
        self.seen.append(_REFUSED)

    def _equal(self, found: dict[str, str], who: str) -> None:
        names = [one for one in {**found, **self._expected} if _differs(one, found, self._expected)]
        pairs = [f"{one}: {found.get(one)!r}, not {self._expected.get(one)!r}" for one in names]
        demand(not names, f"{who} differs in\n" + "\n".join(pairs[:5]))

    def _outputs(self, paths: WorkPaths) -> dict[str, str]:
        return {
            f"{name}/{file}": text
            for name in _OUTPUTS
            for file, text in files_below(paths.root / name).items()
        }

    def _config(self, folder: str, *, cached: bool = False, **settings: Any) -> Config:  # noqa: ANN401 - as above
        root = self._cluster.fleet.root
        return self._cluster.fleet.config(
            paths=WorkPaths(root / folder),
            lock_file=self._cluster.file,
            download_cache=root / f"cache-{folder}",
            git_cache=root / f"git-{folder}" if cached else None,
            result_cache=root / "results" if cached else None,
            processes=1,
            **settings,
        )

    def _empty(self) -> None:
        for name in (*_EMPTIED, "results"):
            shutil.rmtree(self._cluster.fleet.root / name, ignore_errors=True)

    @property
    def _unpinned(self) -> bool:
        tenant = self._cluster.lock.blocks.get(("config", "tenant"))
        return tenant is not None and tenant.values.get("pinned") is False

    def _repository(self, name: str) -> Path:
        root = self._cluster.fleet.root
        others = {"library": root / "git.example.com/me/library.git", "r": root / "remotes/r.git"}
        return others.get(name) or self._cluster.fleet.repository(name)

    def _commit(self) -> str:
        return git(self._repository("component-web"), "rev-parse", "HEAD")

    def _served(self) -> bytes:
        page = self._cluster.web.pages["/a.tgz"]
        assert isinstance(page, Page)
        return page.content

    def _content(self) -> str:
        self._count += 1
        return str(self._count)

    def _component(self, content: str, branch: str = "master") -> None:
        metadata = {"multi_instance": True, "multi_version": True}
        values = {"=_metadata": metadata, "data": {"of": content}}
        text = yaml.safe_dump({"parameters": {"web": values}})
        commit_to(self._repository("component-web"), {"class/defaults.yml": text}, branch=branch)

    def _configure_global(self, number: int) -> None:
        """The library, or data of everybody, in the global configuration."""
        text = yaml.safe_dump({"parameters": {"web": {"data": {"all": self._content()}}}})
        classes = ["global.components", "global.more", "${cluster:tenant}.common"]
        if number == 0:
            classes.remove("global.more")
        commit_to(
            self._repository("global"),
            {"more.yml": text, "commodore.yml": yaml.safe_dump({"classes": classes})},
        )

    def _put_chart(self, version: str) -> None:
        about = f"apiVersion: v2\nname: own\nversion: {version}\ndescription: 'of {version}'\n"
        self._charts["own", version] = tar_archive({"own/Chart.yaml": about})
        chart_repository(self._cluster.web, self._charts)


def _differs(name: str, left: dict[str, str], right: dict[str, str]) -> bool:
    return left.get(name) != right.get(name)


def _one(items: Sequence[_Item], number: int) -> _Item:
    return items[number % len(items)]


RULES = tuple(
    name for name, value in vars(Play).items() if not name.startswith("_") and callable(value)
)
COUNTED = (_REFUSED, _EMPTY)


def play(root: Path, steps: Sequence[Step], _template: Path) -> list[str]:
    """Go through a sequence; returns what had something to do, once for each time."""
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir()
    with _cluster_in(root) as cluster:
        scene = Play(cluster)
        done = [rule for rule, *numbers in steps if getattr(scene, rule)(*numbers)]
        return [*done, *scene.seen]


@contextmanager
def _cluster_in(root: Path) -> Iterator[LockedCluster]:
    """A cluster and the servers of its inputs."""
    with serve() as web, pytest.MonkeyPatch.context() as patch:
        yield LockedCluster.make(root, web, patch)


def _prepare(_template: Path) -> None:
    """Nothing is shared: the address of a server is part of what is locked."""


LOCKS = Game(
    rules=RULES,
    prepare=_prepare,
    play=play,
    weights={
        "push": 4.0,
        "replace_archive": 0.3,
        "ask": 2.0,
        "compile": 2.0,
        "update": 1.0,
        "freeze_elsewhere": 3.0,
        "unpin_tenant": 0.3,
        "forget": 0.5,
    },
    length=(4, 12),
    first=(("compile", 0, 0, 0),),
    last=(("freeze_elsewhere", 1, 1, 0), ("freeze_elsewhere", 0, 0, 0)),
)

if __name__ == "__main__":
    main(LOCKS, __doc__)
