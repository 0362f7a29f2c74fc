"""Files that are on disk only while programs work: what they find, and that it is as before."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters.git import on_disk
from commodore_py.errors import CommodoreError
from commodore_py.model.tree import Entry
from tests.support.builders import git

if TYPE_CHECKING:
    from pathlib import Path

State = dict[str, tuple[bytes, int] | str | None]

# Enters with a file to write, damages everything, and prints a line; then it waits to be killed.
_VANDAL = """
import os, pathlib, sys, time
from commodore_py.adapters.git.on_disk import on_disk
from commodore_py.model.tree import Entry
notes, checkout = map(pathlib.Path, sys.argv[1:])
with on_disk(notes, checkout, {checkout / 'new/deep/a': Entry(b'new')}, [checkout]):
    (checkout / 'a.txt').write_text('damaged')
    (checkout / 'run.sh').unlink()
    (checkout / 'd').rename(checkout / 'e')
    print('in', flush=True)
    time.sleep(60)
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    place = tmp_path / "checkout"
    (place / "d/empty").mkdir(parents=True)
    (place / ".git").mkdir()
    (place / ".git/HEAD").write_text("ref")
    (place / "a.txt").write_text("a")
    (place / "d/b.txt").write_text("b")
    (place / "run.sh").write_text("#!/bin/sh\n")
    (place / "run.sh").chmod(0o755)
    (place / "to-a").symlink_to("a.txt")
    (place / "to-nowhere").symlink_to("nowhere")
    (place / "to-d").symlink_to("d")
    return place


def state(folder: Path) -> State:
    """Everything below a folder, with content and modes."""
    found: State = {}
    for path in folder.rglob("*"):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = str(path.readlink())
        else:
            found[name] = (path.read_bytes(), path.stat().st_mode) if path.is_file() else None
    return found


def test_files_are_removed_after_use(checkout: Path, tmp_path: Path) -> None:
    before = state(checkout)
    written = {
        checkout / "a.txt": Entry(b"other"),
        checkout / "new/deep/c.sh": Entry(b"c", executable=True),
        checkout / "d/b.txt": None,
    }

    with on_disk.on_disk(tmp_path / "notes", checkout, written, []):
        found = state(checkout)

    assert found["a.txt"] == (b"other", 0o100644)
    assert found["new/deep/c.sh"] == (b"c", 0o100755)
    assert "d/b.txt" not in found
    assert state(checkout) == before
    assert not (tmp_path / "notes").exists()


def test_changes_of_programs_are_recorded_and_undone(checkout: Path, tmp_path: Path) -> None:
    before = state(checkout)

    with on_disk.on_disk(
        tmp_path / "notes", checkout, {checkout / "put": Entry(b"put")}, [checkout]
    ) as borrowed:
        (checkout / "a.txt").write_text("changed")
        (checkout / "d/b.txt").unlink()
        (checkout / "d/b.txt").mkdir()
        (checkout / "d/b.txt/c").write_text("c")
        (checkout / "d/empty").rmdir()
        (checkout / "to-nowhere").unlink()
        (checkout / "run.sh").chmod(0o644)
        (checkout / "x").mkdir()
        (checkout / "x/link").symlink_to("../put")
        changes = borrowed.changes()

    assert changes == {
        checkout / "a.txt": Entry(b"changed"),
        checkout / "d/b.txt/c": Entry(b"c"),
        checkout / "d/b.txt": None,
        checkout / "to-nowhere": None,
        checkout / "run.sh": Entry(b"#!/bin/sh\n"),
        checkout / "x/link": Entry(b"put"),
    }
    assert state(checkout) == before


def test_folders_are_created_and_recorded_and_removed_afterwards(
    checkout: Path, tmp_path: Path
) -> None:
    before = state(checkout)
    made = {checkout / "new/deep", checkout / "d"}

    with on_disk.on_disk(tmp_path / "notes", checkout, {}, [checkout], made=made) as borrowed:
        found = borrowed.new_folders()
        (checkout / "new/deep").rmdir()
        (checkout / "more").mkdir()
        left = borrowed.new_folders()

    assert found == {checkout / "new", checkout / "new/deep"}
    assert left == {checkout / "new", checkout / "more"}
    assert state(checkout) == before


def test_empty_change_writes_no_notes(checkout: Path, tmp_path: Path) -> None:
    with on_disk.on_disk(tmp_path / "notes", checkout, {}, []) as borrowed:
        assert not (tmp_path / "notes").exists()
        assert borrowed.keep_open == ()
        assert borrowed.changes() == {}
        assert borrowed.new_folders() == frozenset()


