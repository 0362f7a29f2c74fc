"""Caches that others may have written to: not used, and reported with what to do."""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING

import pytest

from commodore_py.config import WorkPaths
from tests.support.builders import git
from tests.support.scenarios.dependencies import Workspace, component
from tests.support.servers.charts import chart_archive, chart_repository
from tests.support.servers.web import serve

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support.scenarios.downloads import Downloads

ANOTHER_USER = 65534


def writable_by_all(folder: Path) -> None:
    folder.chmod(0o777)


def writable_by_the_group(folder: Path) -> None:
    folder.chmod(0o770)


def of_another_user(folder: Path) -> None:
    if os.geteuid():
        pytest.skip("only root can give files away")
    for path in (folder, *folder.rglob("*")):
        os.lchown(path, ANOTHER_USER, ANOTHER_USER)


def only_the_folder_of_another_user(folder: Path) -> None:
    if os.geteuid():
        pytest.skip("only root can give files away")
    os.chown(folder, ANOTHER_USER, -1)


FOREIGN = [
    writable_by_all,
    writable_by_the_group,
    of_another_user,
    only_the_folder_of_another_user,
]


def warnings_in(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [one.getMessage() for one in caplog.records if one.levelno >= logging.WARNING]


@pytest.mark.parametrize("make_foreign", FOREIGN)
def test_foreign_git_cache_is_unused_with_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, make_foreign: Callable[[Path], None]
) -> None:
    workspace, cache = Workspace(tmp_path), tmp_path / "cache/git"
    spec = component(workspace.repository("foo"))
    workspace.fetch(spec, git_cache=cache)
    head = next(cache.rglob("HEAD"))
    head.write_text("damaged")
    make_foreign(cache)

    for work in ("two", "three"):
        (got,) = workspace.fetch(spec, paths=WorkPaths(tmp_path / work), git_cache=cache)
        assert got.commit == git(workspace.root / "remotes/foo.git", "rev-parse", "master")

    assert head.read_text() == "damaged"
    (warning,) = warnings_in(caplog)
    assert warning.startswith("the cache of Git objects is not used: ")
    (record,) = [one for one in caplog.records if one.levelno >= logging.WARNING]
    assert vars(record)["where"] == str(cache)
    assert "remove it" in vars(record)["hint"]


def test_mirror_of_another_user_is_removed(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    if os.geteuid():
        pytest.skip("only root can give files away")
    workspace, cache = Workspace(tmp_path), tmp_path / "cache/git"
    spec = component(workspace.repository("foo"))
    workspace.fetch(spec, git_cache=cache)
    os.chown(next(cache.rglob("HEAD")).parent, ANOTHER_USER, -1)

    workspace.fetch(spec, paths=WorkPaths(tmp_path / "two"), git_cache=cache)

    (warning,) = warnings_in(caplog)
    assert "is damaged, and removed" in warning


@pytest.mark.parametrize("make_foreign", FOREIGN)
@pytest.mark.parametrize("inside", ["", "known", "content"])
@pytest.mark.sample(3)
def test_foreign_download_cache_is_unused_with_warning(
    downloads: Downloads,
    caplog: pytest.LogCaptureFixture,
    make_foreign: Callable[[Path], None],
    inside: str,
) -> None:
    with serve() as web:
        source = chart_repository(web, {("own", "1.0.0"): chart_archive("own", "1.0.0")})
        downloads.fetch(downloads.chart(source, "1.0.0"))
        good = downloads.files("chart")
        cache = downloads.root / "cache"
        web.answers()
        make_foreign(cache / inside)

        downloads.fetch(downloads.chart(source, "1.0.0"))

        assert downloads.files("chart") == good
        assert "/charts/files/own-1.0.0.tgz" in [path for path, _ in web.answers()]
    (warning,) = warnings_in(caplog)
    assert warning.startswith("the cache of downloads is not used: ")
