"""Jsonnet libraries in `vendor/`: linked by us, or fetched by jb."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from commodore_py.dependencies import fetch_vendored
from commodore_py.dependencies.bundler import jsonnetfile, lock_file
from commodore_py.errors import CommodoreError, NotBuiltYet
from commodore_py.model import ClassPath, Inventory, Kind
from tests.builders import errors_in, make_config, make_dependency, make_node

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

    def fetch(self, **settings: bool) -> None:
        listed = {name: {"url": "x", "version": "v1"} for name in ("foo", "bar")}
        node = make_node(parameters={"components": listed})
        fetch_vendored(
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


def test_the_list_is_sorted_with_our_libraries_last() -> None:
    assert jsonnetfile(["zoo", "bar"]).decode() == EXPECTED


def test_the_lock_is_sorted_by_name() -> None:
    lock = lock_file(["zoo", "bar"]).decode()

    content = json.loads(lock)
    folders = [entry["source"]["local"]["directory"] for entry in content["dependencies"]]
    assert folders == ["dependencies/bar", "dependencies/lib", "dependencies/zoo"]
    assert content["legacyImports"] is False
    assert lock.startswith('{\n  "version": 1,\n  "dependencies": [\n    {\n      "source": {\n')
    assert '      },\n      "version": ""\n    },\n' in lock
    assert lock.endswith('  ],\n  "legacyImports": false\n}\n')


@pytest.mark.usefixtures("no_jb")
def test_components_are_linked_without_jb(work: Vendored) -> None:
    work.fetch()

    assert work.links() == {name: f"../dependencies/{name}" for name in ("bar", "foo", "lib")}
    assert (work.root / "vendor/lib/foo.libsonnet").is_file()
    assert (work.root / "jsonnetfile.json").read_bytes() == jsonnetfile(["bar", "foo"])
    assert (work.root / "jsonnetfile.lock.json").read_bytes() == lock_file(["bar", "foo"])
    assert list((work.root / "dependencies/libs").iterdir()) == []


def test_stale_links_go_and_folders_stay(work: Vendored) -> None:
    vendor = work.root / "vendor"
    (vendor / "github.com/org").mkdir(parents=True)
    (vendor / "old").symlink_to("../dependencies/old")
    (vendor / "foo").symlink_to("../dependencies/bar")

    work.fetch()

    assert set(work.links()) == {"bar", "foo", "lib"}
    assert work.links()["foo"] == "../dependencies/foo"
    assert (vendor / "github.com/org").is_dir()


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


@pytest.mark.usefixtures("no_jb")
def test_remote_libraries_without_jb_are_told_with_a_remedy(work: Vendored) -> None:
    work.wants("foo", REMOTE)
    work.wants("bar", {"dependencies": [{"source": {"local": {"directory": "../other"}}}]})

    with pytest.raises(NotBuiltYet) as caught:
        work.fetch()

    assert "(bar wants ../other; foo wants https://me:***@h/u/r)" in str(caught.value)
    assert "install jsonnet-bundler (jb)" in caught.value.hint
    assert not (work.root / "vendor").exists()


def a_jb(folder: Path, script: str) -> None:
    (folder / "jb").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "jb").chmod(0o755)


def test_jb_is_called_in_the_work_folder_without_a_lock(
    work: Vendored, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin").mkdir()
    a_jb(tmp_path / "bin", 'echo "$@ in $PWD" > called; ls >> called')
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)
    work.wants("foo", REMOTE)
    (work.root / "jsonnetfile.lock.json").write_text("old")

    work.fetch()

    called = (work.root / "called").read_text().splitlines()
    assert called[0] == f"install in {work.root}"
    assert "jsonnetfile.json" in called
    assert "jsonnetfile.lock.json" not in called


@pytest.mark.spec("03.18", "05.18")
def test_a_failing_jb_is_told_with_the_libraries(
    work: Vendored, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin").mkdir()
    a_jb(tmp_path / "bin", "echo no such version >&2; exit 1")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)
    work.wants("foo", REMOTE)

    with pytest.raises(CommodoreError) as caught:
        work.fetch()

    assert str(caught.value) == "jb failed with status 1: no such version"
    assert caught.value.__notes__ == ["component foo wants https://me:***@h/u/r"]


@pytest.mark.parametrize(
    "content",
    [
        "{",
        "[]",
        '{"dependencies": [1]}',
        '{"dependencies": [{}]}',
        '{"dependencies": [{"source": null}]}',
    ],
)
def test_a_broken_list_of_libraries_is_told(work: Vendored, content: str) -> None:
    work.wants("foo", content)

    with pytest.raises(CommodoreError) as caught:
        work.fetch()

    assert "not a jsonnet-bundler file" in str(caught.value)
    assert caught.value.where == str(work.root / "dependencies/foo/jsonnetfile.json")


@pytest.mark.parametrize("content", ["", "{}", '{"version": 1, "dependencies": []}'])
@pytest.mark.usefixtures("no_jb")
def test_an_empty_list_of_libraries_needs_no_jb(work: Vendored, content: str) -> None:
    work.wants("foo", content)

    work.fetch()

    assert "foo" in work.links()


def test_a_list_made_by_jsonnet_is_not_built_yet(work: Vendored) -> None:
    (work.root / "dependencies/foo/jsonnetfile.jsonnet").write_text("{}")

    with pytest.raises(NotBuiltYet) as caught:
        work.fetch()

    assert "jsonnetfile.jsonnet of component foo" in str(caught.value)


def test_versions_without_a_repository_are_told_together(work: Vendored) -> None:
    node = make_node(parameters={"components": {"a": {}}, "packages": {"b": {}}})

    with pytest.raises(CommodoreError) as caught:
        fetch_vendored(make_config(work.root), work.classes, Inventory({"cluster": node}))

    assert [error.where for error in errors_in(caught.value)] == [
        "parameters.components.a",
        "parameters.packages.b",
    ]
