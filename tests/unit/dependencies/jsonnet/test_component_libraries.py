"""Libraries for one compile: the same content as ever, but of the remotes only what is wanted."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from commodore_py.dependencies.jsonnet.component_libraries import PartialClones
from commodore_py.dependencies.jsonnet.install import install
from commodore_py.errors import CommodoreError
from tests.support.authoring import files_below
from tests.support.builders import commit_to, git

from .test_install import HOST, Work, of

if TYPE_CHECKING:
    from pathlib import Path

FILES = {
    "lib/x.libsonnet": "{}",
    "lib/deep/y": "y",
    "lib/odd name": "odd",
    "other/large": "not wanted",
    ".gitattributes": "lib/deep/* export-ignore\n",
}


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Work:
    return Work(tmp_path, monkeypatch)


def install_files_only(work: Work, *, strict: bool = False) -> None:
    """Like a component by itself: with clones that are new each time."""
    shutil.rmtree(work.clones, ignore_errors=True)
    work.clones.mkdir(parents=True)
    install(work.root, PartialClones(work.clones), strict=strict)


def a_library(work: Work, host: str, *, knows_filters: bool) -> Path:
    remote = work.repository("org/x", FILES, host)
    git(remote, "config", "uploadpack.allowFilter", str(knows_filters).lower())
    git(remote, "config", "uploadpack.allowAnySHA1InWant", str(knows_filters).lower())
    return remote


@pytest.mark.parametrize("knows_filters", [True, False])
@pytest.mark.parametrize("host", [HOST, "github.com"])
@pytest.mark.parametrize("version", ["master", "v1", "{old}", "{old:.10}"])
@pytest.mark.sample(3)
def test_the_content_is_that_of_any_clone(
    work: Work, host: str, version: str, knows_filters: bool
) -> None:
    remote = a_library(work, host, knows_filters=knows_filters)
    git(remote, "tag", "v1")
    old = git(remote, "rev-parse", "master")
    commit_to(remote, {"lib/x.libsonnet": "{ new: 1 }"})
    work.wants(of(f"{host}/org/x", version.format(old=old), subdir="lib"))
    work.install()
    expected = files_below(work.vendor), work.lock()
    shutil.rmtree(work.vendor)

    install_files_only(work)

    assert (files_below(work.vendor), work.lock()) == expected


@pytest.mark.parametrize("host", [HOST, "github.com"])
def test_files_that_are_not_wanted_stay_where_they_are(work: Work, host: str) -> None:
    remote = a_library(work, host, knows_filters=True)
    work.wants(of(f"{host}/org/x", subdir="lib"))

    install_files_only(work)

    unwanted = git(remote, "rev-parse", "master:other/large")
    wanted = git(remote, "rev-parse", "master:lib/x.libsonnet")
    clone = next(work.clones.rglob("HEAD")).parent
    present = git(clone, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)").split()
    assert wanted in present
    assert unwanted not in present


def test_what_is_in_vendor_already_is_not_fetched_again(work: Work) -> None:
    remote = a_library(work, HOST, knows_filters=True)
    work.wants(of(f"{HOST}/org/x", git(remote, "rev-parse", "master"), subdir="lib"))
    install_files_only(work)
    shutil.rmtree(remote)

    install_files_only(work)

    assert (work.library("org/x/lib") / "x.libsonnet").read_text() == "{}"
    assert not list(work.clones.rglob("HEAD"))


def test_a_commit_that_is_nowhere_is_reported(work: Work) -> None:
    a_library(work, HOST, knows_filters=True)
    work.wants(of(f"{HOST}/org/x", "0" * 40, subdir="lib"))

    with pytest.raises(CommodoreError, match="0000"):
        install_files_only(work, strict=True)
