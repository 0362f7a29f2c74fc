"""A cluster with inputs of every kind."""

from __future__ import annotations

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
def cluster(tmp_path: Path, web: Web, monkeypatch: pytest.MonkeyPatch) -> LockedCluster:
    """A cluster, its inputs, and no lock yet."""
    return LockedCluster.make(tmp_path, web, monkeypatch)
