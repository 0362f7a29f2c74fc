"""Edits at the same time as other runs, or that fail: no file of the user is lost."""

from __future__ import annotations

import itertools
import signal
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from commodore_py import pipeline
from commodore_py.adapters.yaml import splice
from commodore_py.config import WorkPaths
from commodore_py.dependencies.protection.class_files import Changed, replace_class_file
from commodore_py.errors import CommodoreError
from commodore_py.model.verdict import Verdict
from commodore_py.workflows.facts_folder import FactsEdit, written

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.command_line import CommandLine


@pytest.fixture
def class_file(tmp_path: Path) -> Path:
    """A class in a working directory."""
    (tmp_path / ".commodore").mkdir()
    file = tmp_path / "inventory/classes/t-acme/c-one.yml"
    file.parent.mkdir(parents=True)
    file.write_text("old\n")
    return file


def test_concurrently_saved_class_file_is_kept(tmp_path: Path, class_file: Path) -> None:
    class_file.write_text("saved: by hand\n")

    with pytest.raises(Changed):
        replace_class_file(WorkPaths(tmp_path), class_file, b"old\n", b"new\n")
    assert class_file.read_text() == "saved: by hand\n"
    assert not (tmp_path / ".commodore/edit.new").exists()


@pytest.mark.parametrize("leftover", [b"old\n", b"half of the n"])
def test_leftover_of_killed_edit_is_overwritten(
    tmp_path: Path, class_file: Path, leftover: bytes
) -> None:
    (tmp_path / ".commodore/edit.new").write_bytes(leftover)

    replace_class_file(WorkPaths(tmp_path), class_file, b"old\n", b"new\n")

    assert class_file.read_bytes() == b"new\n"
    assert not (tmp_path / ".commodore/edit.new").exists()


def test_unwritable_state_folder_keeps_class_file(tmp_path: Path, class_file: Path) -> None:
    (tmp_path / ".commodore").rmdir()
    (tmp_path / ".commodore").touch()

    with pytest.raises(CommodoreError, match="cannot write"):
        replace_class_file(WorkPaths(tmp_path), class_file, b"old\n", b"new\n")
    assert class_file.read_bytes() == b"old\n"


def test_concurrently_written_facts_file_is_kept(class_file: Path) -> None:
    with pytest.raises(CommodoreError, match="the file was written in the meantime"):
        written(FactsEdit(class_file, b"ours\n", Verdict()))

    assert class_file.read_bytes() == b"old\n"


@pytest.fixture
def place(work: Path, facts: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory of a compiled cluster."""
    monkeypatch.setenv("COMMODORE_WORKING_DIR", str(work))
    monkeypatch.setenv("COMMODORE_API_URL", facts)
    return work


def state(place: Path) -> dict[str, bytes]:
    """Every file that an edit may write; Git and our own folder keep logs."""
    own = {".git", ".commodore"}
    return {
        str(file): file.read_bytes()
        for file in sorted(place.rglob("*"))
        if file.is_file() and not own & set(file.parts)
    }


def test_edit_with_unexpected_change_is_an_internal_error(
    commodore: CommandLine, place: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    before = state(place)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    put = splice.put
    monkeypatch.setattr(splice, "put", lambda *words, **more: put(*words, **more) + b"\nmore: 1\n")

    ran = commodore("edit", "set", "web_shop.replicas", "3")

    assert ran.code == 3
    assert "set of parameters.web_shop.replicas would change something else" in ran.err
    assert [*tmp_path.glob("commodore-*.log")]
    assert state(place) == before


@contextmanager
def other_run(place: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that holds the lock of the working directory until its input ends."""
    holder = (
        "import fcntl, os, sys; file = open(sys.argv[1], 'r+'); fcntl.lockf(file, fcntl.LOCK_EX);"
        "file.truncate(); print(os.getpid(), file=file, flush=True);"
        "print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        (sys.executable, "-c", holder, str(place / ".commodore/lock")),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        yield process


def test_edit_waits_for_another_run(
    commodore: CommandLine, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = state(place)
    clock = itertools.count()
    with other_run(place) as process:
        monkeypatch.setattr("time.monotonic", lambda: next(clock))
        ran = commodore("edit", "set", "web_shop.replicas", "3")
        monkeypatch.undo()
        process.communicate()

    assert ran.code == 1
    assert f"warning: waiting for another run (process {process.pid})" in ran.err
    assert f"error: another run (process {process.pid}) is running" in ran.err
    assert state(place) == before


def test_edit_is_refused_if_other_cluster_was_compiled(
    commodore: CommandLine, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = state(place)
    parameters = place / "inventory/classes/params/cluster.yml"
    was = parameters.read_text()
    with other_run(place) as process:

        def end_of_the_other_run(_: float) -> None:
            if process.poll() is None:
                parameters.write_text(was.replace("c-demo-1", "c-demo-2"))
                process.communicate()

        monkeypatch.setattr("time.sleep", end_of_the_other_run)
        ran = commodore("edit", "set", "web_shop.replicas", "3", "--commit", "--push")
        monkeypatch.undo()
    parameters.write_text(was)

    assert ran.code == 1
    assert "error: another run compiled cluster c-demo-2 in this working directory" in ran.err
    assert state(place) == before


def test_edit_interrupted_during_compile_writes_nothing(
    commodore: CommandLine, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = state(place)
    monkeypatch.setattr(pipeline, "render", lambda *_: signal.raise_signal(signal.SIGINT))

    ran = commodore("edit", "set", "web_shop.replicas", "3")

    assert ran.code == 130
    assert state(place) == before
