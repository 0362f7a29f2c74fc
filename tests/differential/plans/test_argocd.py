"""The documented example in a real Argo CD, whose second cluster is the first one again."""

from __future__ import annotations

import json
import logging
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from commodore_py.delivery.drivers.argocd.health_rule import RULE
from commodore_py.delivery.drivers.table import DRIVERS
from commodore_py.model.tree import Tree
from tests.real import servers
from tests.support.plan_catalogs import (
    CLUSTER,
    EXAMPLE,
    EXAMPLE_NAMES,
    NAMESPACE,
    catalog,
    file_of,
    job,
)
from tests.support.servers import git_http

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [pytest.mark.slow, pytest.mark.long]
_LOG = logging.getLogger(__name__)  # figures: --log-cli-level=INFO
ARGOCD = "argocd"
SLOW, PATIENCE = 5.0, 150.0
"""Seconds until a Deployment is made ready, and until the test gives up."""
RULE_KEY = "resource.customizations.health.argoproj.io_Application"
BEFORE = {("capi-cluster", "shop"), ("ccm", "shop"), ("cni", "shop")}


class Running:
    """Argo CD beside an API server, and a Git server."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(self, *words: object) -> str:
        ran = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False)
        assert ran.returncode == 0, (words, ran.stdout, ran.stderr)
        return ran.stdout

    def kubectl(self, *words: str) -> str:
        return servers.kubectl(self.folder / "kubeconfig", *words, check=True)

    def patch(self, namespace: str, name: str, content: object, *more: str) -> None:
        words = ("patch", *name.split("/"), *more, "--type", "merge", "-p", json.dumps(content))
        self.kubectl("-n", namespace, *words)


@contextmanager
def running(folder: Path) -> Iterator[tuple[Running, str]]:
    """Both servers, and the address of the Git server."""
    made = Running(folder)
    (folder / "git").mkdir()
    servers.directory_with("argocd", "etcd")
    with (
        git_http.serve(folder / "git") as git,
        servers.kubernetes(folder, controllers=False) as kubeconfig,
        servers.argo_cd(folder, kubeconfig),
    ):
        yield made, git.url("").removesuffix("/")


def manifests(server: str) -> Tree:
    """The example as it is rendered; readiness depends on a Deployment of each instance."""
    trees = catalog(EXAMPLE_NAMES)
    for name in EXAMPLE_NAMES:
        labels = {"app": name}
        containers = [{"name": name, "image": name}]
        deployment = {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": name, "namespace": name},
            "spec": {
                "selector": {"matchLabels": labels},
                "template": {"metadata": {"labels": labels}, "spec": {"containers": containers}},
            },
        }
        trees[name] |= Tree({PurePosixPath(f"{name}/deployment.yaml"): file_of(deployment)})
    clusters = {"workload": {**CLUSTER, "server": server}}
    laid = DRIVERS["argocd"].render(job(EXAMPLE, trees, clusters=clusters, unlisted="last"))
    assert laid.findings == ()
    return laid.manifests


def adapted(one: dict[str, Any], url: str, credentials: object) -> dict[str, Any]:
    """An object as it is after the plugin, for the namespace and the repository of this run."""
    if one["metadata"].get("namespace") == NAMESPACE:
        one["metadata"]["namespace"] = ARGOCD
    if one["kind"] == "Application":
        one["spec"]["source"].pop("plugin", None)
        one["spec"]["source"]["repoURL"] = f"{url}/catalog.git"
    elif one["kind"] == "AppProject":
        one["spec"] |= {
            "sourceRepos": ["*"],
            "clusterResourceWhitelist": [{"group": "*", "kind": "*"}],
        }
    elif one["kind"] == "Secret":
        one["stringData"]["config"] = json.dumps(credentials)
    return one


def published(made: Running, url: str) -> None:
    """The rendered catalog in the Git server, and its owner in the cluster."""
    config = yaml.safe_load((made.folder / "kubeconfig").read_text())
    cluster = config["clusters"][0]["cluster"]
    credentials = {
        "bearerToken": config["users"][0]["user"]["token"],
        "tlsClientConfig": {"caData": cluster["certificate-authority-data"]},
    }
    work, bare = made.folder / "work", made.folder / "git" / "catalog.git"
    for path, entry in manifests(cluster["server"]).items():
        documents = [adapted(one, url, credentials) for one in yaml.safe_load_all(entry.content)]
        file = work / "manifests" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(yaml.safe_dump_all(documents))
    made.run("git", "init", "--quiet", "--bare", "--initial-branch", "master", bare)
    who = ("-c", "user.name=Test", "-c", "user.email=test@example.com")
    for words in (
        ("init", "--quiet", "--initial-branch", "master"),
        ("add", "--all"),
        (*who, "commit", "--quiet", "--message", "Catalog"),
        ("push", "--quiet", str(bare), "master"),
    ):
        made.run("git", "-C", work, *words)
    for name in EXAMPLE_NAMES:
        made.kubectl("create", "namespace", name)
    for file_name in ("00_syn-project.yaml", "01_rootapp.yaml"):
        made.kubectl("apply", "-f", str(work / "manifests" / "apps" / file_name))


def followed(made: Running) -> tuple[dict[str, float], dict[str, float]]:
    """When each Deployment came, and when it was made ready."""
    created: dict[str, float] = {}
    ready: dict[str, float] = {}
    start = time.monotonic()
    while len(ready) < len(EXAMPLE_NAMES):
        now = time.monotonic() - start
        assert now < PATIENCE, (created, ready)
        for one in json.loads(made.kubectl("get", "deployments", "-A", "-o", "json"))["items"]:
            name = one["metadata"]["name"]
            created.setdefault(name, now)
            if name not in ready and now - created[name] > SLOW:
                status = {"observedGeneration": one["metadata"]["generation"]}
                counts = ("replicas", "updatedReplicas", "readyReplicas", "availableReplicas")
                status |= dict.fromkeys(counts, 1)
                made.patch(name, f"deployment/{name}", {"status": status}, "--subresource=status")
                ready[name] = time.monotonic() - start
        time.sleep(0.5)
    return created, ready


@pytest.mark.parametrize("rule", [RULE, ""], ids=["rule", "no rule"])
def test_argocd_follows_plan_with_health_rule(tmp_path: Path, rule: str) -> None:
    with running(tmp_path) as (made, url):
        if rule:
            made.patch(ARGOCD, "configmap/argocd-cm", {"data": {RULE_KEY: rule}})
        published(made, url)

        created, ready = followed(made)

    _LOG.info("created %s", {name: round(at, 1) for name, at in created.items()})
    _LOG.info("ready %s", {name: round(at, 1) for name, at in ready.items()})
    late = {(one, two) for one, two in BEFORE if created[two] < ready[one]}
    if rule:
        assert late == set()
    else:  # how many of them is a matter of speed
        assert late
