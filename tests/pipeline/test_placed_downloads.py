"""Downloads are put where they are wanted, and nothing of anybody else is lost."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.builders import git
from tests.support.scenarios.downloads import Downloads
from tests.support.servers.charts import chart_archive, chart_repository, tar_archive
from tests.support.servers.web import serve

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.servers.web import Web

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def web() -> Iterator[Web]:
    with serve() as server:
        yield server


@pytest.fixture
def world(tmp_path: Path) -> Downloads:
    return Downloads(tmp_path)


def test_an_unpacked_folder_is_replaced_not_merged(world: Downloads, web: Web) -> None:
    entry = world.file(web.put("/a.tgz", tar_archive({"old/a": "1", "b": "1"})), "out", unpack=True)
    world.fetch(entry)
    web.put("/a.tgz", tar_archive({"b": "2", "c": "2"}))

    world.fetch(entry)

    assert world.files("out") == {"b": "2", "c": "2"}
    assert not (world.place / "out/old").exists()


def test_what_others_have_put_beside_it_stays(world: Downloads, web: Web) -> None:
    entry = world.file(web.put("/a.tgz", tar_archive({"b": "1"})), "out", unpack=True)
    world.fetch(entry)
    (world.place / "out/mine").write_text("mine")
    web.put("/a.tgz", tar_archive({"c": "2"}))

    world.fetch(entry)

    assert world.files("out") == {"c": "2", "mine": "mine"}


def test_an_edited_file_is_kept_aside(
    world: Downloads, web: Web, caplog: pytest.LogCaptureFixture
) -> None:
    entry = world.file(web.put("/a", "one"))
    world.fetch(entry)
    (world.place / "file.yaml").write_text("mine")

    world.fetch(entry)

    (kept,) = (world.place / ".git/commodore-put-aside").rglob("file.yaml")
    assert (kept.read_text(), world.files()["file.yaml"]) == ("mine", "one")
    assert str(kept) in caplog.text


def test_files_in_a_chart_that_came_from_nobody_are_kept_aside(world: Downloads, web: Web) -> None:
    source = chart_repository(web, {("own", "1.0.0"): chart_archive("own", "1.0.0")})
    (world.place / "chart/templates").mkdir(parents=True)
    (world.place / "chart/templates/old.yaml").write_text("old")

    world.fetch(world.chart(source, "1.0.0"))

    assert "templates/old.yaml" not in world.files("chart")
    assert len([*(world.place / ".git/commodore-put-aside").rglob("old.yaml")]) == 1


def test_a_file_of_the_repository_may_be_put_over_but_is_told(
    world: Downloads, web: Web, caplog: pytest.LogCaptureFixture
) -> None:
    entry = world.file(web.put("/a", "one"), "tracked.txt")

    world.fetch(entry)

    assert world.files() == {"tracked.txt": "one"}
    assert "replaces a file of the repository" in caplog.text
    git(world.place, "checkout", "--quiet", ".")
    assert len(world.refused(entry, strict=True)) == 1


@pytest.mark.parametrize("path", ["../../../outside", "/outside", "link/inner"])
def test_nothing_is_put_outside(world: Downloads, web: Web, path: str) -> None:
    outside = world.root / "elsewhere"
    outside.mkdir()
    (world.place / "link").symlink_to(outside)
    to = path.replace("/outside", str(outside)) if path.startswith("/") else path
    entry = {**world.file(web.put("/a", "one")), "output_path": to}
    if path.startswith("link"):
        entry["output_path"] = str(world.place / path)

    (error,) = world.refused(entry)

    assert "outside of the working directory" in str(error)
    assert not [*outside.iterdir()]


@pytest.mark.parametrize("path", [".git/hooks", ".git"])
def test_nothing_is_put_where_git_keeps_its_own(world: Downloads, web: Web, path: str) -> None:
    (error,) = world.refused(world.file(web.put("/a", "one"), path))

    assert ".git" in str(error)


def test_places_inside_of_each_other_are_filled_in_order(world: Downloads, web: Web) -> None:
    outer = world.file(
        web.put("/a.tgz", tar_archive({"x/a": "outer", "x/b": "outer"})), "out", unpack=True
    )
    inner = world.file(web.put("/b", "inner"), "out/x/b")

    world.fetch(outer, inner)
    world.fetch(outer, inner)

    assert world.files("out") == {"x/a": "outer", "x/b": "inner"}


def test_a_run_that_changes_nothing_writes_nothing(world: Downloads, web: Web) -> None:
    entry = world.file(web.put("/a.tgz", tar_archive({"a": "1", "b": "1"})), "out", unpack=True)
    world.fetch(entry)
    before = {p: p.stat().st_mtime_ns for p in (world.place / "out").rglob("*")}

    world.fetch(entry)

    assert {p: p.stat().st_mtime_ns for p in (world.place / "out").rglob("*")} == before


def test_of_one_source_at_one_place_the_first_counts(
    world: Downloads, web: Web, caplog: pytest.LogCaptureFixture
) -> None:
    charts = {("own", version): chart_archive("own", version) for version in ("1.0.0", "2.0.0")}
    source = chart_repository(web, charts)

    world.fetch(world.chart(source, "1.0.0"), world.chart(source, "2.0.0"))

    assert "version: 1.0.0" in world.files("chart")["Chart.yaml"]
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
def test_a_run_that_was_killed_is_mended_by_the_next(
    world: Downloads, web: Web, written: int
) -> None:
    old = {f"{n % 7}/old-{n}": f"{n}" for n in range(400)}
    new = {f"{n % 7}/{'old' if n % 2 else 'new'}-{n}": f"{n} again" for n in range(400)}
    url = web.put("/a.tgz", tar_archive(old))
    world.fetch(world.file(url, "out", unpack=True))
    web.put("/a.tgz", tar_archive(new))
    world.fetch(world.file(url, "elsewhere"))  # so that it is in the cache
    command = [sys.executable, "-c", KILLED, str(world.root), url]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT) as run:
        assert run.stdout is not None
        run.stdout.readline()
        while run.poll() is None and len([*(world.place / "out").glob("*/new-*")]) < written:
            time.sleep(0.001)
        run.kill()
    assert run.returncode != 0
    assert world.files("out") != new

    world.fetch(world.file(url, "out", unpack=True))

    assert world.files("out") == new
    assert not (world.place / ".git/commodore-put-aside").exists()


@pytest.mark.parametrize("swapped", [False, True], ids=["a file last", "a folder last"])
def test_a_file_and_a_folder_of_one_name(
    world: Downloads, web: Web, caplog: pytest.LogCaptureFixture, *, swapped: bool
) -> None:
    folder = world.file(web.put("/a.tgz", tar_archive({"in/a": "1", "b": "1"})), "out", unpack=True)
    file = world.file(web.put("/c.tgz", tar_archive({"in": "2"})), "out", unpack=True)
    both = (file, folder) if swapped else (folder, file)

    world.fetch(*both)
    world.fetch(*both)

    assert world.files("out") == {"b": "1", **({"in/a": "1"} if swapped else {"in": "2"})}
    assert f"{world.place}/out/in is a file in one of them" in caplog.text


def test_a_file_over_the_folder_of_another(world: Downloads, web: Web) -> None:
    folder = world.file(web.put("/a.tgz", tar_archive({"in/a": "1"})), "out/it", unpack=True)
    world.fetch(folder)

    world.fetch(folder, world.file(web.put("/b", "2"), "out/it"))

    assert world.files("out") == {"it": "2"}
