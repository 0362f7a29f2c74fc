"""The cache that machines share, on a real object store."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import pytest

from tests.real import servers
from tests.support.fleet import CLUSTER, make_fleet

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.long

PROGRAM = Path(sys.executable).with_name("commodore")
COMPONENTS = ("one", "two", "three", "four", "five", "six")


Store: TypeAlias = "tuple[dict[str, str], subprocess.Popen[bytes]]"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A store with an empty bucket."""
    with servers.s3(tmp_path / "state") as (variables, process):
        s3fs = pytest.importorskip("s3fs", reason="no s3fs: install the extra fleet")
        client = s3fs.S3FileSystem(
            key=variables["AWS_ACCESS_KEY_ID"],
            secret=variables["AWS_SECRET_ACCESS_KEY"],
            endpoint_url=variables["AWS_ENDPOINT_URL"],
        )
        client.mkdir("results")
        yield variables, process


def compiled(root: Path, machine: str, store: Store, *, kill: bool = False) -> str:
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
    variables, process = store
    with subprocess.Popen(
        [PROGRAM, *words], env=os.environ | variables | own, stderr=subprocess.PIPE, text=True
    ) as running:
        for line in running.stderr or ():
            lines.append(line)
            if kill and "taken from the cache" in line:
                process.kill()
                kill = False
    assert running.returncode == 0, lines
    return "".join(lines)


def test_machines_share_results(tmp_path: Path, store: Store) -> None:
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
