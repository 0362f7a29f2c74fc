"""The cache that machines share, on a real object store."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.fleet import CLUSTER, make_fleet

from .test_cluster import REAL, RECIPES

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.long

PROGRAM = Path(sys.executable).with_name("commodore")
COMPONENTS = ("one", "two", "three", "four", "five", "six")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[dict[str, str]]:
    """Variables that lead to a store with an empty bucket; its process ends with the test."""
    if not (Path(os.environ.get(REAL, "/")) / "bin/versitygw").is_file():
        pytest.skip(f"no real S3 store: build one by shared/real, and name its folder in {REAL}")
    s3fs = pytest.importorskip("s3fs", reason="no s3fs: install the extra fleet")
    state = tmp_path / "state"
    started = subprocess.run(
        [RECIPES / "start-s3", state], stdout=subprocess.PIPE, text=True, check=True
    )
    variables = dict(word.split("=", 1) for word in started.stdout.split()[1:])
    client = s3fs.S3FileSystem(
        key=variables["AWS_ACCESS_KEY_ID"],
        secret=variables["AWS_SECRET_ACCESS_KEY"],
        endpoint_url=variables["AWS_ENDPOINT_URL"],
    )
    client.mkdir("results")
    try:
        yield variables | {"STATE": str(state)}
    finally:
        subprocess.run([RECIPES / "stop", state], check=True)


def compiled(root: Path, machine: str, store: dict[str, str], *, kill: bool = False) -> str:
    """What a compile on a machine with empty caches logs; in the middle the store may be killed."""
    home = root / machine
    (home / "config/commodore").mkdir(parents=True)
    key = json.dumps(str(root / "key.pem"))
    text = f'[cache]\nremote = "s3://results/x"\nremote-key = {key}\n'
    (home / "config/commodore/config.toml").write_text(text)
    own = {"XDG_CACHE_HOME": str(home / "cache"), "XDG_CONFIG_HOME": str(home / "config")}
    facts = ("--api-url", str(root / "fleet/facts"))
    words = ("-vv", "-d", str(home / "work"), "catalog", "compile", CLUSTER, *facts)
    lines = []
    with subprocess.Popen(
        [PROGRAM, *words], env=os.environ | store | own, stderr=subprocess.PIPE, text=True
    ) as running:
        for line in running.stderr or ():
            lines.append(line)
            if kill and "taken from the cache" in line:
                subprocess.run([RECIPES / "stop", store["STATE"]], check=True)
                kill = False
    assert running.returncode == 0, lines
    return "".join(lines)


def test_machines_share_results(tmp_path: Path, store: dict[str, str]) -> None:
    make_fleet(tmp_path / "fleet", **{name: {} for name in COMPONENTS})
    key = ("openssl", "genpkey", "-algorithm", "ed25519", "-out", tmp_path / "key.pem")
    subprocess.run(key, check=True)

    first = compiled(tmp_path, "first", store)
    second = compiled(tmp_path, "second", store)
    third = compiled(tmp_path, "third", store, kill=True)

    hits = [text.count("taken from the cache") for text in (first, second, third)]
    assert hits[:2] == [0, len(COMPONENTS)]
    assert 0 < hits[2] < len(COMPONENTS)
    assert "warning: the shared cache is not used" in third
    for name in COMPONENTS:
        files = [
            (tmp_path / machine / f"work/compiled/{name}/{name}/out.yaml").read_bytes()
            for machine in ("first", "second", "third")
        ]
        assert len(set(files)) == 1
