"""Folders that are replaced by a link while a run is at work: nothing happens behind the link."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import pytest

from commodore_py import pipeline
from commodore_py.config import WorkPaths
from commodore_py.dependencies.downloads import placing, plan
from commodore_py.errors import CommodoreError
from tests.support.builders import commit_to
from tests.support.fleet import CLUSTER, make_fleet
from tests.support.servers.charts import tar_archive
from tests.support.servers.web import serve

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support.scenarios.downloads import Downloads

PLACES = {
    "gather": (
        "catalog/.git",
        "dependencies",
        "dependencies/.repos",
        "dependencies/lib",
        "dependencies/web",
        "inventory/classes/components",
        "inventory/targets",
        "vendor",
    ),
    "publish": (".commodore", "catalog", "catalog/.git", "compiled", "../facts/reports"),
}


@pytest.mark.parametrize(
    ("step", "place"), [(step, place) for step, places in PLACES.items() for place in places]
)
def test_folder_replaced_by_link_during_run_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, place: str
) -> None:
    fleet = make_fleet(tmp_path, web={"lib/web.libsonnet": "{}"})
    pipeline.compile_catalog(fleet.config(push=True), CLUSTER, lambda _: True)
    fleet.change_data()
    commit_to(fleet.repository("component-web"), {"lib/web2.libsonnet": "{}"})
    folder, theirs = fleet.work / place, tmp_path / "theirs"
    swap = swap_of(folder, theirs)
    before = content_of(theirs)
    run = getattr(pipeline, step)

    def swap_and_run(*arguments: Any) -> Any:  # noqa: ANN401 - of any step
        swap()
        return run(*arguments)

    monkeypatch.setattr(pipeline, step, swap_and_run)
    try:
        problem = pipeline.compile_catalog(
            fleet.config(push=True), CLUSTER, lambda _: True
        ).report_problem
    except CommodoreError as error:
        problem = str(error)

    assert content_of(theirs) == before
    assert "is a link" in problem


def test_download_through_swapped_link_is_refused(
    downloads: Downloads, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serve() as web:
        source = web.put("/a.tgz", tar_archive({"a": "1", "gone": "1"}))
        entry = downloads.file(source, "deep/out", unpack=True)
        downloads.fetch(entry)
        web.put("/a.tgz", tar_archive({"a": "2", "new": "2"}))
        theirs = tmp_path / "theirs"
        swap = swap_of(downloads.place / "deep", theirs)
        before = content_of(theirs)
        planned = plan.planned_files

        def planned_and_swapped(*arguments: Any) -> Any:  # noqa: ANN401 - as above
            files = planned(*arguments)
            swap()
            return files

        monkeypatch.setattr(placing, "planned_files", planned_and_swapped)
        (error,) = downloads.refused(entry)

    assert content_of(theirs) == before
    assert f"{downloads.place / 'deep'} is a link" in str(error)


def test_existing_links_of_user_are_followed(tmp_path: Path) -> None:
    fleet = make_fleet(tmp_path, web={"lib/web.libsonnet": "{}"})
    (tmp_path / "disk/deps").mkdir(parents=True)
    (tmp_path / "disk/work").mkdir()
    (tmp_path / "disk/work/dependencies").symlink_to("../deps")
    fleet.work.symlink_to("disk/work")

    pipeline.compile_catalog(fleet.config(push=True), CLUSTER, lambda _: True)

    assert (tmp_path / "disk/deps/lib/web.libsonnet").is_symlink()
    assert fleet.catalog_files().keys() == {"manifests/web/out.yaml"}


@pytest.mark.parametrize("place", ["dependencies/web", "inventory/classes/t-acme", "vendor"])
def test_linked_checkouts_are_compiled_locally(tmp_path: Path, place: str) -> None:
    fleet = make_fleet(
        tmp_path,
        web={"jsonnetfile.jsonnet": "{version: 1, dependencies: []}", "lib/web.json": "{}"},
    )
    pipeline.compile_catalog(fleet.config(), CLUSTER, lambda _: False)
    folder = fleet.work / place
    folder.mkdir(exist_ok=True)
    folder.rename(tmp_path / "mine")
    folder.symlink_to(tmp_path / "mine")

    config = fleet.config(local=True, paths=WorkPaths(fleet.work.resolve()))
    pipeline.compile_catalog(config, CLUSTER, lambda _: False)

    assert folder.is_symlink()
    assert (fleet.work / "compiled/web").is_dir()


def swap_of(folder: Path, theirs: Path) -> Callable[[], None]:
    """A step that replaces a folder by a link to a copy with more files in it."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copytree(folder, theirs, symlinks=True)
    for name in ("a.txt", "b.yml", ".commodore-1-0123abcd.new"):
        (theirs / name).write_text("precious")
    (theirs / "link.yml").symlink_to("b.yml")

    def swap() -> None:
        shutil.rmtree(folder)
        folder.symlink_to(theirs)

    return swap


def content_of(folder: Path) -> dict[str, object]:
    paths = {str(path.relative_to(folder)): path for path in folder.rglob("*")}
    return {
        name: path.readlink() if path.is_symlink() else path.is_file() and path.read_bytes()
        for name, path in paths.items()
    }
