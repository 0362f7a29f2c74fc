"""Lock files by themselves: made, updated one by one, checked."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from commodore_py.dependencies.lock.document import Block, Lock
from commodore_py.dependencies.lock.facts import digest_of, facts_in
from commodore_py.dependencies.lock.file import LockFile
from commodore_py.errors import UsageError
from commodore_py.workflows.lock import check, resolve
from tests.support.builders import commit_to, git
from tests.support.scenarios.locked import LockedCluster, tag

if TYPE_CHECKING:
    from commodore_py.config import Config

pytestmark = pytest.mark.sample(3)


def _config(cluster: LockedCluster) -> Config:
    return cluster.fleet.config(download_cache=cluster.fleet.root / "cache")


def _create(cluster: LockedCluster) -> None:
    resolve.create(_config(cluster), "c-one", cluster.file)


def _update(
    cluster: LockedCluster, *names: str, to: str = "", dry_run: bool = False
) -> tuple[resolve.Step, ...]:
    return resolve.update(
        _config(cluster), cluster.file, names, to=to, dry_run=dry_run, compare=True
    )


def _states(cluster: LockedCluster) -> dict[str, str]:
    found = check.check_lock(_config(cluster), cluster.lock)
    return {one.name: one.state for one in found if one.state != "same"}


@pytest.mark.long
def test_lock_create_keeps_staged_catalog_files(cluster: LockedCluster) -> None:
    cluster.compile()
    staged = cluster.fleet.work / "catalog" / "manifests" / "staged.yaml"
    cluster.file.unlink()
    staged.write_text("kind: ConfigMap\n")

    _create(cluster)

    assert staged.read_text() == "kind: ConfigMap\n"


@pytest.mark.long
def test_lock_create_does_not_fetch_catalog(cluster: LockedCluster) -> None:
    _create(cluster)

    assert not (cluster.fleet.work / "catalog").exists()
    assert cluster.compile(frozen=True)
    with pytest.raises(UsageError, match="exists") as caught:
        _create(cluster)
    assert "compile once with --lock" in caught.value.hint


def test_lock_update_shows_change_of_its_input_only(compiled: LockedCluster) -> None:
    compiled.move("component", "2")
    compiled.move("library", "2")
    before = compiled.lock

    (step,) = _update(compiled, "web")

    assert step.change is not None
    assert [file.path for file in step.change.files] == ["manifests/web/out.yaml"]
    assert step.changes.changed == ("component/web",)
    assert _changed(before, compiled.lock) == {("component", "web")}


@pytest.mark.long
def test_lock_update_dry_run_writes_nothing(compiled: LockedCluster) -> None:
    compiled.move("component", "2")
    written = compiled.file.read_text()
    head = git(compiled.fleet.work / "dependencies/web", "rev-parse", "HEAD")

    (step,) = _update(compiled, "web", dry_run=True)

    assert step.change
    assert compiled.file.read_text() == written
    assert git(compiled.fleet.work / "dependencies/web", "rev-parse", "HEAD") == head


def test_update_without_names_updates_all_moving_inputs(compiled: LockedCluster) -> None:
    for what in ("library", "repository", "file", "chart", "component", "tenant"):
        compiled.move(what, "2")

    steps = _update(compiled)

    changed = {step.name.partition("/")[0] for step in steps if step.changes.changed}
    assert {"library", "repository", "file", "chart", "component", "config"} <= changed
    assert compiled.compile(frozen=True) == compiled.compile(lock_file=None)


def test_lock_update_drops_input_that_fails_to_compile(compiled: LockedCluster) -> None:
    commit_to(compiled.fleet.repository("component-web"), {"component/main.jsonnet": "error 'no'"})
    compiled.move("library", "2")
    old = compiled.lock.blocks["component", "web"]

    steps = {step.name: step for step in _update(compiled, "web", "library")}

    assert steps["component/web"].error is not None
    assert steps["library/git.example.com/me/library"].error is None
    assert compiled.lock.blocks["component", "web"] == old
    assert compiled.compile(frozen=True)


@pytest.mark.long
def test_lock_update_refuses_version_not_requested(compiled: LockedCluster) -> None:
    with pytest.raises(UsageError, match="v7 is not what is requested: master") as caught:
        _update(compiled, "web", to="v7")

    assert "classes/global/components.yml:" in caught.value.where


def test_lock_update_accepts_older_commit_of_branch(cluster: LockedCluster) -> None:
    repository = cluster.fleet.repository("component-web")
    old = git(repository, "rev-parse", "HEAD")
    cluster.move("component", "2")
    _create(cluster)

    _update(cluster, "web", to=old)

    assert cluster.lock.blocks["component", "web"].text("commit") == old
    assert cluster.compile(frozen=True)


@pytest.mark.parametrize("cached", [True, False])
@pytest.mark.parametrize("what", ["file", "chart"])
def test_lock_update_accepts_changed_download(
    cluster: LockedCluster, what: str, *, cached: bool
) -> None:
    cluster.request_chart("1.0.0")
    _create(cluster)
    if not cached:
        cluster.forget()
    if what == "file":
        cluster.put_file("2")
    else:
        cluster.put_chart("1.0.0", "2")
    if not cached:
        (error,) = cluster.refused()
        assert f"commodore lock update '{what}/" in error.hint

    (name,) = (one for one in map("/".join, cluster.lock.blocks) if one.startswith(f"{what}/"))
    (step,) = _update(cluster, name)

    assert step.changes.changed == (name,)
    assert f"{what}: '2'" in cluster.compile(frozen=True)["app/app/out.yaml"]


def test_check_compares_lock_with_servers(cluster: LockedCluster) -> None:
    repository = cluster.fleet.repository("component-web")
    tag(repository, "v1", "HEAD")
    cluster.configure(parameters={"components": {"web": {"version": "v1"}}})
    _create(cluster)
    assert _states(cluster) == {}

    cluster.move("component", "2")
    tag(repository, "v1", "HEAD")
    cluster.move("library", "2")
    cluster.put_file("2")
    cluster.put_chart("2.0.0", "2")
    other = cluster.fleet.root / "remotes/r.git"
    lost = git(other, "commit-tree", git(other, "rev-parse", "HEAD^{tree}"), "-m", "new")
    git(other, "update-ref", "refs/heads/master", lost)

    states = {name.partition("/")[0]: state for name, state in _states(cluster).items()}
    assert states == {
        "component": "moved",
        "library": "behind",
        "file": "changed",
        "chart": "yanked",
        "repository": "gone",
    }


def test_lock_check_of_unreachable_server_is_unknown(compiled: LockedCluster) -> None:
    (compiled.fleet.root / "remotes").rename(compiled.fleet.root / "away")

    assert set(_states(compiled).values()) == {"unknown"}


def test_concurrent_writers_keep_all_blocks(cluster: LockedCluster) -> None:
    blocks: dict[tuple[str, ...], Block] = {
        ("file", f"u{number}"): Block({"sum": "0"}) for number in range(20)
    }
    empty = LockFile.read(cluster.file)
    empty.write(replace(empty.lock, blocks={**blocks, ("cluster",): Block({"id": "c-one"})}))
    started = [LockFile.read(cluster.file) for _ in range(20)]

    def write(number: int) -> None:
        one, path = started[number], ("file", f"u{number}")
        changed = {**one.lock.blocks, path: Block({"sum": "1"})}
        one.write(replace(one.lock, blocks=changed))

    threads = [threading.Thread(target=write, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert {one.text("sum") for one in cluster.lock.of_kind("file").values()} == {"1"}


@pytest.mark.long
def test_killed_lock_writer_leaves_complete_file(cluster: LockedCluster) -> None:
    texts = set()
    for content in ("1", "2"):
        blocks: dict[tuple[str, ...], Block] = {
            ("file", f"u{number}"): Block({"sum": content}) for number in range(2000)
        }
        lock = Lock({("cluster",): Block({"id": "c-one"}), **blocks})
        LockFile.read(cluster.file).write(lock)
        texts.add(cluster.file.read_text())
    for number in range(4):
        with subprocess.Popen([sys.executable, "-c", _WRITER, str(cluster.file)]) as writer:
            for _ in range(500):
                if cluster.file.with_suffix(".begun").exists():
                    break
                time.sleep(0.02)
            time.sleep(number * 0.026)
            writer.kill()
        cluster.file.with_suffix(".begun").unlink()

        assert cluster.file.read_text() in texts


_WRITER = """
import sys
from pathlib import Path
from commodore_py.dependencies.lock.document import Block
from commodore_py.dependencies.lock.facts import digest_of, facts_in
from commodore_py.dependencies.lock.file import LockFile
file = Path(sys.argv[1])
file.with_suffix(".begun").touch()
while True:
    read = LockFile.read(file)
    other = {"1": "2", "2": "1"}[read.lock.of_kind("file")["u0"].text("sum")]
    blocks = {
        path: Block({"sum": other}) if path[0] == "file" else block
        for path, block in read.lock.blocks.items()
    }
    read.write(read.lock._replace(blocks=blocks))
