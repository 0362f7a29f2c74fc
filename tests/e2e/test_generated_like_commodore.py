"""Generated clusters, compiled and pushed by us and by Commodore: equal commits but for the time.

`COMMODORE_GENERATOR` names the program that makes them, `COMMODORE_SIZES` how large (`S M L`).
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from tests.support.commodore import (
    clean_environment,
    find_commodore,
    run_commodore,
    run_to_end,
    write_jb,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.e2e

GENERATOR = os.environ.get("COMMODORE_GENERATOR", "")
SIZES = os.environ.get("COMMODORE_SIZES", "S").split()
AUTHOR = {"GIT_AUTHOR_NAME": "Test Author", "GIT_AUTHOR_EMAIL": "author@example.com"}
PORT = 18917
_TIMESTAMP = re.compile(r"^(Compilation timestamp: ).*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Pushed:
    """What a tool left in the catalog."""

    tree: str
    commits: str


@pytest.fixture(scope="module")
def commodore() -> Path:
    if not GENERATOR:
        pytest.skip("COMMODORE_GENERATOR names no generator of clusters")
    return find_commodore()


@contextmanager
def served(folder: Path, size: str) -> Iterator[tuple[str, str]]:
    """A generated cluster behind an API; its address and its id."""
    generate = [sys.executable, GENERATOR]
    subprocess.run([*generate, "gen", "--root", str(folder), "--size", size], check=True)
    cluster = json.loads((folder / "cluster.json").read_text())["cluster"]
    url = f"http://127.0.0.1:{PORT}"
    server = subprocess.Popen([*generate, "serve", "--root", str(folder), "--port", str(PORT)])
    try:
        deadline = time.monotonic() + 20
        while True:
            try:
                urllib.request.urlopen(f"{url}/clusters/{cluster}").close()  # noqa: S310 - ours
                break
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)
        yield url, cluster
    finally:
        server.terminate()
        server.wait()


def pushed(catalog: Path) -> Pushed:
    log = ("log", "--format=%an <%ae>|%cn <%ce>%n%B", "master")
    output = [
        subprocess.run(["git", *words], cwd=catalog, capture_output=True, text=True, check=True)
        for words in (("ls-tree", "-r", "master"), log)
    ]
    return Pushed(output[0].stdout, _TIMESTAMP.sub(r"\1", output[1].stdout))


@pytest.mark.parametrize("size", SIZES)
def test_pushed_catalogs_are_the_same(
    commodore: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: str
) -> None:
    folder = tmp_path / "cluster"
    author = [
        f"--git-author-{key}={value}"
        for key, value in zip(("name", "email"), AUTHOR.values(), strict=True)
    ]
    with served(folder, size) as (url, cluster):
        # The generator brings stand-ins for the tools that its cluster does not really need.
        monkeypatch.setenv("PATH", f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}")
        words = ("catalog", "compile", cluster, "--push", *author)
        empty = tmp_path / "empty.git"
        shutil.copytree(folder / "repos/catalog.git", empty)
        run_commodore(commodore, tmp_path / "theirs", url, *words)
        theirs = pushed(folder / "repos/catalog.git")
        shutil.rmtree(folder / "repos/catalog.git")
        shutil.copytree(empty, folder / "repos/catalog.git")
        environment = clean_environment(tmp_path / "home")
        environment |= {"COMMODORE_API_URL": url, "COMMODORE_API_TOKEN": "made-up"}
        environment["PATH"] = f"{write_jb(tmp_path / 'bin')}{os.pathsep}{environment['PATH']}"
        run_to_end([sys.executable, "-m", "commodore_py", *words], tmp_path / "ours", environment)
        ours = pushed(folder / "repos/catalog.git")

    assert theirs.tree
    assert ours == theirs
