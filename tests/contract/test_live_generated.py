"""The whole catalog of a generated cluster with a real API server, and its secrets in a Vault."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from commodore_py.live.access.client import Client
from commodore_py.model.secrets import ReferenceFile
from commodore_py.refs.backends import vaultkv
from tests.bench.generated import generated, generator
from tests.real.pods import running_pods
from tests.support.builders import commit_to, git
from tests.support.command_line import CommandLine
from tests.support.servers.real_kubernetes import Server
from tests.support.servers.vault import double_vault

from .test_cluster import eventually
from .test_live_commands import CRDS, access, crd, folder, is_served

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from commodore_py.live.access.kubeconfig import Access
    from tests.support.command_line import Ran

__all__ = ["access", "folder"]  # fixtures

pytestmark = pytest.mark.long

_ARGO = "/apis/argoproj.io/v1alpha1"
_MERGE = "application/merge-patch+json"


@pytest.fixture
def kubelet(folder: Path) -> Iterator[None]:
    """Makes pods ready."""
    with running_pods(folder / "kubeconfig"):
        yield


@pytest.fixture
def commodore(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> CommandLine:
    monkeypatch.chdir(tmp_path)

    def read() -> tuple[str, str]:
        captured = capsys.readouterr()
        return captured.out, captured.err

    return CommandLine(monkeypatch, read)


@pytest.fixture
def live(
    commodore: CommandLine,
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Callable[..., Ran]]:
    """Compile the cluster, with secrets in a Vault, and run commands on what was compiled."""
    if not generator().is_file():
        pytest.skip(f"there is no {generator()}: name one in COMMODORE_GENERATOR")
    with generated(tmp_path / "generated", "S") as cluster, double_vault() as vault:
        configuration = tmp_path / "generated" / "repos" / "global.git"
        text = git(configuration, "show", "master:params.yml") + "\n"
        assert "https://vault.example.com" in text
        commit_to(
            configuration, {"params.yml": text.replace("https://vault.example.com", vault.url)}
        )
        monkeypatch.setenv("COMMODORE_API_URL", cluster.api_url)
        monkeypatch.setenv("COMMODORE_API_TOKEN", "made-up")
        monkeypatch.setenv("PATH", f"{cluster.programs}{os.pathsep}{os.environ['PATH']}")
        monkeypatch.setenv("VAULT_ADDR", vault.url)
        monkeypatch.setenv("VAULT_TOKEN", vault.token)
        compiled = commodore("catalog", "compile", cluster.id)
        assert compiled.code == 0, compiled.err
        _write_secrets(vault)

        def run(verb: str, *words: str) -> Ran:
            place = ("--kubeconfig", str(folder / "kubeconfig"))
            ran = commodore("live", verb, cluster.id, *place, *words)
            assert "value-of-" not in ran.out + ran.err
            return ran

        yield run


def _write_secrets(vault: Any) -> None:  # noqa: ANN401 - the double
    values: dict[tuple[str, str], dict[str, str]] = {}
    for file in Path("catalog/refs").rglob("*"):
        if file.is_file():
            found = vaultkv.read(ReferenceFile("", file.read_bytes(), "vaultkv"))
            assert found is not None
            values.setdefault((found.mount, found.secret), {})[found.key] = f"value-of-{file.name}"
            vault.enable(found.mount, 2)
    for (mount, secret), keys in values.items():
        vault.write(mount, secret, keys)


def _let_pods_run(server: Server) -> None:
    """The generated containers are not what the label of their namespaces asks for."""
    for file in Path("catalog/manifests").rglob("*.yaml"):
        text = file.read_text()
        label = "pod-security.kubernetes.io/enforce: "
        file.write_text(text.replace(f"{label}restricted", f"{label}privileged"))
    server.send("POST", CRDS, crd("argoproj.io", "Application"))


def _bring_applications(server: Server) -> None:
    """What a root application would do; they say whose cluster it is."""
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "syn"}}
    server.send("POST", "/api/v1/namespaces", namespace)
    for file in Path("catalog/manifests").rglob("*.yaml"):
        for one in yaml.safe_load_all(file.read_text()):
            if one["kind"] == "Application":
                server.send("POST", f"{_ARGO}/namespaces/syn/applications", one)


def _commit() -> None:
    identity = ("-c", "user.name=T", "-c", "user.email=t@example.com")
    subprocess.run(["git", *identity, "commit", "-qam", "state"], cwd="catalog", check=True)


def test_generated_catalog_is_applied_and_pruned(
    live: Callable[..., Ran],
    access: Access,
    kubelet: None,
) -> None:
    del kubelet
    server, client = Server(access), Client(access)
    _let_pods_run(server)
    assert eventually(lambda: is_served(client, _ARGO))
    client.close()
    _bring_applications(server)
    certain = ("--yes", "--force")

    refused = live("apply", *certain)
    assert refused.code == 1
    assert "to apply their values: --reveal" in refused.err
    applied = live("apply", *certain, "--reveal")
    assert applied.code == 0, applied.err
    compared = live("diff", "--exit-code", "--reveal")
    assert compared.code == 0, compared.out
    by_server = live("diff", "--exit-code", "--server-side", "--reveal")
    assert by_server.code == 0, by_server.out
    waited = live("wait", "--timeout", "120")
    assert waited.code == 0, waited.out
    report = json.loads(live("status", "-o", "json").out)
    assert {one["health"] for one in report["applications"]} == {"Healthy"}

    secret = "/api/v1/namespaces/syn-argocd/secrets/argocd-credentials"
    server.send("PATCH", secret, {"stringData": {"password": "another"}}, _MERGE)
    assert live("diff", "--exit-code").code == 0
    assert live("diff", "--exit-code", "--reveal").code == 5
    assert live("apply", *certain, "--reveal").code == 0
    assert live("diff", "--exit-code", "--reveal").code == 0

    _commit()
    gone = sorted(Path("catalog/manifests").rglob("*onfig*.yaml"))
    assert gone
    for file in gone:
        file.unlink()
    _commit()
    orphans = json.loads(live("status", "-o", "json").out)["orphans"]
    assert "delete" in {one["fate"] for one in orphans}
    pruned = live("apply", *certain, "--reveal", "--prune", "--max-grade", "data-loss")
    assert pruned.code == 0, pruned.err
    left = json.loads(live("status", "-o", "json").out)["orphans"]
    assert "delete" not in {one["fate"] for one in left}
