"""The folder of links to libraries of components: what is removed from it, and what stays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from commodore_py.dependencies.jsonnet.libraries import link_libraries
from commodore_py.errors import CommodoreError
from tests.support.builders import make_dependency

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.model.dependency import Dependency

PARAMETERS: dict[str, Any] = {"components": {"foo": {"url": "x"}}}


@pytest.fixture
def foo(tmp_path: Path) -> Dependency:
    """A component with one library, and an empty folder of links."""
    worktree = tmp_path / "dependencies/foo"
    (worktree / "lib").mkdir(parents=True)
    (worktree / "lib/foo.libsonnet").write_text("foo")
    (tmp_path / "dependencies/lib").mkdir()
    return make_dependency("foo", worktree)


def test_unused_links_are_removed_and_files_kept(tmp_path: Path, foo: Dependency) -> None:
    lib = tmp_path / "dependencies/lib"
    (lib / "old.libsonnet").symlink_to("../old/lib/old.libsonnet")
    (lib / "foo.libsonnet").symlink_to("../elsewhere")
    (lib / "mine.libsonnet").write_text("mine")

    link_libraries(lib, [foo], PARAMETERS, keep_others=True)
    assert (lib / "old.libsonnet").is_symlink()
    link_libraries(lib, [foo], PARAMETERS, keep_others=False)

    assert {path.name: str(path.readlink()) for path in lib.iterdir() if path.is_symlink()} == {
        "foo.libsonnet": "../foo/lib/foo.libsonnet"
    }
    assert (lib / "mine.libsonnet").read_text() == "mine"


def test_file_in_the_place_of_a_link_is_not_replaced(tmp_path: Path, foo: Dependency) -> None:
    file = tmp_path / "dependencies/lib/foo.libsonnet"
    file.write_text("mine")

    with pytest.raises(CommodoreError) as caught:
        link_libraries(file.parent, [foo], PARAMETERS, keep_others=False)

    assert caught.value.where == str(file)
    assert file.read_text() == "mine"
