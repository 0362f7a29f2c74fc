"""Files, archives, charts and repositories: fetched once, put where they are wanted."""

from __future__ import annotations

import hashlib
import io
import json
import subprocess
import sys
import tarfile
import time
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.builders import a_repository_with, commit_to, git, url_of
from tests.pipeline.downloads_world import Downloads
from tests.web_servers.charts import a_chart, a_repository, a_tar
from tests.web_servers.registry import Registry
from tests.web_servers.web import serve

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.web_servers.web import Web

ROOT = Path(__file__).resolve().parents[2]
NO_HELM = {"helm_path": "there-is-no-such-helm"}


@pytest.fixture
def web() -> Iterator[Web]:
    with serve() as server:
        yield server


@pytest.fixture
def world(tmp_path: Path) -> Downloads:
    return Downloads(tmp_path)


# Files and archives


def test_a_file_is_asked_for_again_by_its_stamp(world: Downloads, web: Web) -> None:
    entry = world.file(web.put("/a.yaml", "one"))

    world.fetch(entry)
    first = web.answers()
    world.fetch(entry)
    second = web.answers()
    web.put("/a.yaml", "two")
    world.fetch(entry)

    assert (first, second, web.answers()) == (
        [("/a.yaml", 200)],
        [("/a.yaml", 304)],
        [("/a.yaml", 200)],
    )
    assert world.files()["file.yaml"] == "two"


@pytest.mark.parametrize("settings", [{"local": True}, {"local": True, "offline": True}])
def test_local_mode_uses_a_file_as_it_was_found(
    world: Downloads, web: Web, settings: dict[str, bool]
) -> None:
    entry = world.file(web.put("/a.yaml", "one"))
    world.fetch(entry)
    web.put("/a.yaml", "two")
    web.answers()
    (world.place / "file.yaml").unlink()

    world.fetch(entry, **settings)

    assert (web.answers(), world.files()["file.yaml"]) == ([], "one")


def test_local_mode_fetches_what_was_never_here(world: Downloads, web: Web) -> None:
    world.fetch(world.file(web.put("/a.yaml", "one")), local=True)

    assert world.files()["file.yaml"] == "one"


def test_without_fetching_only_those_who_insist_are_served(world: Downloads, web: Web) -> None:
    calm = world.file(web.put("/a.yaml", "one"), "a.yaml")
    insisting = world.file(web.put("/b.yaml", "two"), "b.yaml", force_fetch=True)

    world.fetch(calm, local=True, fetch_dependencies=False)
    nothing = world.files()
    world.fetch(calm, insisting, local=True, fetch_dependencies=False)

    assert nothing == {"tracked.txt": "tracked\n"}
    assert world.files() == {"tracked.txt": "tracked\n", "a.yaml": "one", "b.yaml": "two"}


def test_one_source_for_two_places_is_fetched_once(world: Downloads, web: Web) -> None:
    url = web.put("/a.yaml", "one")

    world.fetch(world.file(url, "a.yaml"), world.file(url, "b/c.yaml"))

    assert web.answers() == [("/a.yaml", 200)]
    assert world.files()["a.yaml"] == world.files()["b/c.yaml"] == "one"


@pytest.mark.parametrize(
    ("name", "content_type", "unpacked"),
    [
        ("/a.tar.gz", "application/gzip", True),
        ("/a.tgz", "application/octet-stream", True),
        ("/a.tgz", "application/x-compressed-tar", True),
        ("/a.tar", "application/x-tar", True),
        ("/a", "application/x-tar", True),
        ("/a.tar.gz", None, True),
        ("/a.tgz?token=x", "application/gzip", False),
        ("/a.gz", "application/gzip", False),
        ("/a.tar.gz", "text/plain", False),
    ],
)
def test_archives_are_told_by_type_and_name(
    world: Downloads,
    web: Web,
    caplog: pytest.LogCaptureFixture,
    name: str,
    content_type: str | None,
    *,
    unpacked: bool,
) -> None:
    content = a_tar({"top/a.txt": "a", "top/run.sh": "b", "empty/": ""})
    url = web.put(name, content, content_type=content_type)

    world.fetch(world.file(url, "out", unpack=True))

    assert world.files("out") == ({"top/a.txt": "a", "top/run.sh": "b"} if unpacked else {})
    assert (world.place / "out/empty").is_dir() is unpacked
    assert ("not unpacked" in caplog.text) is not unpacked


