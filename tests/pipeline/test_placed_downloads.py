"""Downloads are put where they are wanted, and nothing of anybody else is lost."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.builders import git
from tests.support.servers.charts import chart_archive, chart_repository, tar_archive
from tests.support.servers.web import serve

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.scenarios.downloads import Downloads
    from tests.support.servers.web import Web

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def web() -> Iterator[Web]:
    with serve() as server:
        yield server


def test_unpacked_folder_is_replaced_not_merged(downloads: Downloads, web: Web) -> None:
    entry = downloads.file(
        web.put("/a.tgz", tar_archive({"old/a": "1", "b": "1"})), "out", unpack=True
    )
    downloads.fetch(entry)
    web.put("/a.tgz", tar_archive({"b": "2", "c": "2"}))

    downloads.fetch(entry)

    assert downloads.files("out") == {"b": "2", "c": "2"}
    assert not (downloads.place / "out/old").exists()


def test_foreign_file_in_unpacked_folder_is_kept(downloads: Downloads, web: Web) -> None:
    entry = downloads.file(web.put("/a.tgz", tar_archive({"b": "1"})), "out", unpack=True)
    downloads.fetch(entry)
    (downloads.place / "out/mine").write_text("mine")
    web.put("/a.tgz", tar_archive({"c": "2"}))

    downloads.fetch(entry)

    assert downloads.files("out") == {"c": "2", "mine": "mine"}


def test_edited_download_is_backed_up(
    downloads: Downloads, web: Web, caplog: pytest.LogCaptureFixture
) -> None:
    entry = downloads.file(web.put("/a", "one"))
    downloads.fetch(entry)
    (downloads.place / "file.yaml").write_text("mine")

    downloads.fetch(entry)

    (backup,) = (downloads.place / ".git/commodore-put-aside").rglob("file.yaml")
    assert (backup.read_text(), downloads.files()["file.yaml"]) == ("mine", "one")
    assert str(backup) in caplog.text


def test_unmanaged_files_in_chart_are_backed_up(downloads: Downloads, web: Web) -> None:
    source = chart_repository(web, {("own", "1.0.0"): chart_archive("own", "1.0.0")})
    (downloads.place / "chart/templates").mkdir(parents=True)
    (downloads.place / "chart/templates/old.yaml").write_text("old")

    downloads.fetch(downloads.chart(source, "1.0.0"))

    assert "templates/old.yaml" not in downloads.files("chart")
    assert len([*(downloads.place / ".git/commodore-put-aside").rglob("old.yaml")]) == 1


def test_download_over_tracked_file_warns(
    downloads: Downloads, web: Web, caplog: pytest.LogCaptureFixture
) -> None:
    entry = downloads.file(web.put("/a", "one"), "tracked.txt")

    downloads.fetch(entry)

    assert downloads.files() == {"tracked.txt": "one"}
    assert "replaces a file of the repository" in caplog.text
    git(downloads.place, "checkout", "--quiet", ".")
    assert len(downloads.refused(entry, strict=True)) == 1


@pytest.mark.parametrize(
    "path",
    ["catalog", "catalog/manifests/x", "catalog/.github/x", "clusters/c-two/x", "clusters/c-two"],
)
def test_catalogs_and_other_clusters_are_not_written_to(
    downloads: Downloads, web: Web, path: str
) -> None:
    (downloads.root / "work/clusters/c-two/.commodore").mkdir(parents=True)
    entry = {**downloads.file(web.put("/a", "one")), "output_path": path}

    (error,) = downloads.refused(entry)

    assert "of Git or Commodore" in str(error) or "of another cluster" in str(error)


@pytest.mark.parametrize(
    ("path", "own"),
    [
        ("dependencies/own/x", True),
        ("./dependencies/../dependencies/own/x", True),
        ("x", True),
        ("charts/x", True),
        ("dependencies/more/x", True),
        ("dependencies/other/x", False),
        ("dependencies", False),
        ("link", False),
        ("inventory/classes/global/x.yml", False),
        ("vendor/x", False),
        ("compiled/x", False),
        ("dependencies/lib/x", False),
    ],
)
def test_download_into_foreign_folder_fails_when_strict(
    downloads: Downloads, web: Web, caplog: pytest.LogCaptureFixture, path: str, own: bool
) -> None:
    downloads.others.append("other")
    (downloads.root / "work/dependencies/other").mkdir()
    (downloads.root / "work/link").symlink_to(downloads.root / "work/dependencies/other")
    source = web.put("/a.tgz", tar_archive({"b": "1"}))
    entry = {**downloads.file(source, unpack=True), "output_path": path}

    for _ in range(2):
        caplog.clear()
        downloads.fetch(entry)
        assert ("belongs to others" not in caplog.text) is own
    if not own:
        (error,) = downloads.refused(entry, strict=True)
        assert "belongs to others" in str(error)


@pytest.mark.parametrize("path", ["../../../outside", "/outside", "link/inner"])
def test_download_outside_of_working_directory_is_refused(
    downloads: Downloads, web: Web, path: str
) -> None:
    outside = downloads.root / "elsewhere"
    outside.mkdir()
    (downloads.place / "link").symlink_to(outside)
    to = path.replace("/outside", str(outside)) if path.startswith("/") else path
    entry = {**downloads.file(web.put("/a", "one")), "output_path": to}
    if path.startswith("link"):
        entry["output_path"] = str(downloads.place / path)

    (error,) = downloads.refused(entry)

    assert "outside of the working directory" in str(error)
    assert not [*outside.iterdir()]


@pytest.mark.parametrize("path", [".git/hooks", ".git"])
def test_download_into_git_folder_is_refused(downloads: Downloads, web: Web, path: str) -> None:
    (error,) = downloads.refused(downloads.file(web.put("/a", "one"), path))

    assert ".git" in str(error)


def test_places_inside_of_each_other_are_filled_in_order(downloads: Downloads, web: Web) -> None:
    outer = downloads.file(
        web.put("/a.tgz", tar_archive({"x/a": "outer", "x/b": "outer"})), "out", unpack=True
    )
    inner = downloads.file(web.put("/b", "inner"), "out/x/b")

    downloads.fetch(outer, inner)
    downloads.fetch(outer, inner)

    assert downloads.files("out") == {"x/a": "outer", "x/b": "inner"}


def test_unchanged_download_is_not_rewritten(downloads: Downloads, web: Web) -> None:
    entry = downloads.file(web.put("/a.tgz", tar_archive({"a": "1", "b": "1"})), "out", unpack=True)
    downloads.fetch(entry)
    before = {p: p.stat().st_mtime_ns for p in (downloads.place / "out").rglob("*")}

    downloads.fetch(entry)

    assert {p: p.stat().st_mtime_ns for p in (downloads.place / "out").rglob("*")} == before


def test_first_of_two_downloads_to_one_path_wins(
    downloads: Downloads, web: Web, caplog: pytest.LogCaptureFixture
) -> None:
    charts = {("own", version): chart_archive("own", version) for version in ("1.0.0", "2.0.0")}
    source = chart_repository(web, charts)

    downloads.fetch(downloads.chart(source, "1.0.0"), downloads.chart(source, "2.0.0"))

    assert "version: 1.0.0" in downloads.files("chart")["Chart.yaml"]
    assert "2.0.0" in caplog.text
    assert "is skipped" in caplog.text


KILLED = """
import sys
from pathlib import Path
from tests.support.scenarios.downloads import Downloads

