"""Jsonnet libraries in `vendor/`: linked by us, or fetched by jb."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from commodore_py.dependencies.jsonnet.cluster_libraries import (
    install_cluster_libraries,
    jsonnetfile,
)
from commodore_py.errors import CommodoreError, notes_of
from commodore_py.model.classpath import ClassPath
from commodore_py.model.dependency import Kind
from commodore_py.model.inventory import Inventory
from tests.support.builders import errors_in, make_config, make_dependency, make_node

if TYPE_CHECKING:
    from pathlib import Path

REMOTE = {"version": 1, "dependencies": [{"source": {"git": {"remote": "https://me:pw@h/u/r"}}}]}


class Vendored:
    """A working directory with the components foo and bar, and an instance."""

    def __init__(self, root: Path) -> None:
        self.root = root
        folder = root / "dependencies"
        for name in ("foo", "bar", "foo-2"):
            (folder / name / "lib").mkdir(parents=True)
        (folder / "foo/lib/foo.libsonnet").touch()
        self.classes = ClassPath(
            (
                make_dependency("foo", folder / "foo"),
                make_dependency("bar", folder / "bar"),
                make_dependency("foo-2", folder / "foo-2", kind=Kind.INSTANCE, component="foo"),
                make_dependency("pack", folder / "pkg.pack", kind=Kind.PACKAGE),
            )
        )

    def fetch(self, **settings: bool | str) -> None:
        listed = {name: {"url": "x", "version": "v1"} for name in ("foo", "bar")}
        node = make_node(parameters={"components": listed})
        install_cluster_libraries(
            make_config(self.root, **settings), self.classes, Inventory({"cluster": node})
        )

    def links(self) -> dict[str, str]:
        vendor = self.root / "vendor"
        return {p.name: str(p.readlink()) for p in vendor.iterdir() if p.is_symlink()}

    def wants(self, component: str, content: object) -> None:
        text = content if isinstance(content, str) else json.dumps(content)
        (self.root / "dependencies" / component / "jsonnetfile.json").write_text(text)


@pytest.fixture
def work(tmp_path: Path) -> Vendored:
    return Vendored(tmp_path)


@pytest.fixture
def no_jb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A path with nothing in it."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


EXPECTED = """\
{
    "version": 1,
    "dependencies": [
        {
            "source": {
                "local": {
                    "directory": "dependencies/bar"
                }
            }
        },
        {
            "source": {
                "local": {
                    "directory": "dependencies/zoo"
                }
            }
        },
        {
            "source": {
                "local": {
                    "directory": "dependencies/lib"
                }
            }
        }
    ],
    "legacyImports": true
}
"""


LOCK = """\
{
  "version": 1,
  "dependencies": [
    {
      "source": {
        "local": {
          "directory": "dependencies/bar"
        }
      },
      "version": ""
    },
    {
      "source": {
        "local": {
          "directory": "dependencies/foo"
        }
      },
      "version": ""
    },
    {
      "source": {
        "local": {
          "directory": "dependencies/lib"
        }
      },
      "version": ""
    }
  ],
  "legacyImports": false
}
"""


def test_the_list_is_sorted_with_our_libraries_last() -> None:
    assert jsonnetfile(["zoo", "bar"]).decode() == EXPECTED


@pytest.mark.usefixtures("no_jb")
def test_components_are_linked_without_jb(work: Vendored) -> None:
    work.fetch()

    assert work.links() == {name: f"../dependencies/{name}" for name in ("bar", "foo", "lib")}
    assert (work.root / "vendor/lib/foo.libsonnet").is_file()
    assert (work.root / "jsonnetfile.json").read_bytes() == jsonnetfile(["bar", "foo"])
    assert (work.root / "jsonnetfile.lock.json").read_text() == LOCK
    assert list((work.root / "dependencies/libs").iterdir()) == []


def test_stale_links_go_and_files_stay(work: Vendored) -> None:
    vendor = work.root / "vendor"
    (vendor / "github.com/org/mine").mkdir(parents=True)
    (vendor / "github.com/org/mine/own.libsonnet").touch()
    (vendor / "github.com/org/mine/own-link.libsonnet").symlink_to("own.libsonnet")
    (vendor / "example.com/org").mkdir(parents=True)
    (vendor / "example.com/org/old").symlink_to("nowhere")
    (vendor / "old").symlink_to("../dependencies/old")
    (vendor / "foo").symlink_to("../dependencies/bar")

    work.fetch()

    assert set(work.links()) == {"bar", "foo", "lib"}
    assert work.links()["foo"] == "../dependencies/foo"
    assert (vendor / "github.com/org/mine/own-link.libsonnet").is_symlink()
    assert not (vendor / "example.com").exists()


def test_a_folder_in_the_place_of_a_link_is_not_replaced(work: Vendored) -> None:
    mine = work.root / "vendor/foo/mine.libsonnet"
    mine.parent.mkdir(parents=True)
    mine.touch()

    with pytest.raises(CommodoreError) as caught:
        work.fetch()

    assert caught.value.where == str(mine.parent)
    assert mine.is_file()


def test_a_second_run_rewrites_nothing(work: Vendored) -> None:
    work.fetch()
    watched = [
        *(work.root / name for name in ("jsonnetfile.json", "jsonnetfile.lock.json")),
        *(work.root / "vendor").iterdir(),
        *(work.root / "dependencies/lib").iterdir(),
    ]
    before = [path.lstat().st_mtime_ns for path in watched]

    work.fetch()

    assert [path.lstat().st_mtime_ns for path in watched] == before


def test_local_mode_may_leave_vendor_alone(work: Vendored) -> None:
    work.fetch(local=True, fetch_dependencies=False)

    assert not (work.root / "vendor").exists()
    assert not (work.root / "jsonnetfile.json").exists()
    assert (work.root / "dependencies/lib/foo.libsonnet").is_symlink()


def test_local_mode_installs_libraries_unless_disabled(work: Vendored) -> None:
    (work.root / "dependencies/other").mkdir()
    work.wants("foo", {"dependencies": [{"source": {"local": {"directory": "../other"}}}]})

    work.fetch(local=True)

    assert work.links()["other"] == "../dependencies/other"


def test_broken_lists_of_components_are_reported_together(work: Vendored) -> None:
    work.wants("foo", "{")
    work.wants("bar", REMOTE)

    with pytest.raises(CommodoreError) as caught:
        work.fetch()

    foo, bar = sorted(errors_in(caught.value), key=lambda error: error.where, reverse=True)
    assert foo.where == f"{work.root}/dependencies/foo/jsonnetfile.json:1"
    assert notes_of(foo) == ("while fetching dependencies/foo",)
    assert "https://***@h/u/r is not a Git remote" in str(bar)
    assert bar.where == f"{work.root}/dependencies/bar/jsonnetfile.json:1"
    assert not (work.root / "vendor").exists()


@pytest.mark.parametrize("content", ["", "{}", '{"version": 1, "dependencies": []}'])
@pytest.mark.usefixtures("no_jb")
def test_an_empty_list_of_libraries_is_fine(work: Vendored, content: str) -> None:
    work.wants("foo", content)

    work.fetch()

    assert "foo" in work.links()


def test_versions_without_a_repository_are_reported_together(work: Vendored) -> None:
    node = make_node(parameters={"components": {"a": {}}, "packages": {"b": {}}})

    with pytest.raises(CommodoreError) as caught:
        install_cluster_libraries(
            make_config(work.root), work.classes, Inventory({"cluster": node})
        )

    assert [error.where for error in errors_in(caught.value)] == [
        "parameters.components.a",
        "parameters.packages.b",
    ]
