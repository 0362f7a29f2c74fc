"""Downloads in their places."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters.files.archives import Member
from commodore_py.config import WorkPaths
from commodore_py.dependencies.downloads.bounds import Bounds
from commodore_py.dependencies.downloads.placing import put_all
from commodore_py.dependencies.downloads.plan import Placement
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from pathlib import Path


def put(root: Path, *contents: dict[str, bytes]) -> None:
    """Put several contents into one place."""
    bounds = Bounds(WorkPaths(root), root, {})
    placements = [
        Placement(
            root / "place",
            f"source{number}",
            f"digest{number}",
            lambda files=files: {name: Member(text) for name, text in files.items()},  # type: ignore[misc] # bound now
            f"download {number}",
            whole=False,
        )
        for number, files in enumerate(contents)
    ]
    put_all(placements, bounds, lambda _: None, keep_extras=True)


@pytest.mark.parametrize(
    ("contents", "expected"),
    [
        ([{"a/b": b"1", "a/c/d": b"2"}, {"a/c/e": b"3"}], ["a/b", "a/c/d", "a/c/e"]),
        ([{"a": b"1"}, {"a/b": b"2", "a/c/d": b"3"}], ["a/b", "a/c/d"]),
    ],
)
def test_later_contents_lie_over_earlier_ones(
    tmp_path: Path, contents: list[dict[str, bytes]], expected: list[str]
) -> None:
    put(tmp_path, *contents)

    place = tmp_path / "place"
    found = sorted(str(one.relative_to(place)) for one in place.rglob("*") if one.is_file())
    assert found == expected


@pytest.mark.parametrize("name", [".git", ".git/config"])
def test_nothing_of_git_s_is_overwritten(tmp_path: Path, name: str) -> None:
    bounds = Bounds(WorkPaths(tmp_path), tmp_path, {})

    bounds.check([tmp_path / ".gitignore", tmp_path / "a/.git"])
    with pytest.raises(CommodoreError, match="would overwrite files of Git"):
        bounds.check([tmp_path / "fine", tmp_path / name])


@pytest.mark.parametrize("name", ["facts/clusters", "facts/clusters/c-1.yaml", "token"])
def test_facts_and_tokens_are_not_overwritten(tmp_path: Path, name: str) -> None:
    private = (f"{tmp_path}/facts/clusters", f"{tmp_path}/token")
    bounds = Bounds(WorkPaths(tmp_path), tmp_path, {}, private)

    assert bounds.place("facts/more", "web") == tmp_path / "facts/more"
    with pytest.raises(CommodoreError, match="would overwrite files of Git or Commodore"):
        bounds.place(name, "web")
