"""Results that machines share: two caches of two users, and a storage between them."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
)

from commodore_py.adapters.files import write_if_changed
from commodore_py.cache.digests import digest
from commodore_py.cache.signed import Signed, private_key
from tests.support.fleet import CLUSTER, make_fleet

if TYPE_CHECKING:
    from tests.support.command_line import CommandLine, Ran
    from tests.support.fleet import Fleet


class Machines:
    """Machines that compile one cluster, each with its own caches and working directory."""

    def __init__(self, commodore: CommandLine, fleet: Fleet, root: Path) -> None:
        self._commodore, self._root = commodore, root
        self.fleet = fleet
        self.storage = root / "storage"

    def compile(self, machine: str, *options: str, **settings: object) -> Ran:
        """A first compile on a machine, with these settings of the shared cache."""
        home = self._root / machine
        content = {"remote": self.storage.as_uri(), **settings}
        lines = "".join(
            f"{key.replace('_', '-')} = {json.dumps(content[key])}\n" for key in content
        )
        write_if_changed(home / "config/commodore/config.toml", f"[cache]\n{lines}".encode())
        return self._commodore(
            *("-vv", "-d", str(home / "work"), "catalog", "compile", CLUSTER, *options),
            *("--api-url", str(self.fleet.root / "facts")),
            XDG_CACHE_HOME=str(home / "cache"),
            XDG_CONFIG_HOME=str(home / "config"),
        )

    def files(self, kind: str) -> list[Path]:
        """The files in the storage."""
        return [path for path in self.storage.glob(f"{kind}/*/*") if path.is_file()]

    def change(self, private: str, change: str | list[object] | dict[str, object]) -> None:
        """Sign changed records (mappings) or questions (lists), or others in place of both."""
        for file in self.files("records"):
            (signed,) = json.loads(file.read_bytes())
            content = json.loads(signed["record"])
            if isinstance(change, str):
                content = change
            elif isinstance(content, dict) and isinstance(change, dict):
                content = json.dumps(content | change)
            elif isinstance(content, list) and isinstance(change, list):
                content = json.dumps(change)
            else:
                continue
            key = file.parent.name + file.name
            made = Signed.by(private_key(Path(private)), key, content.encode())
            file.write_bytes(Signed.packed([made]))


@pytest.fixture
def machines(commodore: CommandLine, tmp_path: Path) -> Machines:
    return Machines(commodore, make_fleet(tmp_path / "fleet", one={}), tmp_path)


def key_pair(folder: Path, name: str = "writer") -> tuple[str, str]:
    """The file of a new private key, and its public key."""
    private = Ed25519PrivateKey.generate()
    file = folder / f"{name}.pem"
    file.write_bytes(private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return str(file), base64.b64encode(private.public_key().public_bytes_raw()).decode()


def from_cache(ran: Ran) -> bool:
    """Whether the only entry was taken from the cache."""
    assert ran.code == 0, ran.err
    return "main.jsonnet: taken from the cache" in ran.err


@pytest.mark.parametrize(
    "change",
    [
        {"result": 3},
        {"result": "../../etc"},
        {"traces": None},
        {"traces": "€"},
        [1],
        [["inventory self"]],
        ["content work:\0"],
        ["telepathy"],
        "nothing",
        "[" * 100_000,
    ],
)
def test_malformed_record_of_trusted_writer_is_a_miss(
    machines: Machines, tmp_path: Path, change: str | list[object] | dict[str, object]
) -> None:
    private, public = key_pair(tmp_path)
    machines.compile("ci", remote_key=private)
    machines.change(private, change)

    assert not from_cache(machines.compile("laptop", remote_trust=[public]))


@pytest.mark.parametrize(
    "content",
    [
        b"no pack",
        b"[]\n",
        b'{"files": [[1, 2, 3]], "folders": []}\n',
        b'{"files": [["\\u0000", 0, false]], "folders": []}\n',
        b'{"files": [], "folders": [1]}\n',
    ],
)
def test_odd_result_of_trusted_writer_is_not_stored(
    machines: Machines, tmp_path: Path, content: bytes
) -> None:
    private, public = key_pair(tmp_path)
    machines.compile("ci", remote_key=private)
    name = digest(content)
    write_if_changed(machines.storage / "blobs" / name[:2] / name[2:], content)
    machines.change(private, {"result": name})

    ran = machines.compile("laptop", remote_trust=[public])

    assert not from_cache(ran)
    assert not list((tmp_path / "laptop").rglob(name[2:]))
