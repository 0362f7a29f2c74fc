"""`commodore live` beside a real Argo CD: both say the same of a catalog."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from commodore_py.live.access import kubeconfig
from commodore_py.live.access.client import Client
from tests.real import servers
from tests.support.argocd_catalog import application, record, write_catalog
from tests.support.command_line import CommandLine
from tests.support.servers import git_http
from tests.support.servers.real_kubernetes import Server

from .test_cluster import eventually

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.command_line import Ran

pytestmark = pytest.mark.long

APPLICATIONS = "/apis/argoproj.io/v1alpha1/namespaces/argocd/applications"
MERGE = "application/merge-patch+json"
OBJECTS = (
    *(f"{APPLICATIONS}/{name}" for name in ("root", "alpha", "beta")),
    "/api/v1/namespaces/argocd/configmaps/argocd-cm",
    *(f"/api/v1/namespaces/{name}" for name in ("alpha", "beta")),
    "/api/v1/namespaces/alpha/configmaps/settings",
    "/apis/rbac.authorization.k8s.io/v1/clusterroles/alpha",
    "/apis/apps/v1/namespaces/alpha/deployments/web",
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.example.com",
    "/apis/example.com/v1/namespaces/beta/things/it",
    "/api/v1/namespaces/beta/secrets/key",
    "/api/v1/namespaces/beta/services/web",
)


class Syncing(NamedTuple):
    """A cluster with an Argo CD that syncs a repository."""

    access: kubeconfig.Access
    kubeconfig: Path
    method: str
    url: str


@pytest.fixture(params=["annotation", "label"])
def syncing(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Syncing]:
    state, repositories = tmp_path / "state", tmp_path / "repositories"
    servers.directory_with("argocd", "etcd")
    subprocess.run(["git", "init", "-q", "--bare", repositories / "catalog.git"], check=True)
    with (
        git_http.serve(repositories) as git,
        servers.kubernetes(state) as file,
        servers.argo_cd(state, file, tracking=request.param, resync=3),
    ):
        access = kubeconfig.find(str(file), variables={}, home=Path("/nowhere"))
        yield Syncing(access, file, request.param, git.url("catalog.git"))


def _push(url: str) -> str:
    git = ("git", "-C", "catalog", "-c", "user.name=T", "-c", "user.email=t@example.com")
    for words in (("add", "-A"), ("commit", "-qm", "state"), ("push", "-q", url, "HEAD:master")):
        subprocess.run([*git, *words], check=True)
    found = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
    return found.stdout.strip()


def _are_synced(client: Client, commit: str) -> bool:
    found = [one.get("status", {}).get("sync", {}) for one in client.get(APPLICATIONS)["items"]]
    wanted = {("Synced", commit)}
    return len(found) == 3 and {(one.get("status"), one.get("revision")) for one in found} == wanted


def test_live_commands_agree_with_argo_cd(
    syncing: Syncing,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    request: pytest.FixtureRequest,
) -> None:
    monkeypatch.chdir(tmp_path)
    client, server = Client(syncing.access), Server(syncing.access)

    def read() -> tuple[str, str]:
        captured = capsys.readouterr()
        return captured.out, captured.err

    commodore = CommandLine(monkeypatch, read)

    def live(verb: str, *words: str) -> Ran:
        place = ("--catalog", "catalog", "--kubeconfig", str(syncing.kubeconfig))
        return commodore("live", verb, "c-demo-1", *place, *words)

    subprocess.run(["git", "init", "-q", "-b", "master", "catalog"], check=True)
    write_catalog(Path("catalog"), syncing.url)
    commit = _push(syncing.url)
    server.send("POST", APPLICATIONS, application("root", "manifests/apps", syncing.url))
    assert eventually(lambda: _are_synced(client, commit), 90)
    if request.config.getoption("--update"):
        objects: list[Any] = [client.get(path) for path in OBJECTS]
        record(syncing.method, objects, url=syncing.url, commit=commit)

    status = live("status")
    assert status.out.count(f"as in the catalog, synced {commit[:8]}") == 3, status.out
    assert len(status.out.splitlines()) == 3  # nothing drifted, nothing left
    for words in ((), ("--server-side",)):
        assert live("diff", "--exit-code", *words).code == 0
    assert live("wait", "--for", "synced", "--timeout", "10").code == 0

    changed = "/api/v1/namespaces/alpha/configmaps/settings?fieldManager=by-hand"
    server.send("PATCH", changed, {"data": {"a": "2"}}, MERGE)
    status = live("status")
    assert "alpha: 1 to change" in status.out
    assert "by by-hand (Update)" in status.out
    assert live("wait", "--for", "synced", "--timeout", "1").code == 7

    Path("catalog/manifests/apps/beta.json").unlink()
    shutil.rmtree("catalog/manifests/beta")
    _push(syncing.url)
    deleted = [line.split(": ")[0] for line in live("status").out.splitlines() if "delete" in line]
    assert [one.removeprefix("to delete  ") for one in deleted] == [
        "Secret beta/key",
        "Service beta/web",
        "Application argocd/beta",
        "Thing beta/it",
    ]
    assert live("apply", "--prune", "--yes", "--max-grade", "data-loss").code == 1  # automated
    pruned = live("apply", "--prune", "--yes", "--force", "--max-grade", "data-loss")
    assert pruned.code == 0, pruned.err
    assert not any("delete" in line for line in live("status").out.splitlines())
    client.close()