def test_failed_write_is_undone(checkout: Path, tmp_path: Path) -> None:
    before = state(checkout)
    written = {checkout / "a.txt": Entry(b"1"), checkout / "a.txt/below": Entry(b"2")}

    with (
        pytest.raises(CommodoreError, match="cannot write what programs are to find"),
        on_disk.on_disk(tmp_path / "notes", checkout, written, []),
    ):
        pass

    assert state(checkout) == before


def test_unmodified_files_are_not_written_again(checkout: Path, tmp_path: Path) -> None:
    before = on_disk.list_files(checkout, ["."])

    with on_disk.on_disk(tmp_path / "notes", checkout, {}, [checkout]):
        (checkout / "d/new").write_text("")

    assert on_disk.list_files(checkout, ["."]).marks == before.marks


@pytest.mark.parametrize("moved", [False, True])
@pytest.mark.long
def test_next_run_restores_files_after_kill(checkout: Path, tmp_path: Path, *, moved: bool) -> None:
    before, notes = state(checkout), checkout / "../notes"
    vandal = _vandal(notes, checkout)
    vandal.send_signal(signal.SIGKILL)
    vandal.communicate()
    if moved:
        (tmp_path / "elsewhere").mkdir()
        for name in ("checkout", "notes"):
            (tmp_path / name).rename(tmp_path / "elsewhere" / name)
        checkout, notes = (tmp_path / "elsewhere" / name for name in ("checkout", "notes"))

    assert state(checkout) != before
    repaired = on_disk.repair(notes, (checkout,), patience=0)

    assert repaired == (checkout,)
    assert state(checkout) == before
    assert not notes.exists()


def test_checkout_used_by_process_is_not_repaired(checkout: Path, tmp_path: Path) -> None:
    before, notes = state(checkout), tmp_path / "notes"
    vandal = _vandal(notes, checkout)

    with pytest.raises(CommodoreError, match="still uses checkout"):
        on_disk.repair(notes, (checkout,), patience=0.1)

    assert (checkout / "a.txt").read_text() == "damaged"
    vandal.kill()
    vandal.communicate()
    on_disk.repair(notes, (checkout,), patience=0)
    assert state(checkout) == before


