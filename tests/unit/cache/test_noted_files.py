"""Files that are as they were noted: every change shows, and no file is listed again."""

from __future__ import annotations

import os
import random
import time
from typing import TYPE_CHECKING, NamedTuple

import pytest

from commodore_py.cache.up_to_date import note_file, noted_files
from commodore_py.cache.up_to_date.last_run import LastRun
from commodore_py.cache.up_to_date.snapshot import Snapshot, take

from .test_snapshot import rename, rewrite_with_old_times, swap_link

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PAUSE = 0.06
NOBODY = LastRun("", "", "", "", "", [], [], [], [], [], repeatable=True, outcome={}, time="")


class Noting(NamedTuple):
    """A working directory, a program, and what is outside of both."""

    work: Path
    program: Path
    outside: Path

    @property
    def ignored(self) -> frozenset[str]:
        return frozenset([str(self.state)])

    @property
    def state(self) -> Path:
        return self.work / ".commodore"

    def snapshots(self) -> tuple[Snapshot, Snapshot]:
        ignored = self.ignored
        program = take(
            str(self.program), ignored=frozenset(), ignored_everywhere=frozenset({"cached"})
        )
        return take(str(self.work), [str(self.outside / "named")], ignored=ignored), program

    def last(self) -> LastRun:
        run, program = self.snapshots()
        return NOBODY._replace(files=run.digest(), program=program.digest())

    def note(self) -> LastRun:
        time.sleep(PAUSE)
        began = time.time_ns()
        run, program = self.snapshots()
        last = NOBODY._replace(files=run.digest(), program=program.digest())
        noted_files.note(self.state, last, run, program, began)
        return last

    def look(self, last: LastRun) -> noted_files.Look | None:
        return noted_files.look(self.state, last, self.ignored)

    def are_as_noted(self, last: LastRun) -> bool:
        look = self.look(last)
        return look is not None and look.same


@pytest.fixture
def noting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Noting:
    work, program, outside = (tmp_path / name for name in ("work", "program", "outside"))
    for folder in (work / ".commodore", work / "inner/deep", program / "cached", outside / "deep"):
        folder.mkdir(parents=True)
    for name in ("refs", "objects", "hooks"):
        (work / "git" / name).mkdir(parents=True)
    (work / "git/HEAD").write_text("ref: refs/heads/master\n")
    (work / "git/hooks/a.sample").touch()
    for name in ("inner/file", "inner/deep/file", "inner/na\nme \udcff"):
        (work / name).write_text("one")
    (work / "link").symlink_to("inner/file")
    (work / "out").symlink_to(outside / "deep")
    (work / "nowhere").symlink_to(outside / "none")
    (outside / "deep/file").write_text("one")
    (outside / "named").write_text("one")
    (program / "main.py").write_text("one")
    monkeypatch.chdir(work)
    return Noting(work, program, outside)


def changes(noting: Noting) -> list[Callable[[], object]]:
    work, program, outside = noting
    return [
        lambda: (work / "inner/file").write_text("two"),
        lambda: (work / "inner/file").chmod(0o755),
        (work / "inner/file").unlink,
        (work / "inner/na\nme \udcff").unlink,
        lambda: (work / "inner/deep").chmod(0o700),
        lambda: (work / "inner/deep").rename(work / "deep"),
        (work / "inner/deep/new").mkdir,
        (work / "new").touch,
        lambda: (work / "git/HEAD").write_text("ref: refs/heads/other\n"),
        (work / "git/refs/new").touch,
        lambda: (work / "git/objects").chmod(0o700),
        (work / "git/hooks/pre-commit").touch,
        lambda: swap_link(work),
        lambda: rename(work),
        lambda: rewrite_with_old_times(work),
        lambda: (outside / "named").write_text("two"),
        (outside / "named").unlink,
        (outside / "none").touch,
        lambda: (outside / "deep/file").write_text("two"),
        (outside / "deep/new").touch,
        lambda: (outside / "deep").rename(outside / "other"),
        lambda: (program / "main.py").write_text("two"),
        (program / "new.py").touch,
    ]


def test_what_did_not_change_is_as_noted(noting: Noting) -> None:
    last = noting.note()
    (noting.state / "lock").touch()
    (noting.program / "cached/main.pyc").touch()

    assert noting.are_as_noted(last)


