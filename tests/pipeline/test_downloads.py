"""Files and archives are fetched when they may have changed; whose fetching fails is told."""

from __future__ import annotations

import io
import tarfile
import zipfile
from typing import TYPE_CHECKING

import pytest

from tests.support.builders import make_repository, url_of
from tests.support.servers.charts import chart_archive, chart_repository, tar_archive
from tests.support.servers.web import serve

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.scenarios.downloads import Downloads
    from tests.support.servers.web import Web

NO_HELM = {"helm_path": "there-is-no-such-helm"}


@pytest.fixture
def web() -> Iterator[Web]:
    with serve() as server:
        yield server


def test_unchanged_file_is_revalidated(downloads: Downloads, web: Web) -> None:
    entry = downloads.file(web.put("/a.yaml", "one"))

    downloads.fetch(entry)
    first = web.answers()
    downloads.fetch(entry)
    second = web.answers()
    web.put("/a.yaml", "two")
    downloads.fetch(entry)

    assert (first, second, web.answers()) == (
        [("/a.yaml", 200)],
        [("/a.yaml", 304)],
        [("/a.yaml", 200)],
    )
    assert downloads.files()["file.yaml"] == "two"


@pytest.mark.parametrize("settings", [{"local": True}, {"local": True, "offline": True}])
def test_local_mode_uses_cached_file(
    downloads: Downloads, web: Web, settings: dict[str, bool]
) -> None:
    entry = downloads.file(web.put("/a.yaml", "one"))
    downloads.fetch(entry)
    web.put("/a.yaml", "two")
    web.answers()
    (downloads.place / "file.yaml").unlink()

    downloads.fetch(entry, **settings)

    assert (web.answers(), downloads.files()["file.yaml"]) == ([], "one")


def test_local_mode_fetches_missing_file(downloads: Downloads, web: Web) -> None:
    downloads.fetch(downloads.file(web.put("/a.yaml", "one")), local=True)

    assert downloads.files()["file.yaml"] == "one"


def test_disabled_fetching_fetches_only_force_fetch(downloads: Downloads, web: Web) -> None:
    calm = downloads.file(web.put("/a.yaml", "one"), "a.yaml")
    insisting = downloads.file(web.put("/b.yaml", "two"), "b.yaml", force_fetch=True)

    downloads.fetch(calm, local=True, fetch_dependencies=False)
    nothing = downloads.files()
    downloads.fetch(calm, insisting, local=True, fetch_dependencies=False)

    assert nothing == {"tracked.txt": "tracked\n"}
    assert downloads.files() == {"tracked.txt": "tracked\n", "a.yaml": "one", "b.yaml": "two"}


def test_source_with_two_output_paths_is_fetched_once(downloads: Downloads, web: Web) -> None:
    url = web.put("/a.yaml", "one")

    downloads.fetch(downloads.file(url, "a.yaml"), downloads.file(url, "b/c.yaml"))

    assert web.answers() == [("/a.yaml", 200)]
    assert downloads.files()["a.yaml"] == downloads.files()["b/c.yaml"] == "one"


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
def test_archives_are_recognized_by_type_and_name(
    downloads: Downloads,
    web: Web,
    caplog: pytest.LogCaptureFixture,
    name: str,
    content_type: str | None,
    *,
    unpacked: bool,
) -> None:
    content = tar_archive({"top/a.txt": "a", "top/run.sh": "b", "empty/": ""})
    url = web.put(name, content, content_type=content_type)

    downloads.fetch(downloads.file(url, "out", unpack=True))

    assert downloads.files("out") == ({"top/a.txt": "a", "top/run.sh": "b"} if unpacked else {})
    assert (downloads.place / "out/empty").is_dir() is unpacked
    assert ("not unpacked" in caplog.text) is not unpacked


def test_zip_is_recognised_by_content(downloads: Downloads, web: Web) -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("top/a.txt", "a")

    downloads.fetch(downloads.file(web.put("/a", content.getvalue()), "out", unpack=True))

    assert downloads.files("out") == {"top/a.txt": "a"}


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
def test_hostile_archives_write_nothing(downloads: Downloads, web: Web, kind: str) -> None:
    url = web.put("/a.tgz", _hostile(kind))

    (error,) = downloads.refused(downloads.file(url, "" if kind == "Git" else "out", unpack=True))

    assert downloads.files() == {"tracked.txt": "tracked\n"}
    assert any(word in str(error) for word in ("bad", "outside", "Git"))


