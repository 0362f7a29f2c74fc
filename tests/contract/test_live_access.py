"""Access to a real cluster: certificates, programs for credentials, impersonation, many objects."""

from __future__ import annotations

import base64
import json
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from commodore_py.adapters.http import HttpError
from commodore_py.live.access import kubeconfig
from commodore_py.live.access.client import Client, Writer
from commodore_py.live.access.discovery import discover
from commodore_py.live.reading import Selection, read_objects
from tests.real import servers

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.long

NAMESPACE = "many"
MANY = 5000
ROOT = f"/api/v1/namespaces/{NAMESPACE}/configmaps"


def _openssl(folder: Path, *words: str) -> None:
    subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The state of a server that accepts client certificates."""
    made = tmp_path_factory.mktemp("access")
    authority = ("-keyout", "ca.key", "-out", "ca.crt", "-subj", "/CN=clients", "-days", "1")
    _openssl(made, "req", "-x509", "-newkey", "rsa:2048", "-nodes", *authority)
    request = ("-keyout", "user.key", "-out", "user.csr", "-subj", "/CN=someone")
    _openssl(made, "req", "-newkey", "rsa:2048", "-nodes", *request)
    signed = ("-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-out", "user.crt")
    _openssl(made, "x509", "-req", "-in", "user.csr", *signed)
    with servers.kubernetes(made / "state", "--client-ca-file", str(made / "ca.crt")):
        yield made


def _access(folder: Path, user: dict[str, Any] | None = None) -> kubeconfig.Access:
    """The access of the administrator, or of another user."""
    file = folder / "state" / "kubeconfig"
    if user is not None:
        text = file.read_text()
        start, end = text.index("users:"), text.index("contexts:")
        users = json.dumps([{"name": "admin", "user": user}])
        file = folder / "kubeconfig"
        file.write_text(f"{text[:start]}users: {users}\n{text[end:]}")
    return kubeconfig.find(str(file), variables={}, home=Path("/nowhere"))


def _refused_user(access: kubeconfig.Access) -> str:
    """Who the server takes this client for, as its refusal says."""
    client = Client(access, timeout=10)
    try:
        client.get("/api/v1/namespaces/kube-system/secrets")
    except HttpError as error:
        return str(error)
    finally:
        client.close()
    return "the administrator"


def _plugin(folder: Path, **status: str) -> dict[str, Any]:
    version = "client.authentication.k8s.io/v1"
    answer = {"apiVersion": version, "kind": "ExecCredential", "status": status}
    program = folder / "login"
    (folder / "answer").write_text(json.dumps(answer))
    program.write_text('#!/bin/sh\nexec cat "$(dirname "$0")/answer"\n')
    program.chmod(0o755)
    return {"exec": {"apiVersion": version, "command": str(program), "interactiveMode": "Never"}}


def test_client_certificates(folder: Path) -> None:
    files = {"client-certificate": str(folder / "user.crt"), "client-key": str(folder / "user.key")}
    data = {
        f"{name}-data": base64.b64encode(Path(file).read_bytes()).decode()
        for name, file in files.items()
    }

    assert 'User "someone"' in _refused_user(_access(folder, files))
    assert 'User "someone"' in _refused_user(_access(folder, data))


def test_programs_for_credentials(folder: Path) -> None:
    token = _access(folder).user.token
    certificate, key = ((folder / f"user.{end}").read_text() for end in ("crt", "key"))

    assert _refused_user(_access(folder, _plugin(folder, token=token))) == "the administrator"
    by_certificate = _plugin(folder, clientCertificateData=certificate, clientKeyData=key)
    assert 'User "someone"' in _refused_user(_access(folder, by_certificate))
    assert "401" in _refused_user(_access(folder, _plugin(folder, token="wrong")))


def test_impersonation(folder: Path) -> None:
    user = {"token": _access(folder).user.token, "as": "other"}

    assert 'User "other"' in _refused_user(_access(folder, user))
    groups = ["some", "system:masters"]
    assert _refused_user(_access(folder, {**user, "as-groups": groups})) == "the administrator"


def _configmap(name: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"a": "b"}}


def test_thousands_of_objects_are_listed(folder: Path) -> None:
    access = _access(folder)
    writer = Writer(access)
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}
    writer.apply(f"/api/v1/namespaces/{NAMESPACE}", namespace, manager="test")
    with ThreadPoolExecutor(8) as pool:
        names = [f"it-{number}" for number in range(MANY)]
        list(
            pool.map(
                lambda name: writer.apply(f"{ROOT}/{name}", _configmap(name), manager="test"), names
            )
        )
    selection = Selection(kinds=frozenset({("", "ConfigMap")}), namespaces=(NAMESPACE,))
    cache = read_objects(writer, selection, discover(writer))
    writer.close()

    assert {one.id.name for one in cache.objects.all()} >= set(names)
