"""What filters see of the file system."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest

from commodore_py.adapters.files.overlay import Overlay
from commodore_py.adapters.reading import NotReadable
from commodore_py.model.tree import Tree
from tests.support.builders import make_tree


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.fixture
def overlay(tmp_path: Path) -> Overlay:
    empty = Tree(empty_folders=frozenset({PurePosixPath("hollow")}))
    trees = {"app": make_tree({"one": "1", "sub/two": "2", "sub/deep/three": "3"}), "other": empty}
    return Overlay(tmp_path / "compiled", tmp_path / "catalog", trees)


def test_compiled_files_come_from_the_trees(overlay: Overlay, tmp_path: Path) -> None:
    write(tmp_path / "compiled/app/one", "stale")

    assert overlay.read(tmp_path / "compiled/app/one") == b"1"
    assert overlay.read(tmp_path / "compiled/app/sub/two") == b"2"


@pytest.mark.parametrize("place", ["compiled/app/stale", "compiled/gone/x", "catalog/refs/x"])
def test_what_earlier_runs_left_is_hidden(overlay: Overlay, tmp_path: Path, place: str) -> None:
    stale = write(tmp_path / place, "stale")

    assert overlay.read(stale) is None
    if not stale.is_relative_to(tmp_path / "compiled/app"):
        with pytest.raises(NotReadable, match="does not exist"):
            overlay.files_in(stale.parent)


def test_everything_else_comes_from_disk(overlay: Overlay, tmp_path: Path) -> None:
    write(tmp_path / "compiled-not/x", "disk")
    write(tmp_path / "compiled-not/sub/y", "disk")
    (tmp_path / "compiled-not/a-link").symlink_to("x")

    assert overlay.read(tmp_path / "compiled-not/x") == b"disk"
    assert overlay.read(tmp_path / "compiled-not/nothing") is None
    assert overlay.files_in(tmp_path / "compiled-not") == ("a-link", "x")


def test_dots_do_not_lead_around_the_overlay(overlay: Overlay, tmp_path: Path) -> None:
    write(tmp_path / "compiled/app/one", "stale")
    (tmp_path / "dependencies/app").mkdir(parents=True)

    assert overlay.read(tmp_path / "dependencies/app/../../compiled/app/one") == b"1"
    assert overlay.read(tmp_path / "compiled/../dependencies/none") is None


def test_links_to_the_working_directory_lead_to_the_overlay(
    overlay: Overlay, tmp_path: Path
) -> None:
    linked = tmp_path / "elsewhere" / "link"
    linked.parent.mkdir()
    linked.symlink_to(tmp_path)

    seen = Overlay(linked / "compiled", linked / "catalog", overlay.trees)

    assert seen.read(linked / "compiled/app/one") == b"1"
    assert seen.read(tmp_path / "compiled/app/one") == b"1"


def test_relative_paths_start_in_the_current_directory(
    overlay: Overlay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "elsewhere/x", "here")
    monkeypatch.chdir(tmp_path / "elsewhere")

    assert overlay.read(Path("x")) == b"here"
    assert overlay.read(Path("../compiled/app/one")) == b"1"


def test_folders_list_their_own_files_only(overlay: Overlay, tmp_path: Path) -> None:
    assert overlay.files_in(tmp_path / "compiled/app") == ("one",)
    assert overlay.files_in(tmp_path / "compiled/app/sub") == ("two",)
    assert overlay.files_in(tmp_path / "compiled/other/hollow") == ()
    assert overlay.files_in(tmp_path / "compiled") == ()


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("compiled/app/nothing", "does not exist"),
        ("compiled/app/one", "is not a folder"),
        ("nothing", "does not exist"),
        ("file", "is not a folder"),
    ],
)
def test_listing_no_folder_is_an_error(
    overlay: Overlay, tmp_path: Path, place: str, message: str
) -> None:
    write(tmp_path / "file", "")

    with pytest.raises(NotReadable, match=message):
        overlay.files_in(tmp_path / place)


@pytest.mark.parametrize("place", ["compiled/app/sub", "compiled/app", "compiled", "folder"])
def test_reading_a_folder_is_an_error(overlay: Overlay, tmp_path: Path, place: str) -> None:
    (tmp_path / "folder").mkdir()

    with pytest.raises(NotReadable, match="is a folder, not a file"):
        overlay.read(tmp_path / place)


def test_another_state_of_an_instance_leaves_the_first_alone(
    overlay: Overlay, tmp_path: Path
) -> None:
    later = overlay.with_tree("app", make_tree({"one": "later"}))

    assert later.read(tmp_path / "compiled/app/one") == b"later"
    assert overlay.read(tmp_path / "compiled/app/one") == b"1"


def test_folders_of_this_run_are_there_with_nothing_in_them(
    overlay: Overlay, tmp_path: Path
) -> None:
    checkout = tmp_path / "checkout"
    write(checkout / "lib/a", "a")
    write(checkout / "old/b", "b")
    made = frozenset({checkout / "new/deep", checkout / "lib/made"})

    seen = overlay.with_written({checkout / "old/b": None}, made)

    kinds = [seen.kind(checkout / one) for one in ("new", "new/deep", "none")]
    assert kinds == ["folder", "folder", None]
    assert seen.files_in(checkout / "new/deep") == ()
    assert seen.files_in(checkout / "lib") == ("a",)
    assert seen.expand(checkout / "n*/*") == [checkout / "new/deep"]
    assert seen.tree_at(checkout).empty_folders == {
        PurePosixPath("new/deep"),
        PurePosixPath("lib/made"),
    }
    with pytest.raises(NotReadable):
        seen.read(checkout / "lib")