def test_a_zip_is_told_by_its_beginning(world: Downloads, web: Web) -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("top/a.txt", "a")

    world.fetch(world.file(web.put("/a", content.getvalue()), "out", unpack=True))

    assert world.files("out") == {"top/a.txt": "a"}


def _hostile(kind: str) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        about = tarfile.TarInfo("good.txt")
        archive.addfile(about, io.BytesIO())
        bad = tarfile.TarInfo("bad")
        match kind:
            case "absolute":
                bad.name = "/tmp/bad"  # noqa: S108 - nobody writes it
            case "upwards":
                bad.name = "a/../../bad"
            case "link":
                bad.type, bad.linkname = tarfile.SYMTYPE, "../../outside"
            case "hard link":
                bad.type, bad.linkname = tarfile.LNKTYPE, "../../outside"
            case "device":
                bad.type = tarfile.CHRTYPE
            case "through a link":
                bad.type, bad.linkname = tarfile.SYMTYPE, "."
                archive.addfile(bad)
                bad = tarfile.TarInfo("bad/inner")
            case "Git":
                bad.name = ".git/hooks/post-checkout"
        archive.addfile(bad)
    return out.getvalue()


@pytest.mark.parametrize(
    "kind", ["absolute", "upwards", "link", "hard link", "device", "through a link", "Git"]
)
def test_hostile_archives_write_nothing(world: Downloads, web: Web, kind: str) -> None:
    url = web.put("/a.tgz", _hostile(kind))

    (error,) = world.refused(world.file(url, "" if kind == "Git" else "out", unpack=True))

    assert world.files() == {"tracked.txt": "tracked\n"}
    assert any(word in str(error) for word in ("bad", "outside", "Git"))


def test_all_failures_are_told_together_with_who_needs_them(world: Downloads, web: Web) -> None:
    web.put("/broken", status=500)
    entries = [
        world.file(f"{web.url}/none", "a"),
        world.file(f"{web.url}/broken", "b"),
        world.file(f"{web.url}/broken", "c"),
        world.git(f"file://{world.root}/none.git", "d"),
        world.chart(f"{web.url}/charts", "1.0.0", **NO_HELM),
    ]

    errors = world.refused(*entries)

    wheres = sorted(error.where for error in errors)
    assert [where.count("kapitan.dependencies") for where in wheres] == [1, 2, 1, 1]
    assert "target own, parameters.kapitan.dependencies.[2]" in "".join(wheres) or (
        "parameters.kapitan.dependencies[2]" in "".join(wheres)
    )
    assert {f"{error}"[:12] for error in errors} >= {"answered 404", "answered 500"}


def test_a_server_that_is_away_for_a_moment_is_asked_again(world: Downloads, web: Web) -> None:
    world.fetch(world.file(web.put("/a", "one", failures=1)))

    assert [status for _, status in web.answers()] == [503, 200]


def test_redirects_are_followed(world: Downloads, web: Web) -> None:
    target = web.put("/b", "one")
    url = web.put("/a", status=302, headers={"Location": target})

    world.fetch(world.file(url))

    assert world.files()["file.yaml"] == "one"


def test_a_netrc_file_lets_one_in(world: Downloads, web: Web, stranger: Path) -> None:
    url = web.put("/a", "one", login=("me", "secret"))
    (stranger / ".netrc").write_text("machine 127.0.0.1 login me password secret\n")
    (stranger / ".netrc").chmod(0o600)

    world.fetch(world.file(url))

    assert world.files()["file.yaml"] == "one"


def test_a_password_in_a_url_is_used_and_not_shown(world: Downloads, web: Web) -> None:
    web.put("/a", "one", login=("me", "secret"))
    web.put("/b", "two", login=("me", "other"))
    url = web.url.replace("//", "//me:secret@")

    world.fetch(world.file(f"{url}/a"))
    (error,) = world.refused(world.file(f"{url}/b", "b"))

    assert world.files()["file.yaml"] == "one"
    assert "secret" not in f"{error}{error.where}{error.hint}{error.__notes__}"


# Places


