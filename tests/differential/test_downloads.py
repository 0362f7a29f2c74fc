"""What is fetched lies where Kapitan's own fetchers, and `helm pull`, would have put it."""

from __future__ import annotations

import io
import os
import shutil
import zipfile
from argparse import Namespace
from multiprocessing.pool import ThreadPool
from typing import TYPE_CHECKING, Any

import pytest
from kapitan.dependency_manager.base import fetch_dependencies
from kapitan.errors import HelmFetchingError
from kapitan.inventory.model.dependencies import DependencyTypeConfig
from pydantic import TypeAdapter

from commodore_py.dependencies.downloads.chart_versions import best
from tests.support.builders import commit_to, git, make_repository, url_of
from tests.support.scenarios.downloads import Downloads
from tests.support.servers.charts import chart_archive, chart_repository, tar_archive
from tests.support.servers.web import serve

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.servers.web import Web

Entry = dict[str, Any]

needs_helm = pytest.mark.skipif(shutil.which("helm") is None, reason="there is no helm in PATH")

VERSIONS = (
    *("0.1.0", "0.1.9", "0.2.0", "0.2.5", "1.0.0", "1.2.3", "1.2.4", "1.3.0", "1.10.0"),
    *("2.0.0-alpha.1", "2.0.0-alpha.10", "2.0.0-beta", "2.0.0+build.7", "2.1.0-rc.1", "v3.0.0"),
)
WANTED = (
    *("", "1.2.3", "v1.2.3", "1.2", "1", "^1.2", "~1.2.3", "~1", "~1.2", ">=1.2.3", ">1.2", "<1"),
    *(
        "<=1.2",
        "!=1.10.0 <2",
        ">=1.0 <1.3",
        ">=1.0,<1.3",
        "1.x",
        "1.2.x",
        "*",
        "x",
        "^0.1",
        "^0.2.1",
    ),
    *(
        "^0",
        "~0.1.0",
        "1.0.0 - 1.3",
        "~2.0.0-0",
        ">0-0",
        ">=2.0.0-alpha.2",
        "2.0.0",
        "2.0.0+build.7",
    ),
    *(
        "^3 || ~0.1",
        "=1.2",
        "=>1.2.4",
        "=<1.0",
        "~>1.2",
        "9",
        "^9",
        "3.0.0",
        "2.0.0-beta",
        "^0.0.1",
    ),
)


@pytest.fixture
def web() -> Iterator[Web]:
    with serve() as server:
        yield server


@pytest.fixture
def downloads(tmp_path: Path) -> Downloads:
    return Downloads(tmp_path)


def by_kapitan(downloads: Downloads, *entries: Entry) -> Path:
    """Let Kapitan fetch; its places are below a folder of their own."""
    top = downloads.root / "kapitan"
    adapter: TypeAdapter[Any] = TypeAdapter(DependencyTypeConfig)
    models = [
        adapter.validate_python(
            {**entry, "output_path": entry["output_path"].replace(str(downloads.place), str(top))}
        )
        for entry in entries
    ]
    scratch = downloads.root / "scratch"
    scratch.mkdir()
    with ThreadPool(2) as pool:
        targets = [Namespace(dependencies=models)]
        fetch_dependencies(str(downloads.root), targets, str(scratch), True, pool)
    return top


def tree(top: Path) -> dict[str, tuple[bytes, bool]]:
    """Files and folders, without what Git keeps for itself."""
    found: dict[str, tuple[bytes, bool]] = {}
    for parent, folders, names in os.walk(top):
        folders[:] = [name for name in folders if name != ".git"]
        for name in (*names, *folders):
            path = os.path.join(parent, name)  # noqa: PTH118 - as os.walk has it
            executable = os.path.isfile(path) and os.access(path, os.X_OK)  # noqa: PTH113
            content = b""
            if os.path.isfile(path):  # noqa: PTH113
                with open(path, "rb") as file:  # noqa: PTH123
                    content = file.read()
            found[os.path.relpath(path, top)] = (content, _is_root_program(path) or executable)
    found.pop("tracked.txt", None)
    return found


def _is_root_program(path: str) -> bool:
    # Whoever is root may execute what anybody may.
    return bool(os.stat(path).st_mode & 0o100) and os.path.isfile(path)  # noqa: PTH113, PTH116


def _zip() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("top/a.txt", "a")
        archive.writestr("top/empty/", "")
    return out.getvalue()


FILES = {"./": "", "./top/a.txt": "a", "top/run.sh": "#!", "top/empty/": "", ".hidden": "h"}


