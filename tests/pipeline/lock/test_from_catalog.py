"""Locks that are made from a catalog's commit: what it says, what is guessed, what is unknown."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

import pytest

from commodore_py import pipeline
from commodore_py.errors import CommodoreError
from commodore_py.workflows.lock import from_catalog
from tests.support.builders import git
from tests.support.fleet import CLUSTER
from tests.support.scenarios.locked import LockedCluster, files_below

if TYPE_CHECKING:
    from pathlib import Path


def _pushed(cluster: LockedCluster) -> str:
    config = cluster.fleet.config(download_cache=cluster.fleet.root / "cache", push=True)
    pipeline.compile_catalog(config, CLUSTER, lambda _: True)
    return git(cluster.fleet.catalog, "rev-parse", "HEAD")


def _made(cluster: LockedCluster, revision: str, *, verify: bool = True) -> from_catalog.Outcome:
    config = cluster.fleet.config(download_cache=cluster.fleet.root / "cache")
    return from_catalog.from_catalog(
        config,
        revision,
        cluster.file,
        cluster_id="",
        catalog=cluster.fleet.work / "catalog",
        verify=verify,
    )


def _manifests(cluster: LockedCluster) -> dict[str, str]:
    return files_below(cluster.fleet.work / "catalog/manifests")


def test_the_lock_of_a_commit_compiles_to_its_files(cluster: LockedCluster) -> None:
    commit = _pushed(cluster)
    before = _manifests(cluster)
    cluster.move("component", "2")
    cluster.move("tenant", "2")
    _pushed(cluster)
    assert _manifests(cluster) != before

    outcome = _made(cluster, commit)

    assert outcome.differing == ()
    assert outcome.left_out == ()
    cluster.compile(frozen=True)
    assert _manifests(cluster) == before


def test_short_commits_are_completed_and_the_rest_is_marked(cluster: LockedCluster) -> None:
    commit = _pushed(cluster)
    wanted = git(cluster.fleet.repository("component-web"), "rev-parse", "HEAD")
    cluster.move("component", "2")

    outcome = _made(cluster, commit, verify=False)

    assert outcome.differing is None
    assert cluster.lock.blocks["component", "web"].text("commit") == wanted
    kinds = {name.partition("/")[0] for name in outcome.guessed}
    assert kinds == {"library", "repository", "file", "chart"}
    assert cluster.file.read_text().count("# guessed\n[") == len(outcome.guessed) == 4


def test_a_library_gets_its_last_commit_before_the_compile(cluster: LockedCluster) -> None:
    commit = _pushed(cluster)
    library = cluster.fleet.root / "git.example.com/me/library.git"
    wanted = git(library, "rev-parse", "HEAD")
    _commit_in_the_future(library)

    outcome = _made(cluster, commit)

    assert cluster.lock.blocks["library", "git.example.com/me/library"].text("commit") == wanted
    assert outcome.differing == ()


def test_what_is_gone_from_a_server_makes_files_differ(cluster: LockedCluster) -> None:
    commit = _pushed(cluster)
    cluster.move("chart", "2")

    outcome = _made(cluster, commit)

    assert outcome.differing == ("manifests/app/out.yaml",)


def test_a_commit_by_somebody_else_is_refused(cluster: LockedCluster) -> None:
    _pushed(cluster)
    catalog = cluster.fleet.work / "catalog"
    git(catalog, "commit", "--quiet", "--allow-empty", "--message=by hand")

    with pytest.raises(CommodoreError, match="has no message by commodore") as caught:
        _made(cluster, "HEAD")

    assert git(catalog, "rev-parse", "HEAD")[:12] in str(caught.value)
    assert not cluster.file.exists()


def test_a_commit_that_is_unknown_is_named_and_the_rest_is_written(cluster: LockedCluster) -> None:
    _pushed(cluster)
    catalog = cluster.fleet.work / "catalog"
    text = git(catalog, "log", "-1", "--format=%B")
    short = git(cluster.fleet.repository("component-web"), "rev-parse", "--short=6", "HEAD")
    git(catalog, "commit", "--quiet", "--amend", "--message", text.replace(f"({short}", "(000000"))

    outcome = _made(cluster, "HEAD")

    (error,) = outcome.left_out
    assert "web: commit 000000" in str(error)
    assert "component/web" in outcome.guessed
    assert cluster.lock.blocks["component", "app"].text("commit")


def test_a_commit_that_is_ambiguous_is_named(cluster: LockedCluster) -> None:
    _pushed(cluster)
    catalog, repository = cluster.fleet.work / "catalog", cluster.fleet.repository("component-web")
    head = git(repository, "rev-parse", "HEAD")
    git(repository, "branch", "alike", _commit_that_begins_with(repository, head[:4]))
    text = git(catalog, "log", "-1", "--format=%B")
    text = re.sub(rf"\({head[:6]}[0-9a-f]*", f"({head[:4]}", text)
    git(catalog, "commit", "--quiet", "--amend", "--message", text)

    outcome = _made(cluster, "HEAD")

    (error,) = outcome.left_out
    assert f"web: commit {head[:4]} is ambiguous" in str(error)
    assert "component/web" in outcome.guessed


def _commit_that_begins_with(repository: Path, digits: str) -> str:
    tree = git(repository, "rev-parse", "HEAD^{tree}")
    for number in range(2_000_000):
        lines = (f"tree {tree}", f"author A <a@x> {number} +0000", "committer A <a@x> 1 +0000", "")
        text = "\n".join([*lines, "x\n"]).encode()
        found = hashlib.sha1(b"commit %d\0%b" % (len(text), text), usedforsecurity=False)
        if found.hexdigest().startswith(digits):
            file = repository.parent / "alike"
            file.write_bytes(text)
            return git(repository, "hash-object", "-t", "commit", "-w", str(file))
    raise AssertionError(digits)


def _commit_in_the_future(repository: Path) -> None:
    tree, parent = git(repository, "rev-parse", "HEAD^{tree}"), git(repository, "rev-parse", "HEAD")
    text = (
        f"tree {tree}\nparent {parent}\nauthor A <a@example.com> 4102444800 +0000\n"
        "committer A <a@example.com> 4102444800 +0000\n\nlater\n"
    )
    file = repository.parent / "commit"
    file.write_text(text)
    commit = git(repository, "hash-object", "-t", "commit", "-w", str(file))
    git(repository, "update-ref", "refs/heads/master", commit)