def test_all_failures_are_reported_with_their_users(downloads: Downloads, web: Web) -> None:
    web.put("/broken", status=500)
    entries = [
        downloads.file(f"{web.url}/none", "a"),
        downloads.file(f"{web.url}/broken", "b"),
        downloads.file(f"{web.url}/broken", "c"),
        downloads.git(f"file://{downloads.root}/none.git", "d"),
        downloads.chart(f"{web.url}/charts", "1.0.0", **NO_HELM),
    ]

    errors = downloads.refused(*entries)

    wheres = sorted(error.where for error in errors)
    assert [where.count("kapitan.dependencies") for where in wheres] == [1, 2, 1, 1]
    assert "target own, parameters.kapitan.dependencies.[2]" in "".join(wheres) or (
        "parameters.kapitan.dependencies[2]" in "".join(wheres)
    )
    assert {f"{error}"[:12] for error in errors} >= {"answered 404", "answered 500"}
    hints = {f"{error}"[:12]: error.hint for error in errors}
    assert hints["answered 404"] == "check the URL, and the id or version in it"


def test_download_is_repeated_after_server_failure(downloads: Downloads, web: Web) -> None:
    downloads.fetch(downloads.file(web.put("/a", "one", failures=1)))

    assert [status for _, status in web.answers()] == [503, 200]


def test_redirects_are_followed(downloads: Downloads, web: Web) -> None:
    target = web.put("/b", "one")
    url = web.put("/a", status=302, headers={"Location": target})

    downloads.fetch(downloads.file(url))

    assert downloads.files()["file.yaml"] == "one"


def test_download_uses_netrc_credentials(downloads: Downloads, web: Web, empty_home: Path) -> None:
    url = web.put("/a", "one", login=("me", "secret"))
    (empty_home / ".netrc").write_text("machine 127.0.0.1 login me password secret\n")
    (empty_home / ".netrc").chmod(0o600)

    downloads.fetch(downloads.file(url))

    assert downloads.files()["file.yaml"] == "one"


@pytest.mark.parametrize("variable", ["REQUESTS_CA_BUNDLE", "SSL_CERT_FILE"])
def test_missing_certificate_file_is_reported(
    downloads: Downloads, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(variable, "/no/such/file.pem")

    (error,) = downloads.refused(downloads.file("https://127.0.0.1:1/a"))

    assert str(error) == f"{variable} names no file: /no/such/file.pem"


def test_certificate_variables_of_other_programs_are_read(
    downloads: Downloads, web: Web, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "mine.pem").write_text("no certificate")
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "mine.pem"))

    (error,) = downloads.refused(downloads.file(web.url.replace("http", "https")))

    # It was read, and there is nothing in it; the server knows no TLS anyway.
    assert "no certificate or crl found" in str(error).lower()


@pytest.mark.parametrize("url", ["ftp://example.com/a", "nonsense", "https://"])
def test_invalid_download_url_is_reported(downloads: Downloads, url: str) -> None:
    (error,) = downloads.refused(downloads.file(url))

    assert "not a valid URL" in str(error) or "failed" in str(error)


def test_password_in_download_url_is_used_and_masked(downloads: Downloads, web: Web) -> None:
    web.put("/a", "one", login=("me", "secret"))
    web.put("/b", "two", login=("me", "other"))
    url = web.url.replace("//", "//me:secret@")

    downloads.fetch(downloads.file(f"{url}/a"))
    (error,) = downloads.refused(downloads.file(f"{url}/b", "b"))

    assert downloads.files()["file.yaml"] == "one"
    assert "secret" not in f"{error}{error.where}{error.hint}{error.__notes__}"


def test_offline_lists_all_missing_downloads(downloads: Downloads, web: Web) -> None:
    entries = [
        downloads.file(f"{web.url}/a", "a"),
        downloads.git(f"{web.url}/r.git", "b"),
        downloads.chart(f"{web.url}/charts", "1.0.0"),
        downloads.chart("oci://registry.example.com/charts/own", "1.0.0", "d"),
        {"type": "oci", "source": "registry.example.com/x:v1", "output_path": "e"},
    ]

    errors = downloads.refused(*entries, local=True, offline=True)

    assert len(errors) == len(entries)
    assert all("is not available offline" in str(error) for error in errors)
    assert all("target own, parameters.kapitan.dependencies" in error.where for error in errors)
    assert web.answers() == []


def test_offline_uses_downloads_of_earlier_run(downloads: Downloads, web: Web) -> None:
    repository = make_repository(downloads.root / "r.git", {"a": "1"})
    source = chart_repository(web, {("own", "1.0.0"): chart_archive("own", "1.0.0")})
    entries = [
        downloads.file(web.put("/a", "one"), "a"),
        downloads.git(url_of(repository), "b"),
        downloads.chart(source),
    ]
    downloads.fetch(*entries)
    before = downloads.files()
    repository.rename(downloads.root / "gone.git")
    for path in ("a", "b/a", "chart/Chart.yaml"):
        (downloads.place / path).unlink()
    web.answers()

    downloads.fetch(*entries, local=True, offline=True)

    assert downloads.files() == before
    assert web.answers() == []