"""


def _changed(before: Lock, after: Lock) -> set[tuple[str, ...]]:
    old, new = before.content(), after.content()
    return {path for path in {*old, *new} if old.get(path) != new.get(path)}


def test_facts_digest_in_older_lock_is_compared(compiled: LockedCluster) -> None:
    first = compiled.made()
    digest = digest_of(facts_in(compiled.lock.blocks["facts",]))
    text = re.sub(
        r"\[facts\]\n(?:.+\n)+", f'[facts]\ndigest = "{digest}"\n', compiled.file.read_text()
    )
    compiled.file.write_text(text)

    assert compiled.compile(frozen=True) == first
    assert any("only the digest" in str(one) for one in compiled.refused(offline=True))
    facts = compiled.fleet.root / "facts/clusters/c-one.yaml"
    facts.write_text(facts.read_text().replace("cloud-a", "cloud-b"))
    assert [one.exit_code for one in compiled.refused(frozen=True)] == [6]
    assert compiled.compile() != first
    assert "digest" not in compiled.lock.blocks["facts",].values


def test_lock_update_of_all_inputs_drops_unrequested_ones(compiled: LockedCluster) -> None:
    web = compiled.lock.blocks["component", "web"]
    text = compiled.file.read_text()
    block = '\n[component."gone"]\n' + "".join(
        f'{key} = "{web.text(key)}"\n' for key in ("url", "requested", "version", "commit", "tree")
    )
    compiled.file.write_text(text + block.replace(web.text("requested"), "master", 1))
    assert ("component", "gone") in compiled.lock.blocks

    steps = _update(compiled)

    assert not any(step.error for step in steps)
    assert ("component", "gone") not in compiled.lock.blocks
