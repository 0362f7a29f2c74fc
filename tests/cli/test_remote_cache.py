"""Results that machines share: two caches of two users, and a storage between them."""

from __future__ import annotations

import base64
import json
import os
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


def test_second_machine_compiles_from_results_of_first(machines: Machines, tmp_path: Path) -> None:
    private, public = key_pair(tmp_path)

    first = machines.compile("ci", remote_key=private)
    second = machines.compile("laptop", remote_trust=[public])
    machines.storage.rename(tmp_path / "gone")
    again = machines.compile("laptop", remote_trust=[public])

    assert (from_cache(first), from_cache(second), from_cache(again)) == (False, True, True)
    assert first.out == second.out


def test_results_in_the_storage_are_not_written_again(machines: Machines, tmp_path: Path) -> None:
    machines.compile("ci", remote_key=key_pair(tmp_path)[0])
    before = {file: file.stat().st_ino for file in machines.files("blobs")}
    ran = machines.compile("other", remote_key=key_pair(tmp_path, "other")[0])

    assert not from_cache(ran)
    assert {file: file.stat().st_ino for file in machines.files("blobs")} == before


def test_reader_writes_nothing(machines: Machines, tmp_path: Path) -> None:
    ran = machines.compile("laptop", remote_trust=[key_pair(tmp_path)[1]])

    assert not from_cache(ran)
    assert not machines.storage.exists()


@pytest.mark.parametrize("change", ["blob", "record", "signature", "nonsense"])
def test_changed_files_are_refused(machines: Machines, tmp_path: Path, change: str) -> None:
    private, public = key_pair(tmp_path)
    machines.compile("ci", remote_key=private)
    for file in machines.files("blobs" if change == "blob" else "records"):
        if change == "blob":
            file.write_bytes(file.read_bytes().replace(b"one", b"own"))
            continue
        (signed,) = json.loads(file.read_bytes())
        if change == "record":
            signed["record"] = signed["record"].replace('"traces": ""', '"traces": "x"')
        if change == "signature":
            signed["signature"] = signed["signature"][:-4] + "AAA="
        file.write_text("[[[" if change == "nonsense" else json.dumps([signed]))

    ran = machines.compile("laptop", remote_trust=[public])

    assert not from_cache(ran)
    assert ("in the shared cache is refused" in ran.err) is (change != "nonsense")
    assert "of: one" in (tmp_path / "laptop/work/compiled/one/one/out.yaml").read_text()


def test_record_of_another_key_is_refused(machines: Machines, tmp_path: Path) -> None:
    private, public = key_pair(tmp_path)
    machines.fleet = make_fleet(tmp_path / "of-two", one={}, two={})
    machines.compile("ci", remote_key=private)
    files = machines.files("records")
    contents = [file.read_bytes() for file in files]
    for file, content in zip(files, reversed(contents), strict=True):
        file.write_bytes(content)

    ran = machines.compile("laptop", remote_trust=[public])

    assert not from_cache(ran)
    assert "its signature is wrong" in ran.err


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


def test_dry_run_shares_nothing(machines: Machines, tmp_path: Path) -> None:
    ran = machines.compile("ci", "--dry-run", remote_key=key_pair(tmp_path)[0])

    assert not from_cache(ran)
    assert not machines.storage.exists()


def test_failed_run_shares_nothing(machines: Machines, tmp_path: Path) -> None:
    failing = {"component/main.jsonnet": "error 'no'"}
    machines.fleet = make_fleet(tmp_path / "failing", one={}, two=failing)
    private, _ = key_pair(tmp_path)

    ran = machines.compile("ci", remote_key=private)

    assert ran.code == 1
    assert not machines.storage.exists()


def test_records_of_unknown_writers_are_ignored(machines: Machines, tmp_path: Path) -> None:
    machines.compile("stranger", remote_key=key_pair(tmp_path, "stranger")[0])

    ran = machines.compile("laptop", remote_trust=[key_pair(tmp_path)[1]])

    assert not from_cache(ran)


def test_objects_of_kind_secret_are_not_shared(machines: Machines, tmp_path: Path) -> None:
    main = "{ out: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'x' } } }"
    machines.fleet = make_fleet(tmp_path / "other", one={"component/main.jsonnet": main})

    ran = machines.compile("ci", remote_key=key_pair(tmp_path)[0])

    assert not from_cache(ran)
    assert machines.files("blobs") == []


def test_unusable_storage_warns(machines: Machines, tmp_path: Path) -> None:
    private, _ = key_pair(tmp_path)
    machines.storage.write_text("a file")

    ran = machines.compile("ci", remote_key=private)

    assert not from_cache(ran)
    assert ran.err.count("warning: the shared cache is not used") == 1
    assert machines.storage.as_uri() in ran.err


@pytest.mark.parametrize("content", [None, "no key"])
def test_unusable_key_warns(machines: Machines, tmp_path: Path, content: str | None) -> None:
    file = tmp_path / "key.pem"
    if content:
        file.write_text(content)

    ran = machines.compile("ci", remote_key=str(file))

    assert not from_cache(ran)
    assert "warning: results are not shared" in ran.err
    assert file.name in ran.err


def test_unusable_key_does_not_prevent_reading(machines: Machines, tmp_path: Path) -> None:
    private, public = key_pair(tmp_path)
    machines.compile("ci", remote_key=private)

    ran = machines.compile("laptop", remote_key="/nowhere/key.pem", remote_trust=[public])

    assert from_cache(ran)
    assert "warning: results are not shared" in ran.err


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "cache.remote has no writers"),
        ({"remote": ""}, "cache.remote is missing"),
        ({"remote": "relative"}, "cache.remote: the address has no scheme"),
        ({"remote_key": "~nouser/x"}, "there is no such home directory: '~nouser/x'"),
        ({"remote_trust": ["é"]}, "expected a list of Ed25519 public keys in base64"),
        ({"remote": 1}, "cache.remote: expected a string, not 1"),
        ({"remote_trust": ["x"]}, "expected a list of Ed25519 public keys in base64"),
        ({"remote_trust": "x"}, "expected a list of Ed25519 public keys in base64"),
        ({"remote_kye": "x"}, "did you mean remote-key"),
    ],
)
def test_wrong_settings_are_refused(
    machines: Machines, settings: dict[str, object], message: str
) -> None:
    ran = machines.compile("ci", **settings)

    assert ran.code == 1
    assert message in ran.err


def test_config_show_lists_the_shared_cache(commodore: CommandLine) -> None:
    file = Path(os.environ["HOME"], ".config/commodore/config.toml")
    key = base64.b64encode(bytes(32)).decode()
    write_if_changed(file, f'[cache]\nremote = "s3://b/x"\nremote-trust = ["{key}"]\n'.encode())

    ran = commodore("config", "show")

    assert "remote        s3://b/x" in ran.out