def test_files_and_archives(downloads: Downloads, web: Web) -> None:
    gz, plain = tar_archive(FILES), tar_archive(FILES, mode="w")
    pages = [
        ("/a.yaml", b"a: 1\n", "text/yaml", False),
        ("/q.yaml?a=b", b"a: 2\n", "text/yaml", False),
        ("/a.tar.gz", gz, "application/gzip", True),
        ("/b.tgz", gz, "application/x-gzip", True),
        ("/c.tgz", gz, "application/octet-stream", True),
        ("/d.tgz", gz, "application/gzip; charset=binary", True),
        ("/e.tgz?x=y", gz, "application/gzip", True),
        ("/f.tar", plain, "application/x-tar", True),
        ("/g", gz, "application/x-tar", True),
        ("/h.tar", plain, "application/octet-stream", True),
        ("/i.zip", _zip(), "application/zip", True),
        ("/j", _zip(), "application/octet-stream", True),
        ("/k.tar.gz", gz, "text/plain", True),
        ("/l.tar.gz", gz, "application/gzip", False),
        ("/n.tgz?token=x", gz, "application/x-tar", True),
        ("/o.tgz?token=x/y.tgz", gz, "application/octet-stream", True),
        ("/p.tgz?token=x#.tgz", gz, "application/gzip", True),
        ("/q.tgz?token=x", gz, "application/octet-stream", True),
        ("/m.gz/b.tar.bz2", tar_archive(FILES, mode="w:bz2"), "application/x-tar", True),
    ]
    for path, content, kind, _ in pages:
        web.put(path.partition("#")[0], content, content_type=kind)
    entries = [
        downloads.file(f"{web.url}{path}", f"out/{number}", unpack=unpack)
        for number, (path, _, _, unpack) in enumerate(pages)
    ]

    downloads.fetch(*entries)
    theirs = by_kapitan(downloads, *entries)

    assert tree(downloads.place) == tree(theirs)


def test_repositories(downloads: Downloads) -> None:
    files = {"a/b": "1", "a/run.sh": "2", "c": "3", ".hidden": "h", "a/.gitattributes": "* text\n"}
    repository = make_repository(downloads.root / "r.git", files, branch="main")
    first = git(repository, "rev-parse", "main")
    git(repository, "tag", "v1")
    commit_to(repository, {"a/b": "changed"}, branch="main")
    commit_to(repository, {"a/b": "other"}, branch="other")
    url = url_of(repository)
    more: list[Entry] = [
        {},
        {"ref": "main"},
        {"ref": "v1"},
        {"ref": first},
        {"ref": first[:9]},
        {"ref": "other", "subdir": "a"},
        {"subdir": "a/"},
        {"ref": "v1", "subdir": "./a"},
    ]
    entries = [downloads.git(url, f"out/{number}", **one) for number, one in enumerate(more)]

    downloads.fetch(*entries)
    theirs = by_kapitan(downloads, *entries)

    assert tree(downloads.place) == tree(theirs)
    for number in range(5):
        ours, kapitans = downloads.place / f"out/{number}", theirs / f"out/{number}"
        for command in (("rev-parse", "HEAD"), ("remote", "get-url", "origin"), ("status", "-s")):
            assert git(ours, *command) == git(kapitans, *command)
    assert not (downloads.place / "out/6/.git").exists()
    assert not (theirs / "out/6/.git").exists()


@needs_helm
def test_charts(downloads: Downloads, web: Web) -> None:
    chart = chart_archive(
        "own",
        "1.0.0",
        crds__crd="kind: CRD\n",
        charts__sub__values="a: 1\n",
        bom="\ufeffmarked",
        # Helm cares for no file's mode, and archives of folders have some that are programs.
        **{"run.sh": "#!", "templates/_helpers.tpl": "{{/* */}}"},
    )
    source = chart_repository(
        web, {("own", "1.0.0"): chart, ("own", "0.9.0"): chart_archive("own", "0.9.0")}
    )
    entries = [
        downloads.chart(source, "1.0.0", "out/exact"),
        downloads.chart(f"{source}/", None, "out/newest"),
        downloads.chart(source, "<1", "out/older"),
    ]

    downloads.fetch(*entries)
    theirs = by_kapitan(downloads, *entries)

    assert tree(downloads.place) == tree(theirs)


@needs_helm
@pytest.mark.parametrize("wanted", WANTED)
def test_versions(downloads: Downloads, web: Web, wanted: str) -> None:
    charts = {("own", version): chart_archive("own", version) for version in VERSIONS}
    entry = downloads.chart(chart_repository(web, charts), wanted or None)
    ours = best(wanted, VERSIONS)

    if ours is None:
        with pytest.raises(HelmFetchingError):
            by_kapitan(downloads, entry)
    else:
        chart = by_kapitan(downloads, entry) / "chart/Chart.yaml"
        assert f"version: {ours}\n" in chart.read_text()