def test_an_unpacked_folder_is_replaced_not_merged(world: Downloads, web: Web) -> None:
    entry = world.file(web.put("/a.tgz", a_tar({"old/a": "1", "b": "1"})), "out", unpack=True)
    world.fetch(entry)
    web.put("/a.tgz", a_tar({"b": "2", "c": "2"}))

    world.fetch(entry)

    assert world.files("out") == {"b": "2", "c": "2"}
    assert not (world.place / "out/old").exists()


def test_what_others_have_put_beside_it_stays(world: Downloads, web: Web) -> None:
    entry = world.file(web.put("/a.tgz", a_tar({"b": "1"})), "out", unpack=True)
    world.fetch(entry)
    (world.place / "out/mine").write_text("mine")
    web.put("/a.tgz", a_tar({"c": "2"}))

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
    source = a_repository(web, {("own", "1.0.0"): a_chart("own", "1.0.0")})
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
    assert "a file that the repository has" in caplog.text
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
        web.put("/a.tgz", a_tar({"x/a": "outer", "x/b": "outer"})), "out", unpack=True
    )
    inner = world.file(web.put("/b", "inner"), "out/x/b")

    world.fetch(outer, inner)
    world.fetch(outer, inner)

    assert world.files("out") == {"x/a": "outer", "x/b": "inner"}


def test_a_run_that_changes_nothing_writes_nothing(world: Downloads, web: Web) -> None:
    entry = world.file(web.put("/a.tgz", a_tar({"a": "1", "b": "1"})), "out", unpack=True)
    world.fetch(entry)
    before = {p: p.stat().st_mtime_ns for p in (world.place / "out").rglob("*")}

    world.fetch(entry)

    assert {p: p.stat().st_mtime_ns for p in (world.place / "out").rglob("*")} == before


def test_of_one_source_at_one_place_the_first_counts(
    world: Downloads, web: Web, caplog: pytest.LogCaptureFixture
) -> None:
    charts = {("own", version): a_chart("own", version) for version in ("1.0.0", "2.0.0")}
    source = a_repository(web, charts)

    world.fetch(world.chart(source, "1.0.0"), world.chart(source, "2.0.0"))

    assert "version: 1.0.0" in world.files("chart")["Chart.yaml"]
    assert "2.0.0" in caplog.text
    assert "is left out" in caplog.text


KILLED = """
import sys
from pathlib import Path
from tests.pipeline.downloads_world import Downloads

world = object.__new__(Downloads)
world.root = Path(sys.argv[1])
world.config = __import__("tests.builders", fromlist=["x"]).make_config(
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
    url = web.put("/a.tgz", a_tar(old))
    world.fetch(world.file(url, "out", unpack=True))
    web.put("/a.tgz", a_tar(new))
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


# Charts


@pytest.mark.parametrize("absolute", [True, False])
def test_a_chart_of_an_exact_version_is_asked_for_once(
    world: Downloads, web: Web, *, absolute: bool
) -> None:
    charts = {("own", v): a_chart("own", v) for v in ("1.0.0", "1.1.0", "2.0.0-rc.1")}
    source = a_repository(web, charts, absolute=absolute)

    world.fetch(world.chart(source, "1.0.0"))
    first = [path for path, _ in web.answers()]
    world.fetch(world.chart(source, "1.0.0"))

    assert first == ["/charts/index.yaml", "/charts/files/own-1.0.0.tgz"]
    assert web.answers() == []
    assert "version: 1.0.0" in world.files("chart")["Chart.yaml"]


def test_a_chart_without_version_is_the_newest_and_asked_for_again(
    world: Downloads, web: Web
) -> None:
    charts = {("own", v): a_chart("own", v) for v in ("1.0.0", "1.1.0", "2.0.0-rc.1")}
    source = a_repository(web, charts)
    world.fetch(world.chart(source))
    newest = world.files("chart")["Chart.yaml"]
    web.answers()
    world.fetch(world.chart(source))
    again = web.answers()
    a_repository(web, {**charts, ("own", "1.2.0"): a_chart("own", "1.2.0", extra="x")})

    world.fetch(world.chart(source))

    assert "version: 1.1.0" in newest
    assert again == [("/charts/index.yaml", 304)]
    assert "version: 1.2.0" in world.files("chart")["Chart.yaml"]


def test_another_version_replaces_a_chart(world: Downloads, web: Web) -> None:
    charts = {
        ("own", "1.0.0"): a_chart("own", "1.0.0", templates__gone="x"),
        ("own", "1.1.0"): a_chart("own", "1.1.0"),
    }
    source = a_repository(web, charts)
    world.fetch(world.chart(source, "1.0.0"))

    world.fetch(world.chart(source, "1.1.0"))

    assert "templates/gone" not in world.files("chart")


def test_a_chart_that_is_not_what_the_index_says_is_told(
    world: Downloads, web: Web, caplog: pytest.LogCaptureFixture
) -> None:
    source = a_repository(web, {("own", "1.0.0"): a_chart("own", "1.0.0")})
    changed = a_chart("own", "1.0.0", templates__more="x")
    web.put("/charts/files/own-1.0.0.tgz", changed)

    (error,) = world.refused(world.chart(source, "1.0.0"), strict=True)
    world.config.download_cache.rename(world.root / "gone")  # type: ignore[union-attr]  # it is set
    world.fetch(world.chart(source, "1.0.0"))

    assert hashlib.sha256(changed).hexdigest() in str(error)
    assert str(error) in caplog.text


def test_a_version_that_is_not_there_is_told_with_those_that_are(
    world: Downloads, web: Web
) -> None:
    source = a_repository(web, {("own", "1.0.0"): a_chart("own", "1.0.0")})

    (error,) = world.refused(world.chart(source, "3.0.0", **NO_HELM))

    assert "no version 3.0.0 of chart own" in str(error)
    assert "1.0.0" in error.hint


def test_where_we_cannot_the_program_may(world: Downloads, tmp_path: Path) -> None:
    helm = tmp_path / "bin/helm"
    helm.parent.mkdir()
    helm.write_text(
        f"""#!/bin/sh
