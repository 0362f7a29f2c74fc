"""A cluster with inputs of every kind."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from tests.support.scenarios.locked import LockedCluster
from tests.support.servers.web import serve

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.servers.web import Web


@pytest.fixture
def web() -> Iterator[Web]:
    """A web server."""
    with serve() as server:
        yield server


@pytest.fixture
def new_cluster(tmp_path: Path, web: Web, monkeypatch: pytest.MonkeyPatch) -> LockedCluster:
    """A cluster, its inputs, and no lock yet."""
    return LockedCluster.make(tmp_path, web, monkeypatch)


@pytest.fixture
def cluster(new_cluster: LockedCluster) -> LockedCluster:
    """The same, unless the tests of a file need no new one."""
    return new_cluster


@dataclass
class Snapshot:
    """A cluster after its first compile, to be put back where it was made.

    Git keeps absolute paths, so that it can be used in that place only.
    """

    place: Path
    web: Web

    def restore(self, monkeypatch: pytest.MonkeyPatch) -> LockedCluster:
        """The cluster as it was after its first compile."""
        copy = self.place.with_name("copy")
        monkeypatch.setenv("XDG_CACHE_HOME", str(self.place / "user-cache"))
        if not copy.exists():
            self.place.mkdir()
            cluster = LockedCluster.make(self.place, self.web, monkeypatch)
            cluster.compile()
            shutil.copytree(self.place, copy, symlinks=True)
            self._pages = dict(self.web.pages)
            return cluster
        shutil.rmtree(self.place)
        shutil.copytree(copy, self.place, symlinks=True)
        self.web.pages = dict(self._pages)
        self.web.received.clear()
        return LockedCluster.opened(self.place, self.web, monkeypatch)


@pytest.fixture(scope="package")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Snapshot]:
    """The cluster that was compiled once."""
    with serve() as server:
        yield Snapshot(tmp_path_factory.mktemp("locked") / "place", server)


@pytest.fixture
def compiled(snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch) -> LockedCluster:
    """A cluster, its inputs, and the lock that its first compile wrote."""
    return snapshot.restore(monkeypatch)