def test_surviving_program_keeps_checkout_locked(checkout: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    with on_disk.on_disk(notes, checkout, {}, [checkout]) as borrowed:
        program = subprocess.Popen(["sleep", "60"], pass_fds=borrowed.keep_open)
        lock = next(notes.glob("*.lock"))
        kept = os.dup(borrowed.keep_open[0])  # as if the end of this block had not been reached
        lock.rename(tmp_path / "kept.lock")
    os.close(kept)
    notes.mkdir(exist_ok=True)
    (tmp_path / "kept.lock").rename(lock)

    with pytest.raises(CommodoreError, match="still uses"):
        on_disk.repair(notes, (checkout,), patience=0.1)

    program.kill()
    program.wait()
    assert on_disk.repair(notes, (checkout,), patience=1) == ()


def test_folder_replaced_by_link_is_restored(checkout: Path, tmp_path: Path) -> None:
    before = state(checkout)
    other = tmp_path / "other"
    other.mkdir()
    (other / "b.txt").write_text("not ours")

    with on_disk.on_disk(tmp_path / "notes", checkout, {}, [checkout]):
        shutil.rmtree(checkout / "d")
        (checkout / "d").symlink_to(other)

    assert state(checkout) == before
    assert (other / "b.txt").read_text() == "not ours"


def test_repair_that_failed_is_repeated(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes, before = tmp_path / "notes", state(checkout)
    vandal = _vandal(notes, checkout)
    vandal.kill()
    vandal.communicate()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("commodore_py.adapters.files.copy_file", full)
        with pytest.raises(OSError, match="space"):
            on_disk.repair(notes, (checkout,), patience=0)

    assert on_disk.repair(notes, (checkout,), patience=0) == (checkout,)
    assert state(checkout) == before


@pytest.mark.parametrize(
    "content",
    [
        {"base": "..", "roots": [], "marks": {"x": ["a\0b"]}, "folders": []},
        {"base": "..", "roots": [], "marks": {".": [1]}, "folders": []},
        {"base": "..", "roots": [], "marks": {"x": []}, "folders": []},
        {"base": "..", "roots": [], "marks": {}, "folders": ["../x"]},
        [],
    ],
)
def test_notes_of_another_form_are_refused(checkout: Path, content: object) -> None:
    shutil.rmtree(checkout / ".git")
    notes = on_disk.notes_in(checkout)
    (notes / "evil").mkdir(parents=True)
    (notes / "evil/notes.json").write_text(json.dumps(content))

    with pytest.raises(CommodoreError, match="about another folder"):
        on_disk.repair(notes, (checkout,), patience=0)

    assert (checkout / "a.txt").read_text() == "a"
    assert (notes / "evil/notes.json").exists()


def test_incomplete_notes_are_removed(checkout: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    (notes / "checkout-1.new/files").mkdir(parents=True)
    (notes / "checkout-1.lock").touch()
    before = state(checkout)

    assert on_disk.repair(notes, (checkout,), patience=0) == ()
    assert not notes.exists()
    assert state(checkout) == before


def test_notes_are_stored_in_git_folder(checkout: Path, tmp_path: Path) -> None:
    shutil.rmtree(checkout / ".git")
    git(checkout, "init", "--quiet")
    linked, plain = tmp_path / "linked", tmp_path / "plain"
    linked.mkdir()
    plain.mkdir()
    (linked / ".git").write_text("gitdir: ../checkout/.git\n")

    assert on_disk.notes_in(checkout) == checkout / ".git/commodore-on-disk"
    assert on_disk.notes_in(linked) == checkout / ".git/commodore-on-disk"
    assert on_disk.notes_in(plain) == plain / ".commodore-on-disk"


def _vandal(notes: Path, checkout: Path) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        [sys.executable, "-c", _VANDAL, str(notes), str(checkout)], stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"in\n"
    return process


def test_ignored_program_fetched_by_script_is_kept(tmp_path: Path) -> None:
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    git(checkout, "init", "--quiet")
    (checkout / ".gitignore").write_text("/tool-*\n/bin/\n")
    before = state(checkout)

    with on_disk.on_disk(tmp_path / "notes", checkout, {}, [checkout]):
        for name in ("tool-v1", "bin/deep/tool", "tool-notes", "tracked-tool"):
            (checkout / name).parent.mkdir(parents=True, exist_ok=True)
            (checkout / name).write_text(name)
        for name in ("tool-v1", "bin/deep/tool", "tracked-tool"):
            (checkout / name).chmod(0o755)

    came = state(checkout).keys() - before.keys()
    assert came == {"tool-v1", "bin", "bin/deep", "bin/deep/tool"}


def test_written_file_is_removed_even_if_ignored(tmp_path: Path) -> None:
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    git(checkout, "init", "--quiet")
    (checkout / ".gitignore").write_text("/tool\n")
    written = {checkout / "tool": Entry(b"made by an entry", executable=True)}

    with on_disk.on_disk(tmp_path / "notes", checkout, written, [checkout]):
        pass

    assert not (checkout / "tool").exists()


@pytest.mark.parametrize(
    ("base", "name"),
    [
        ("../../mine", "."),
        ("../..", "mine"),
        ("..", "../mine"),
        ("..", "{tmp}/mine"),
        ("..", "to-mine/deep"),
        ("..", 1),
        (1, "."),
    ],
)
def test_notes_that_came_with_checkout_change_nothing_elsewhere(
    checkout: Path, tmp_path: Path, base: object, name: object
) -> None:
    mine = tmp_path / "mine"
    (mine / "deep").mkdir(parents=True)
    (mine / "deep/thesis.txt").write_text("mine")
    (checkout / "to-mine").symlink_to(mine)
    shutil.rmtree(checkout / ".git")
    notes = on_disk.notes_in(checkout)
    (notes / "evil").mkdir(parents=True)
    (notes / "evil.lock").touch()
    root = name.format(tmp=tmp_path) if isinstance(name, str) else name
    content = {"base": base, "roots": [root], "marks": {}, "folders": []}
    (notes / "evil/notes.json").write_text(json.dumps(content))

    with suppress(CommodoreError):
        on_disk.repair(notes, (checkout,), patience=0)

    assert (mine / "deep/thesis.txt").read_text() == "mine"


def test_notes_reach_nothing_behind_links(checkout: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.txt").write_text("mine")
    (checkout / "to-mine").symlink_to(mine)
    shutil.rmtree(checkout / ".git")
    notes = on_disk.notes_in(checkout)
    (notes / "evil").mkdir(parents=True)
    marks = {"to-mine/thesis.txt": ["elsewhere"]}
    content = {"base": "..", "roots": ["a.txt"], "marks": marks, "folders": []}
    (notes / "evil/notes.json").write_text(json.dumps(content))

    with suppress(CommodoreError):
        on_disk.repair(notes, (checkout,), patience=0)

    assert (mine / "thesis.txt").read_text() == "mine"
    assert not (mine / "thesis.txt").is_symlink()


def test_link_in_place_of_notes_is_refused(checkout: Path, tmp_path: Path) -> None:
    shutil.rmtree(checkout / ".git")
    (checkout / ".commodore-on-disk").symlink_to(tmp_path)

    with pytest.raises(CommodoreError, match="is a link"):
        on_disk.notes_in(checkout)


def test_link_in_place_of_lock_makes_no_file(checkout: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "evil.lock").symlink_to(tmp_path / "made")

    with pytest.raises(CommodoreError, match="is a link"):
        on_disk.repair(notes, (checkout,), patience=0)

    assert not (tmp_path / "made").exists()
