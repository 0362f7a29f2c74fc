"""Files and archives are fetched when they may have changed; whose fetching fails is told."""

from __future__ import annotations

import io
import tarfile
import zipfile
from typing import TYPE_CHECKING

import pytest

from tests.support.builders import make_repository, url_of
from tests.support.scenarios.downloads import Downloads
from tests.support.servers.charts import chart_archive, chart_repository, tar_archive
from tests.support.servers.web import serve

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.servers.web import Web

NO_HELM = {"helm_path": "there-is-no-such-helm"}


@pytest.fixture
def web() -> Iterator[Web]:
    with serve() as server:
        yield server


@pytest.fixture
def world(tmp_path: Path) -> Downloads:
    return Downloads(tmp_path)


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
    content = tar_archive({"top/a.txt": "a", "top/run.sh": "b", "empty/": ""})
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
    hints = {f"{error}"[:12]: error.hint for error in errors}
    assert hints["answered 404"] == "check the address, and the version if it holds one"


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


@pytest.mark.parametrize("variable", ["REQUESTS_CA_BUNDLE", "SSL_CERT_FILE"])
def test_authorities_that_are_not_there_are_told(
    world: Downloads, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(variable, "/no/such/file.pem")

    (error,) = world.refused(world.file("https://127.0.0.1:1/a"))

    assert str(error) == f"{variable} names no file: /no/such/file.pem"


def test_the_authorities_of_other_programs_count(
    world: Downloads, web: Web, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "mine.pem").write_text("no certificate")
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "mine.pem"))

    (error,) = world.refused(world.file(web.url.replace("http", "https")))

    # It was read, and there is nothing in it; the server knows no TLS anyway.
    assert "no certificate or crl found" in str(error).lower()


@pytest.mark.parametrize("url", ["ftp://example.com/a", "nonsense", "https://"])
def test_what_is_no_url_is_told(world: Downloads, url: str) -> None:
    (error,) = world.refused(world.file(url))

    assert "no URL to download from" in str(error) or "failed" in str(error)


def test_a_password_in_a_url_is_used_and_not_shown(world: Downloads, web: Web) -> None:
    web.put("/a", "one", login=("me", "secret"))
    web.put("/b", "two", login=("me", "other"))
    url = web.url.replace("//", "//me:secret@")

    world.fetch(world.file(f"{url}/a"))
    (error,) = world.refused(world.file(f"{url}/b", "b"))

    assert world.files()["file.yaml"] == "one"
    assert "secret" not in f"{error}{error.where}{error.hint}{error.__notes__}"


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
    assert all("is not available offline" in str(error) for error in errors)
    assert all("target own, parameters.kapitan.dependencies" in error.where for error in errors)
    assert web.answers() == []


def test_offline_finds_what_an_earlier_run_fetched(world: Downloads, web: Web) -> None:
    repository = make_repository(world.root / "r.git", {"a": "1"})
    source = chart_repository(web, {("own", "1.0.0"): chart_archive("own", "1.0.0")})
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