world = object.__new__(Downloads)
world.root = Path(sys.argv[1])
world.config = __import__("tests.support.builders", fromlist=["x"]).make_config(
    world.root / "work", download_cache=world.root / "cache", local=True, offline=True
)
print("ready", flush=True)
world.fetch(world.file(sys.argv[2], "out", unpack=True))
"""


@pytest.mark.parametrize("written", [1, 120])
def test_next_run_repairs_after_kill(downloads: Downloads, web: Web, written: int) -> None:
    old = {f"{n % 7}/old-{n}": f"{n}" for n in range(400)}
    new = {f"{n % 7}/{'old' if n % 2 else 'new'}-{n}": f"{n} again" for n in range(400)}
    url = web.put("/a.tgz", tar_archive(old))
    downloads.fetch(downloads.file(url, "out", unpack=True))
    web.put("/a.tgz", tar_archive(new))
    downloads.fetch(downloads.file(url, "elsewhere"))  # so that it is in the cache
    command = [sys.executable, "-c", KILLED, str(downloads.root), url]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT) as run:
        assert run.stdout is not None
        run.stdout.readline()
        while run.poll() is None and len([*(downloads.place / "out").glob("*/new-*")]) < written:
            time.sleep(0.001)
        run.kill()
    assert run.returncode != 0
    assert downloads.files("out") != new

    downloads.fetch(downloads.file(url, "out", unpack=True))

    assert downloads.files("out") == new
    assert not (downloads.place / ".git/commodore-put-aside").exists()


@pytest.mark.parametrize("swapped", [False, True], ids=["a file last", "a folder last"])
def test_later_download_wins_where_file_and_folder_conflict(
    downloads: Downloads, web: Web, caplog: pytest.LogCaptureFixture, *, swapped: bool
) -> None:
    folder = downloads.file(
        web.put("/a.tgz", tar_archive({"in/a": "1", "b": "1"})), "out", unpack=True
    )
    file = downloads.file(web.put("/c.tgz", tar_archive({"in": "2"})), "out", unpack=True)
    both = (file, folder) if swapped else (folder, file)

    downloads.fetch(*both)
    downloads.fetch(*both)

    assert downloads.files("out") == {"b": "1", **({"in/a": "1"} if swapped else {"in": "2"})}
    assert f"{downloads.place}/out/in is a file in one of them" in caplog.text


def test_file_download_replaces_earlier_folder(downloads: Downloads, web: Web) -> None:
    folder = downloads.file(web.put("/a.tgz", tar_archive({"in/a": "1"})), "out/it", unpack=True)
    downloads.fetch(folder)

    downloads.fetch(folder, downloads.file(web.put("/b", "2"), "out/it"))

    assert downloads.files("out") == {"it": "2"}