@pytest.mark.parametrize("number", range(23))
def test_every_change_shows(noting: Noting, number: int) -> None:
    last = noting.note()
    assert noting.are_as_noted(last)

    changes(noting)[number]()

    assert not noting.are_as_noted(last)
    assert noting.last() != last


@pytest.mark.parametrize("seed", range(8))
def test_what_is_as_noted_gives_the_same_snapshots(noting: Noting, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - to be repeated
    for one in range(300):  # more than are compared at once
        (noting.work / f"inner/deep/{one}").touch()
    last = noting.note()

    for _ in range(12):
        try:
            change = chance.choice([*changes(noting), (noting.work / "passing").touch])
            change()
        except OSError:  # what an earlier change has removed
            continue
        (noting.work / "passing").unlink(missing_ok=True)
        look = noting.look(noting.last() if chance.random() < 0.5 else last)
        if look is not None:
            same_as(look.snapshot(), noting.snapshots()[0])
            assert not look.same or noting.last() == last
        if noting.last() == last or chance.random() < 0.3:
            last = noting.note()
            assert noting.are_as_noted(last)


def same_as(one: Snapshot | None, other: Snapshot) -> None:
    if one is None:  # there are links to read, or folders went elsewhere
        return
    assert one.folders == other.folders
    assert sorted(one.links) == sorted(other.links)
    assert one.digest() == other.digest()


def test_a_snapshot_is_made_of_the_looks(noting: Noting) -> None:
    last = noting.note()
    (noting.work / "inner/file").write_text("two")
    (noting.work / "inner/deep/file").chmod(0o755)

    look = noting.look(last)

    assert look is not None
    assert not look.same
    assert look.snapshot() is not None
    same_as(look.snapshot(), noting.snapshots()[0])


def test_a_snapshot_is_made_for_another_run(noting: Noting) -> None:
    last = noting.note()

    look = noting.look(last._replace(files="other", program="other"))

    assert look is not None
    assert not look.same
    assert look.program == last.program
    assert look.snapshot() is not None
    same_as(look.snapshot(), noting.snapshots()[0])


def test_only_folders_that_differ_are_read(noting: Noting, monkeypatch: pytest.MonkeyPatch) -> None:
    last = noting.note()
    (noting.work / "inner/new/deep").mkdir(parents=True)
    (noting.work / "inner/new/deep/file").touch()
    (noting.work / "git/objects/aa").mkdir()
    (noting.work / "git/refs/new").touch()
    read, scandir = list[str](), os.scandir

    def scanned(folder: str) -> object:
        read.append(folder.removeprefix(f"{noting.work}/"))
        return scandir(folder)

    with monkeypatch.context() as patch:
        patch.setattr(os, "scandir", scanned)
        look = noting.look(last)
        seen = look and look.snapshot()

    assert seen
    same_as(seen, noting.snapshots()[0])
    assert sorted(read) == ["git/refs", "inner", "inner/new", "inner/new/deep"]


@pytest.mark.parametrize(
    "change",
    [
        lambda work: (work / "inner/new").symlink_to("deep"),
        lambda work: (work / "inner/deep").rename(work / "inner/other"),
        lambda work: (work / "git/refs").rmdir(),
        lambda work: ((work / "git/refs").rmdir(), (work / "git/refs").touch()),
        lambda work: ((work / "git/refs").rmdir(), (work / "git/refs").symlink_to("../inner")),
    ],
    ids=["link", "renamed", "gone", "file for folder", "link for folder"],
)
def test_where_names_are_not_enough_there_is_no_snapshot(
    noting: Noting, change: Callable[[Path], object]
) -> None:
    last = noting.note()

    change(noting.work)

    look = noting.look(last)
    assert look is None or look.snapshot() is None


def test_a_link_that_goes_meanwhile_is_no_failure(noting: Noting) -> None:
    last = noting.note()
    look = noting.look(last)
    (noting.work / "link").unlink()

    assert look is not None
    assert look.snapshot() is None


def test_without_the_folders_of_then_nothing_is_made_of_looks(noting: Noting) -> None:
    last = noting.note()
    (noting.work / "inner/new").touch()
    assert noting.look(last) is not None

    (noting.state / "unchanged-folders").write_bytes(b"")

    assert noting.look(last) is None


def test_a_young_folder_is_not_noted(noting: Noting) -> None:
    noting.note()
    (noting.state / noted_files.NAME).unlink()
    (noting.work / "inner/passing").touch()
    (noting.work / "inner/passing").unlink()
    began = time.time_ns()
    run, program = noting.snapshots()

    noted_files.note(noting.state, NOBODY, run, program, began)

    assert not (noting.state / noted_files.NAME).exists()


def test_a_folder_that_changed_while_it_was_looked_at_is_not_noted(noting: Noting) -> None:
    time.sleep(PAUSE)
    began = time.time_ns()
    run, program = noting.snapshots()
    time.sleep(PAUSE)
    (noting.work / "inner/new").touch()

    noted_files.note(noting.state, NOBODY, run, program, began)

    assert not (noting.state / noted_files.NAME).exists()


def test_folders_on_another_device_are_not_noted(
    noting: Noting, monkeypatch: pytest.MonkeyPatch
) -> None:
    _another(monkeypatch, "lstat", str(noting.work / "inner"), device=1)

    noting.note()

    assert not (noting.state / noted_files.NAME).exists()


def test_a_program_with_links_that_lead_out_is_not_noted(noting: Noting) -> None:
    (noting.program / "out").symlink_to(noting.outside / "named")

    noting.note()

    assert not (noting.state / noted_files.NAME).exists()


def test_where_folders_keep_their_times_nothing_is_noted(
    noting: Noting, monkeypatch: pytest.MonkeyPatch
) -> None:
    _another(monkeypatch, "stat", str(noting.state), modified=1)

    noting.note()

    assert not (noting.state / noted_files.NAME).exists()


def _another(
    monkeypatch: pytest.MonkeyPatch, look: str, at: str, *, device: int = 0, modified: int = 0
) -> None:
    """Have a look at one path return something else; of all others, the truth."""
    real = getattr(os, look)

    def looked(path: int | str | Path, **options: bool) -> os.stat_result:
        found: os.stat_result = real(path, **options)
        if str(path) != at:
            return found
        times = {"st_mtime_ns": modified or found.st_mtime_ns, "st_ctime_ns": found.st_ctime_ns}
        return os.stat_result((*found[:2], found.st_dev + device, *found[3:10]), times)

    monkeypatch.setattr(os, look, looked)


def test_another_run_has_another_note(noting: Noting) -> None:
    last = noting.note()

    assert not noting.are_as_noted(last._replace(environment="other"))
    assert not noting.are_as_noted(last._replace(files="other"))
    assert not noting.are_as_noted(last._replace(program="other"))
    assert noting.look(last._replace(outside=["/other"])) is None
    assert noting.look(last._replace(environment="other")) is None
    other = {*noting.ignored, str(noting.work / "out.json")}
    assert noted_files.look(noting.state, last, frozenset(other)) is None


@pytest.mark.parametrize("keep", [0, 1, 60, -1])
def test_a_note_that_is_not_whole_is_not_believed(noting: Noting, keep: int) -> None:
    last = noting.note()
    file = noting.state / noted_files.NAME
    file.write_bytes(file.read_bytes()[:keep])

    assert not noting.are_as_noted(last)


def test_a_note_without_some_of_the_paths_is_not_believed(noting: Noting) -> None:
    last = noting.note()
    file = noting.state / noted_files.NAME
    content = note_file.read(file)
    assert content is not None

    for shorter in (content.rpartition(b"\0")[0], content.partition(b"\n")[0], b"[]", b"{}", b""):
        note_file.write(file, shorter)
        assert not noting.are_as_noted(last)


def test_the_note_is_for_its_owner_alone(noting: Noting) -> None:
    noting.note()

    assert (noting.state / noted_files.NAME).stat().st_mode & 0o077 == 0


def test_a_note_that_cannot_be_written_is_not_missed(noting: Noting) -> None:
    (noting.state / f"{noted_files.NAME}-{os.getpid()}").mkdir()

    assert noting.look(noting.note()) is None


def test_a_folder_that_goes_before_it_is_noted_is_no_failure(noting: Noting) -> None:
    time.sleep(PAUSE)
    run, program = noting.snapshots()
    (noting.work / "git/objects").rmdir()

    noted_files.note(noting.state, noting.last(), run, program, time.time_ns())

    assert not (noting.state / noted_files.NAME).exists()
