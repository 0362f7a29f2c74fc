"""Downloads of archives that nobody trusts, and runs that are killed while they write them."""

from __future__ import annotations

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

from tests.support.servers.charts import tar_archive
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


def test_zip_is_recognised_by_content(downloads: Downloads, web: Web) -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("top/a.txt", "a")

    downloads.fetch(downloads.file(web.put("/a", content.getvalue()), "out", unpack=True))

    assert downloads.files("out") == {"top/a.txt": "a"}


def test_note_with_path_for_digest_removes_nothing(
    downloads: Downloads, web: Web, tmp_path: Path
) -> None:
    entry = downloads.file(web.put("/a", b"a: 1\n"), "out.yaml")
    downloads.fetch(entry)
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (note,) = (downloads.root / "cache/known").glob("file-*.json")
    note.write_text(json.dumps({**json.loads(note.read_text()), "sha256": str(victim)}))

    downloads.fetch(entry)

    assert victim.read_text() == "mine"
    assert (downloads.place / "out.yaml").read_text() == "a: 1\n"


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
@pytest.mark.long
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
