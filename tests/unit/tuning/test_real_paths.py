"""Real paths are those that Python finds, whatever a path leads to."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commodore_py import tuning
from commodore_py.tuning.real_paths import real_path

_NAMES = ("a", "b", "link", "up", "loop", "gone", "file", "pipe", ".", "..", "a (deleted)", "é\n")


def furnished(root: Path) -> Path:
    """A folder with all kinds of things in it, each within reach of the others."""
    inner = root / "a" / "b"
    inner.mkdir(parents=True)
    (root / "a (deleted)").mkdir()
    (root / "é\n").mkdir()
    for folder in (root, root / "a", inner):
        (folder / "link").symlink_to(root / "a")
        (folder / "up").symlink_to("..")
        (folder / "loop").symlink_to("loop")
        (folder / "gone").symlink_to("nowhere/at/all")
        (folder / "file").write_text("")
        os.mkfifo(folder / "pipe")
    return root


@given(names=st.lists(st.sampled_from(_NAMES), max_size=5), slash=st.booleans())
@settings(max_examples=300, deadline=None)
def test_paths_are_those_that_python_finds(names: list[str], slash: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = "/".join([str(furnished(Path(folder))), *names]) + ("/" if slash else "")

        assert real_path(path) == os.path.realpath(path)


@pytest.mark.parametrize(
    "path",
    ["", ".", "..", "/", "//", "/proc/self/cwd/..", "/dev/stdin", "/proc/self/fd/0", "/dev/fd"],
)
def test_special_paths_are_as_python_finds_them(path: str) -> None:
    assert real_path(path) == os.path.realpath(path)


def test_a_pipe_without_a_name_has_the_path_that_python_gives_it() -> None:
    read, write = os.pipe()
    try:
        assert real_path(f"/proc/self/fd/{read}") == os.path.realpath(f"/proc/self/fd/{read}")
    finally:
        os.close(read)
        os.close(write)


def test_without_tuning_python_finds_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMMODORE_TUNING", "off")
    monkeypatch.setattr(os, "readlink", pytest.fail)
    (tmp_path / "folder").mkdir()

    assert not tuning.enabled()
    assert real_path(tmp_path / "folder") == f"{tmp_path}/folder"


def test_a_null_character_is_an_error_as_in_python() -> None:
    with pytest.raises(ValueError, match="null"):
        real_path("a\0b")
