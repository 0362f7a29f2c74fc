"""What a folder looks like: every change shows, and no two changes look alike."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest

from commodore_py.unchanged.looks import Look, look_again, look_at

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NOTHING: frozenset[str] = frozenset()


def look(folder: Path, *more: str) -> Look:
    return look_at(str(folder), more, leave_out=NOTHING)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "place"
    (place / "inner").mkdir(parents=True)
    (place / "inner/file").write_text("one")
    (place / "link").symlink_to("inner/file")
    (place / "git").mkdir()
    for name in ("objects", "refs", "logs"):
        (place / "git" / name).mkdir()
    (place / "git/HEAD").write_text("ref: refs/heads/master\n")
    (place / "git/objects/aa").write_text("blob")
    return place


def swap_link(folder: Path) -> None:
    (folder / "link").unlink()
    (folder / "link").symlink_to("inner/none")


def rename(folder: Path) -> None:
    (folder / "inner/file").rename(folder / "inner/File")


def rewrite_with_old_times(folder: Path) -> None:
    path = folder / "inner/file"
    before = path.stat()
    path.write_text("two")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: (folder / "inner/file").write_text("two"),
        lambda folder: (folder / "inner/file").chmod(0o755),
        lambda folder: (folder / "inner/file").unlink(),
        lambda folder: (folder / "new").mkdir(),
        lambda folder: (folder / "inner").chmod(0o700),
        lambda folder: (folder / "git/HEAD").write_text("ref: refs/heads/other\n"),
        swap_link,
        rename,
        rewrite_with_old_times,
    ],
)
def test_every_change_shows(folder: Path, change: Callable[[Path], object]) -> None:
    before = look(folder)
    assert before.is_settled()
    change(folder)

    after = look(folder)

    assert after.digest() != before.digest()
    assert [*after.changed_since(before)]


def test_the_same_files_look_the_same(folder: Path) -> None:
    before = look(folder)
    (folder / "passing").touch()
    (folder / "passing").unlink()
    (folder / "git/objects/bb").write_text("blob")
    (folder / "git/logs/HEAD").write_text("something happened\n")

    after = look(folder)

    assert after.digest() == before.digest()
    assert [*after.changed_since(before)] == []


def test_only_what_has_changed_is_named(folder: Path) -> None:
    before = look(folder)
    (folder / "inner/file").write_text("three")
    (folder / "new").mkdir()
    (folder / "new/file").touch()

    changed = {*look(folder).changed_since(before)}

    assert changed == {f"{folder}/{name}" for name in ("inner/file", "new", "new/file")}


def test_what_links_lead_to_is_looked_at_wherever_it_is(folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    (outside / "deep").mkdir(parents=True)
    (outside / "deep/file").write_text("one")
    (folder / "out").symlink_to(outside)
    (outside / "back").symlink_to(folder)
    before = look(folder)
    assert before.is_settled()

    (outside / "deep/file").write_text("two")

    assert look(folder).digest() != before.digest()


def test_what_is_named_is_looked_at_even_if_it_is_not_there_yet(
    folder: Path, tmp_path: Path
) -> None:
    named = tmp_path / "named"
    before = look(folder, str(named))

    named.write_text("there")

    assert look(folder, str(named)).digest() != before.digest()


def test_a_young_file_is_waited_for(folder: Path) -> None:
    (folder / "inner/file").write_text("now")
    started = time.monotonic()

    settled = look(folder).is_settled()

    assert settled
    assert time.monotonic() - started < 0.5


def test_a_file_that_changes_meanwhile_is_not_settled(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "inner/file").write_text("now")
    seen = look(folder)

    def edited(_: float) -> None:
        (folder / "inner/file").write_text("then")

    monkeypatch.setattr(time, "sleep", edited)

    assert not seen.is_settled()


def test_nobody_waits_for_a_clock_that_is_ahead(folder: Path) -> None:
    seen = look(folder)
    hour = 3_600_000_000_000
    seen.folders[str(folder / "inner")] = [("file", 0o100644, 1, 3, 0, time.time_ns() + hour)]
    started = time.monotonic()

    assert not seen.is_settled()
    assert time.monotonic() - started < 0.5


@pytest.mark.parametrize(("age", "settled"), [(1, False), (5, True)])
def test_whole_seconds_take_more_time_to_settle(folder: Path, age: int, *, settled: bool) -> None:
    seen = Look()
    second = 1_000_000_000
    at = time.time_ns() // second * second - age * second
    seen.folders[str(folder / "inner")] = [("file", 0o100644, 1, 3, at, at)]

    assert seen.is_settled() is settled


def test_a_folder_that_cannot_be_looked_at_is_an_error(folder: Path) -> None:
    if not os.geteuid():
        pytest.skip("root may look everywhere")
    (folder / "inner").chmod(0)

    with pytest.raises(PermissionError):
        look(folder)


def test_looking_again_at_what_was_written_finds_all_of_it(folder: Path) -> None:
    before = look(folder)
    (folder / "inner/file").write_text("three")
    (folder / "inner/new/deep").mkdir(parents=True)
    (folder / "inner/away").symlink_to(folder.parent / "elsewhere")
    (folder.parent / "elsewhere").mkdir()
    (folder.parent / "elsewhere/file").write_text("one")

    again = look_again(before, str(folder), written=["inner"], leave_out=NOTHING)

    assert again.digest() == look(folder).digest() != before.digest()


def test_looking_again_takes_everything_else_as_it_was(folder: Path) -> None:
    before = look(folder)
    (folder / "git/HEAD").write_text("ref: refs/heads/main\n")
    again = look_again(before, str(folder), written=["inner"], leave_out=NOTHING)

    assert again.digest() == before.digest() != look(folder).digest()


def test_looking_again_sees_what_comes_and_goes_beside_what_was_written(folder: Path) -> None:
    before = look(folder)
    (folder / "new").mkdir()
    (folder / "link").unlink()
    again = look_again(before, str(folder), written=["inner"], leave_out=NOTHING)

    assert sorted(again.changed_since(before)) == [f"{folder}/link", f"{folder}/new"]
