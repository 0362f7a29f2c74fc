"""Access to clusters: programs for credentials; golden cases show kubeconfig files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from commodore_py.errors import CommodoreError
from commodore_py.live.access import kubeconfig
from commodore_py.live.access.client import Credentials
from tests.support.tables import each

if TYPE_CHECKING:
    from pathlib import Path

FILE = """\
apiVersion: v1
kind: Config
current-context: one
contexts:
  - name: one
    context: {cluster: here, user: me, namespace: shop}
clusters:
  - name: here
    cluster:
      server: https://one.example.com/
users:
  - name: me
    user:
      token: first
"""
PLUGIN = """#!/bin/sh
printf '%s' "$KUBERNETES_EXEC_INFO" > "$0.info"
echo x >> "$0.runs"
"""


def _find(home: Path, *files: Path, **options: str) -> kubeconfig.Access:
    variables = {"KUBECONFIG": ":".join(map(str, files))} if files else {}
    return kubeconfig.find(variables=variables, home=home, **options)


@pytest.fixture
def config(tmp_path: Path) -> Path:
    file = tmp_path / "config"
    file.write_text(FILE)
    return file


@pytest.mark.parametrize("text", ["{", "- a\n", "\x00"])
def test_invalid_kubeconfig_names_file(tmp_path: Path, config: Path, text: str) -> None:
    config.write_text(text)

    with pytest.raises(CommodoreError) as error:
        _find(tmp_path, config)

    assert str(config) in f"{error.value} {error.value.where}"


def _plugin(tmp_path: Path, script: str, version: str = "v1", **more: object) -> Credentials:
    program = tmp_path / "login"
    program.write_text(PLUGIN + script)
    program.chmod(0o755)
    wanted = {
        "apiVersion": f"client.authentication.k8s.io/{version}",
        "command": str(program),
        "installHint": "install it",
        **more,
    }
    config = tmp_path / "config"
    config.write_text(FILE.replace("token: first", f"exec: {json.dumps(wanted)}"))
    return Credentials(_find(tmp_path, config))


def _answer(**status: str) -> str:
    return f"echo '{json.dumps({'kind': 'ExecCredential', 'status': status})}'\n"


def test_exec_plugin_token_is_cached(tmp_path: Path) -> None:
    credentials = _plugin(tmp_path, _answer(token="t0ken"), provideClusterInfo=True)

    assert credentials.current().authorization == "Bearer t0ken"
    assert credentials.current().authorization == "Bearer t0ken"

    info = json.loads((tmp_path / "login.info").read_text())
    assert info["spec"]["cluster"]["server"] == "https://one.example.com"
    assert (tmp_path / "login.runs").read_text() == "x\n"


def test_expired_or_refused_token_is_renewed_once(tmp_path: Path) -> None:
    credentials = _plugin(tmp_path, _answer(token="t0ken"))
    shown = credentials.current()

    assert credentials.renew(shown)
    assert credentials.current() is not shown
    assert credentials.renew(shown)  # another thread was refused with the same one
    credentials.current()
    assert (tmp_path / "login.runs").read_text() == "x\n" * 2

    ended = _answer(token="t0ken", expirationTimestamp="2020-01-01T00:00:00Z")
    credentials = _plugin(tmp_path, ended)
    (tmp_path / "login.runs").unlink()
    credentials.current()
    credentials.current()
    assert (tmp_path / "login.runs").read_text() == "x\n" * 2


@each(
    ("script", "more", "words"),
    [
        ("echo no such login >&2; exit 3", {}, "no such login"),
        ("echo no JSON", {}, "no JSON"),
        ("echo '{}'", {}, "no status"),
        (_answer(clientCertificateData="a"), {}, "neither a token nor a certificate with key"),
        ("", {"version": "v1alpha1"}, "v1alpha1 is not known"),
        ("", {"interactiveMode": "Always"}, "terminal"),
        ("", {"command": "/no/such/program"}, "/no/such/program"),
    ],
)
def test_failing_exec_plugin_is_an_error(
    tmp_path: Path, script: str, more: dict[str, Any], words: str
) -> None:
    credentials = _plugin(tmp_path, script, **more)

    with pytest.raises(CommodoreError) as error:
        credentials.current()

    assert words in str(error.value)
    assert error.value.where.startswith(str(tmp_path))
    assert error.value.hint == "install it"