echo "$@" >> {tmp_path}/calls
mkdir "$3/own" && echo 'name: own' > "$3/own/Chart.yaml"
"""
    )
    helm.chmod(0o755)
    entry = world.chart("s3://bucket/charts", "1.0.0", helm_path=str(helm))

    world.fetch(entry)
    world.fetch(entry)

    (call,) = (tmp_path / "calls").read_text().splitlines()
    words = call.split()
    assert [*words[:2], *words[3:]] == [
        "pull", "--destination", "--untar", "--version", "1.0.0",
        "--repo", "s3://bucket/charts", "own",
    ]  # fmt: skip
    assert world.files("chart") == {"Chart.yaml": "name: own\n"}


@pytest.mark.parametrize("login", [None, ("me", "secret")])
def test_a_chart_of_a_registry(
    world: Downloads, web: Web, stranger: Path, login: tuple[str, str] | None
) -> None:
    registry = Registry(web, login, anonymous=False)
    registry.push("charts/own", "1.0.0_build.1", {"own.tgz": a_chart("own", "1.0.0+build.1")})
    (stranger / ".docker").mkdir()
    auths = {registry.host: {"username": "me", "password": "secret"}}
    (stranger / ".docker/config.json").write_text(json.dumps({"auths": auths if login else {}}))
    entry = world.chart(f"oci://{registry.host}/charts/own", "1.0.0+build.1")

    world.fetch(entry)
    asked = [path.partition("?")[0] for path, _ in web.answers()]
    world.fetch(entry)

    assert asked[:3] == ["/v2/charts/own/manifests/1.0.0_build.1", "/token", asked[0]]
    assert web.answers() == []
    assert "version: 1.0.0+build.1" in world.files("chart")["Chart.yaml"]


def test_a_registry_that_lets_nobody_in_is_told_with_what_to_do(world: Downloads, web: Web) -> None:
    registry = Registry(web, ("me", "secret"))
    registry.push("charts/own", "1.0.0", {"own.tgz": a_chart("own", "1.0.0")})

    (error,) = world.refused(world.chart(f"oci://{registry.host}/charts/own", "1.0.0", **NO_HELM))

    assert "answered 401" in str(error)


def test_the_newest_chart_of_a_registry(world: Downloads, web: Web) -> None:
    registry = Registry(web)
    for version in ("1.0.0", "1.10.0", "1.9.0", "2.0.0-rc.1", "latest"):
        registry.push("charts/own", version, {"own.tgz": a_chart("own", version)})

    world.fetch(world.chart(f"oci://{registry.host}/charts/own", "^1.2"))

    assert "version: 1.10.0" in world.files("chart")["Chart.yaml"]


def test_a_blob_that_is_not_what_was_promised_is_refused(world: Downloads, web: Web) -> None:
    registry = Registry(web)
    chart = a_chart("own", "1.0.0")
    registry.push("charts/own", "1.0.0", {"own.tgz": chart})
    digest = hashlib.sha256(chart).hexdigest()
    web.put(f"/v2/charts/own/blobs/sha256:{digest}", a_chart("own", "6.6.6"))

    (error,) = world.refused(world.chart(f"oci://{registry.host}/charts/own", "1.0.0", **NO_HELM))

    assert "not what was promised" in str(error)
    assert world.files() == {"tracked.txt": "tracked\n"}


def test_files_of_a_registry(world: Downloads, web: Web) -> None:
    registry = Registry(web)
    digest = registry.push(
        "files/x",
        "v1",
        {"a.txt": b"a", "dir/b.txt": b"b", "packed.tgz": a_tar({"inner/c": "c"})},
        {"a.txt": "text/plain", "dir/b.txt": "text/plain", "packed.tgz": "application/x"},
    )
    entry = {"type": "oci", "output_path": str(world.place / "out")}

    world.fetch({**entry, "source": f"{registry.host}/files/x:v1"})
    everything = world.files("out")
    world.fetch({**entry, "source": f"{registry.host}/files/x@{digest}", "subpath": "inner"})
    web.answers()
    world.fetch({**entry, "source": f"{registry.host}/files/x@{digest}", "subpath": "inner"})

    assert everything == {"a.txt": "a", "dir/b.txt": "b", "inner/c": "c"}
    assert world.files("out") == {"c": "c"}
    assert web.answers() == []


# Repositories


def test_a_folder_of_a_repository(world: Downloads) -> None:
    repository = a_repository_with(world.root / "r.git", {"a/b": "1", "a/run.sh": "2", "c": "3"})

    world.fetch(world.git(url_of(repository), ref="master", subdir="a"))

    assert world.files("repo") == {"b": "1", "run.sh": "2"}
    assert (world.place / "repo/run.sh").stat().st_mode & 0o100
    assert not (world.place / "repo/.git").exists()


def test_a_whole_repository_is_a_clone(world: Downloads) -> None:
    repository = a_repository_with(world.root / "r.git", {"a": "1"}, branch="main")
    git(repository, "tag", "v1")
    commit_to(repository, {"a": "2"}, branch="main")

    world.fetch(world.git(url_of(repository)))
    clone = world.place / "repo"
    newest = (world.files("repo"), git(clone, "status", "--porcelain", "--branch"))
    world.fetch(world.git(url_of(repository), ref="v1"))

    assert newest == ({"a": "2"}, "## main...origin/main")
    assert world.files("repo") == {"a": "1"}
    assert git(clone, "fsck", "--full") == ""
    assert git(clone, "remote", "get-url", "origin") == url_of(repository)
    assert git(clone, "status", "--porcelain") == ""


def test_a_clone_that_somebody_looked_at_is_still_ours(world: Downloads) -> None:
    repository = a_repository_with(world.root / "r.git", {"a": "1"})
    world.fetch(world.git(url_of(repository)))
    git(world.place / "repo", "status")
    git(world.place / "repo", "update-index", "--index-version", "4")

    world.fetch(world.git(url_of(repository)))
    commit_to(repository, {"a": "2"})
    world.fetch(world.git(url_of(repository)))

    assert world.files("repo") == {"a": "2"}
    assert git(world.place / "repo", "status", "--porcelain") == ""
    assert not (world.place / ".git/commodore-put-aside").exists()


def test_a_branch_is_asked_for_again_a_commit_never(world: Downloads) -> None:
    repository = a_repository_with(world.root / "r.git", {"a": "1"})
    first = git(repository, "rev-parse", "master")
    world.fetch(world.git(url_of(repository), "one", ref="master"))
    world.fetch(world.git(url_of(repository), "two", ref=first))
    commit_to(repository, {"a": "2"})

    world.fetch(world.git(url_of(repository), "one", ref="master"))
    repository.rename(world.root / "gone.git")
    world.fetch(world.git(url_of(repository), "two", ref=first))
    world.fetch(world.git(url_of(repository), "one", ref="master"), local=True)

    assert (world.files("one"), world.files("two")) == ({"a": "2"}, {"a": "1"})


def test_submodules_come_along(world: Downloads) -> None:
    inner = a_repository_with(world.root / "inner.git", {"deep": "deep"})
    repository = a_repository_with(world.root / "r.git", {"a": "1"})
    clone = world.root / "clone"
    git(world.root, "clone", "--quiet", str(repository), str(clone))
    git(
        clone,
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        "../inner.git",
        "sub",
    )
    git(clone, "-c", "user.name=A", "-c", "user.email=a@b.c", "commit", "--quiet", "-m", "Sub")
    git(clone, "push", "--quiet", "origin", "HEAD")
    assert inner.is_dir()

    world.fetch(
        world.git(url_of(repository), "with", submodules=True),
        world.git(url_of(repository), "without"),
        world.git(url_of(repository), "only", submodules=True, subdir="sub"),
    )

    assert world.files("with")["sub/deep"] == world.files("only")["deep"] == "deep"
    assert "sub/deep" not in world.files("without")


def test_links_become_what_they_lead_to(world: Downloads) -> None:
    repository = _linking(world, {"real/file": "x"}, {"link": "real/file", "folder": "real"})

    world.fetch(world.git(url_of(repository), subdir=""))

    assert world.files("repo") == {"real/file": "x", "link": "x", "folder/file": "x"}
    assert not (world.place / "repo/link").is_symlink()


def test_links_that_lead_out_are_refused(world: Downloads) -> None:
    repository = _linking(world, {"a": "x"}, {"link": "/etc/hostname"})

    (error,) = world.refused(world.git(url_of(repository)))

    assert "leads out of its folder" in str(error)


def _linking(world: Downloads, files: dict[str, str], links: dict[str, str]) -> Path:
    repository = a_repository_with(world.root / "r.git", files)
    clone = world.root / "clone"
    git(world.root, "clone", "--quiet", str(repository), str(clone))
    for name, target in links.items():
        (clone / name).symlink_to(target)
    git(clone, "add", "--all")
    git(clone, "-c", "user.name=A", "-c", "user.email=a@b.c", "commit", "--quiet", "-m", "Links")
    git(clone, "push", "--quiet", "origin", "HEAD")
    return repository


@pytest.mark.parametrize(
    ("more", "says"),
    [({"ref": "none"}, "revision none not found"), ({"subdir": "none"}, "there is no folder none")],
)
def test_what_a_repository_lacks_is_told(world: Downloads, more: dict[str, str], says: str) -> None:
    repository = a_repository_with(world.root / "r.git", {"a": "1"})

    (error,) = world.refused(world.git(url_of(repository), **more))

    assert says in str(error)


# Offline


def test_offline_lists_everything_that_is_missing(world: Downloads, web: Web) -> None:
    entries = [
        world.file(f"{web.url}/a", "a"),
        world.git(f"{web.url}/r.git", "b"),
        world.chart(f"{web.url}/charts", "1.0.0"),
        world.chart("oci://registry.example.com/charts/own", "1.0.0", "d"),
        {"type": "oci", "source": "registry.example.com/x:v1", "output_path": "e"},
    ]

    errors = world.refused(*entries, local=True, offline=True)

    assert len(errors) == len(entries)
    assert all("--offline fetches nothing" in str(error) for error in errors)
    assert all("target own, parameters.kapitan.dependencies" in error.where for error in errors)
    assert web.answers() == []


def test_offline_finds_what_an_earlier_run_fetched(world: Downloads, web: Web) -> None:
    repository = a_repository_with(world.root / "r.git", {"a": "1"})
    source = a_repository(web, {("own", "1.0.0"): a_chart("own", "1.0.0")})
    entries = [
        world.file(web.put("/a", "one"), "a"),
        world.git(url_of(repository), "b"),
        world.chart(source),
    ]
    world.fetch(*entries)
    before = world.files()
    repository.rename(world.root / "gone.git")
    for path in ("a", "b/a", "chart/Chart.yaml"):
        (world.place / path).unlink()
    web.answers()

    world.fetch(*entries, local=True, offline=True)

    assert world.files() == before
    assert web.answers() == []
