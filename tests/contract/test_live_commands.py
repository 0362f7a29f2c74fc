"""`commodore live` with a real API server and its controllers: from empty to applied and pruned."""

from __future__ import annotations

import json
import subprocess
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from commodore_py.live.access import kubeconfig
from commodore_py.live.access.client import Client
from tests.real import servers
from tests.support.command_line import CommandLine
from tests.support.servers.real_kubernetes import Server

from .test_cluster import eventually

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TypeAlias

    from tests.support.command_line import Ran

    Live: TypeAlias = Callable[..., Ran]

pytestmark = pytest.mark.long

URL = "https://git.example.com/catalogs/c-demo-1.git"
_MERGE = "application/merge-patch+json"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The state of a server with controllers."""
    made = tmp_path_factory.mktemp("commands")
    with servers.kubernetes(made):
        yield made


@pytest.fixture
def access(folder: Path) -> kubeconfig.Access:
    return kubeconfig.find(str(folder / "kubeconfig"), variables={}, home=Path("/nowhere"))


@pytest.fixture
def server(access: kubeconfig.Access) -> Server:
    return Server(access)


@pytest.fixture
def live(
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Live:
    monkeypatch.chdir(tmp_path)

    def read() -> tuple[str, str]:
        captured = capsys.readouterr()
        return captured.out, captured.err

    commodore = CommandLine(monkeypatch, read)

    def run(verb: str, *words: str, user: str = "kubeconfig") -> Ran:
        place = ("--catalog", "catalog", "--kubeconfig", str(folder / user))
        return commodore("live", verb, "c-demo-1", *place, *words)

    return run


def crd(group: str, kind: str) -> dict[str, Any]:
    """A kind whose objects may have any fields."""
    plural = f"{kind.lower()}s"
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {"name": "v1alpha1", "served": True, "storage": True}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "names": {"kind": kind, "plural": plural},
            "scope": "Namespaced",
            "versions": [{**version, "schema": {"openAPIV3Schema": schema}}],
        },
    }


def _application() -> dict[str, Any]:
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": "shop", "namespace": "default"},
        "spec": {
            "source": {"repoURL": URL, "path": "manifests/shop"},
            "destination": {"namespace": "shop"},
        },
    }


def _configmap(name: str) -> dict[str, Any]:
    metadata = {"name": name, "namespace": "shop"}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"a": "1"}}


def _deployment() -> dict[str, Any]:
    labels = {"app": "web"}
    container = {"name": "web", "image": "registry.example.com/web:1"}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {
            "replicas": 2,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
        },
    }


def _write(path: str, content: dict[str, Any]) -> None:
    file = Path("catalog/manifests", path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(content))


def _commit() -> str:
    run = ("git", "-c", "user.name=T", "-c", "user.email=t@example.com")
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "state")):
        subprocess.run([*run, *words], cwd="catalog", check=True)
    found = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd="catalog", check=True, capture_output=True, text=True
    )
    return found.stdout.strip()


@pytest.fixture
def kubelet(access: kubeconfig.Access) -> Iterator[None]:
    """Makes pods ready, as far as the controllers can see."""
    ended = threading.Event()

    def work() -> None:
        client, writer = Client(access), Server(access)
        status = {
            "phase": "Running",
            "conditions": [{"type": "Ready", "status": "True"}],
        }
        while not ended.wait(0.3):
            for one in client.get("/api/v1/namespaces/shop/pods")["items"]:
                if one["status"].get("phase") != "Running":
                    path = f"/api/v1/namespaces/shop/pods/{one['metadata']['name']}/status"
                    writer.send("PATCH", path, {"status": status}, _MERGE)
        client.close()

    thread = threading.Thread(target=work)
    thread.start()
    yield
    ended.set()
    thread.join()


@pytest.fixture
def catalog(live: Live, server: Server, access: kubeconfig.Access) -> None:  # noqa: ARG001 - its folder
    _write("apps/shop.yaml", _application())
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}
    _write("shop/namespace.yaml", namespace)
    for name in ("it", "old"):
        _write(f"shop/{name}.yaml", _configmap(name))
    _write("shop/web.yaml", _deployment())
    thing = {"apiVersion": "example.com/v1alpha1", "kind": "Thing"}
    _write("shop/kind.yaml", crd("example.com", "Thing"))
    _write("shop/thing.yaml", {**thing, "metadata": {"name": "it", "namespace": "shop"}})
    server.send("POST", CRDS, crd("argoproj.io", "Application"))
    client = Client(access)
    assert eventually(lambda: is_served(client, "/apis/argoproj.io/v1alpha1"))
    client.close()
    path = "/apis/argoproj.io/v1alpha1/namespaces/default/applications"
    server.send("POST", path, _application())


def is_served(client: Client, path: str) -> bool:
    try:
        return bool(client.get(path))
    except Exception:  # noqa: BLE001 - not yet
        return False


def test_catalog_is_applied_drifts_and_is_pruned(
    live: Live, catalog: None, server: Server, kubelet: None
) -> None:
    del catalog, kubelet
    first = _commit()
    assert "create" in live("diff").out
    applied = live("apply", "--yes")
    assert applied.code == 0, applied.err
    waited = live("wait", "--timeout", "60")
    assert (waited.code, waited.out) == (0, ""), waited.err
    assert "Healthy" in live("status").out
    assert live("diff", "--exit-code").code == 0
    by_server = live("diff", "--exit-code", "--server-side")
    assert by_server.code == 0, by_server.out
    tree = live("tree").out
    assert all(kind in tree for kind in ("Deployment", "ReplicaSet", "Pod"))

    path = "/apis/argoproj.io/v1alpha1/namespaces/default/applications/shop"
    server.send("PATCH", path, {"status": {"sync": {"revision": first}}}, _MERGE)
    assert json.loads(live("status", "-o", "json").out)["drift"] == []
    changed = "/api/v1/namespaces/shop/configmaps/it?fieldManager=somebody"
    server.send("PATCH", changed, {"data": {"a": "2"}}, _MERGE)
    assert "somebody" in live("status").out
    assert live("diff", "--exit-code").code == 5
    assert live("diff", "--exit-code").out == live("diff", "--server-side").out
    assert live("wait", "--for", "synced", "--timeout", "1").code == 7

    refused = live("apply", "--yes")
    assert refused.code == 1
    assert '"somebody"' in refused.err
    assert live("apply", "--yes", "--force").code == 0
    assert live("wait", "--for", "synced", "--timeout", "1").code == 0

    Path("catalog/manifests/shop/old.yaml").unlink()
    _commit()
    orphans = json.loads(live("status", "-o", "json").out)["orphans"]
    assert [(one["name"], one["fate"]) for one in orphans if one["kind"] == "ConfigMap"] == [
        ("old", "delete")
    ]
    pruned = live("apply", "--prune", "--yes", "--max-grade", "data-loss")
    assert pruned.code == 0, pruned.err
    orphans = json.loads(live("status", "-o", "json").out)["orphans"]
    assert [one["name"] for one in orphans if one["kind"] == "ConfigMap"] == []


def test_limited_token_does_not_report_unreadable_as_missing(live: Live, catalog: None) -> None:
    del catalog
    secret = {"apiVersion": "v1", "kind": "Secret"}
    _write("shop/secret.yaml", {**secret, "metadata": {"name": "it", "namespace": "shop"}})
    _commit()

    status = live("status", user="kubeconfig-limited")
    plan = live("diff", "--prune", user="kubeconfig-limited")
    apply = live("apply", "--yes", user="kubeconfig-limited")

    assert status.code == 0, status.err
    unread = [line for line in status.err.splitlines() if "cannot be read" in line]
    assert len(unread) == 1
    assert unread[0].startswith(" > Secret, ")
    assert "create Secret" not in plan.out
    assert apply.code == 1
