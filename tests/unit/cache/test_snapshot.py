"""Snapshots of folders: every change shows, and no two changes look alike."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest

from commodore_py.cache.up_to_date.snapshot import Snapshot, take, take_again

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NOTHING: frozenset[str] = frozenset()


def snapshot_of(folder: Path, *more: str) -> Snapshot:
    return take(str(folder), more, ignored=NOTHING)


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
    before = snapshot_of(folder)
    assert before.is_settled()
    change(folder)

    after = snapshot_of(folder)

    assert after.digest() != before.digest()
    assert [*after.changed_since(before)]


def test_unchanged_files_give_the_same_digest(folder: Path) -> None:
    before = snapshot_of(folder)
    (folder / "passing").touch()
    (folder / "passing").unlink()
    (folder / "git/objects/bb").write_text("blob")
    (folder / "git/logs/HEAD").write_text("something happened\n")

    after = snapshot_of(folder)

    assert after.digest() == before.digest()
    assert [*after.changed_since(before)] == []


def test_only_what_has_changed_is_named(folder: Path) -> None:
    before = snapshot_of(folder)
    (folder / "inner/file").write_text("three")
    (folder / "new").mkdir()
    (folder / "new/file").touch()

    changed = {*snapshot_of(folder).changed_since(before)}

    assert changed == {f"{folder}/{name}" for name in ("inner/file", "new", "new/file")}


def test_targets_of_links_are_in_the_snapshot_wherever_they_are(
    folder: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    (outside / "deep").mkdir(parents=True)
    (outside / "deep/file").write_text("one")
    (folder / "out").symlink_to(outside)
    (outside / "back").symlink_to(folder)
    before = snapshot_of(folder)
    assert before.is_settled()

    (outside / "deep/file").write_text("two")

    assert snapshot_of(folder).digest() != before.digest()


def test_named_paths_are_in_the_snapshot_even_if_they_do_not_exist_yet(
    folder: Path, tmp_path: Path
) -> None:
    named = tmp_path / "named"
    before = snapshot_of(folder, str(named))

    named.write_text("there")

    assert snapshot_of(folder, str(named)).digest() != before.digest()


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long is slept, each time."""
    slept, sleep = list[float](), time.sleep

    def noted(seconds: float) -> None:
        slept.append(seconds)
        sleep(seconds)

    monkeypatch.setattr(time, "sleep", noted)
    return slept


def test_a_young_file_is_waited_for_but_not_long(folder: Path, pauses: list[float]) -> None:
    (folder / "inner/file").write_text("now")

    assert snapshot_of(folder).is_settled()
    assert sum(pauses) < 0.5


def test_a_file_that_changes_meanwhile_is_not_settled(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "inner/file").write_text("now")
    seen = snapshot_of(folder)

    def edited(_: float) -> None:
        (folder / "inner/file").write_text("then")

    monkeypatch.setattr(time, "sleep", edited)

    assert not seen.is_settled()


def test_a_clock_that_is_ahead_is_not_waited_for(folder: Path, pauses: list[float]) -> None:
    seen = snapshot_of(folder)
    hour = 3_600_000_000_000
    seen.folders[str(folder / "inner")] = [("file", 0o100644, 1, 3, 0, time.time_ns() + hour)]

    assert not seen.is_settled()
    assert pauses == []


@pytest.mark.parametrize(("age", "settled"), [(1, False), (5, True)])
def test_whole_seconds_take_more_time_to_settle(folder: Path, age: int, *, settled: bool) -> None:
    seen = Snapshot()
    second = 1_000_000_000
    at = time.time_ns() // second * second - age * second
    seen.folders[str(folder / "inner")] = [("file", 0o100644, 1, 3, at, at)]

    assert seen.is_settled() is settled


def test_a_folder_that_cannot_be_read_is_an_error(folder: Path) -> None:
    if not os.geteuid():
        pytest.skip("root may read everything")
    (folder / "inner").chmod(0)

    with pytest.raises(PermissionError):
        snapshot_of(folder)


def test_a_second_snapshot_finds_all_that_was_written(folder: Path) -> None:
    before = snapshot_of(folder)
    (folder / "inner/file").write_text("three")
    (folder / "inner/new/deep").mkdir(parents=True)
    (folder / "inner/away").symlink_to(folder.parent / "elsewhere")
    (folder.parent / "elsewhere").mkdir()
    (folder.parent / "elsewhere/file").write_text("one")

    again = take_again(before, str(folder), written=["inner"], ignored=NOTHING)

    assert again.digest() == snapshot_of(folder).digest() != before.digest()


def test_a_second_snapshot_takes_everything_else_from_the_first(folder: Path) -> None:
    before = snapshot_of(folder)
    (folder / "git/HEAD").write_text("ref: refs/heads/main\n")
    again = take_again(before, str(folder), written=["inner"], ignored=NOTHING)

    assert again.digest() == before.digest() != snapshot_of(folder).digest()


def test_a_second_snapshot_sees_what_comes_and_goes_beside_what_was_written(folder: Path) -> None:
    before = snapshot_of(folder)
    (folder / "new").mkdir()
    (folder / "link").unlink()
    again = take_again(before, str(folder), written=["inner"], ignored=NOTHING)

    assert sorted(again.changed_since(before)) == [f"{folder}/link", f"{folder}/new"]


def test_a_part_is_recognised_by_its_rows(folder: Path) -> None:
    part = take("", [str(folder / "inner")], ignored=NOTHING)

    assert part.is_part_of(snapshot_of(folder, str(folder / "inner")))
    (folder / "inner/file").write_text("two")
    assert not part.is_part_of(snapshot_of(folder, str(folder / "inner")))


def test_what_is_ignored_everywhere_is_ignored_beside_what_is_ignored_there(tmp_path: Path) -> None:
    for name in ("lib/cached", "lib/demo", "lib/kept", "cached"):
        (tmp_path / name).mkdir(parents=True)

    seen = take(
        str(tmp_path),
        ignored=frozenset([f"{tmp_path}/lib/demo"]),
        ignored_everywhere=frozenset(["cached"]),
    )

    assert sorted(seen.folders) == [f"{tmp_path}{name}" for name in ("", "/lib", "/lib/kept")]
