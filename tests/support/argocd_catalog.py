"""A catalog for a real Argo CD, and what the cluster was afterwards.

`tests/contract/test_argocd.py --update` records the objects that Argo CD has synced.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from .builders import commit_in, git
from .servers import kubernetes
from .servers.kubernetes import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .servers.kubernetes import Cluster

Object: TypeAlias = dict[str, Any]

URL = "https://git.example.com/catalogs/c-demo-1.git"
COMMIT = "the-commit-that-was-synced"
RECORDINGS = Path(__file__).parents[1] / "golden" / "argocd"


def application(name: str, path: str, url: str, *options: str) -> Object:
    """An Application that deploys a folder to the namespace of its name."""
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": name, "namespace": "argocd"},
        "spec": {
            "project": "default",
            "source": {"repoURL": url, "path": path, "targetRevision": "master"},
            "destination": {
                "server": "https://kubernetes.default.svc",
                "namespace": "argocd" if name == "root" else name,
            },
            "syncPolicy": {"automated": {}, "syncOptions": [*options] or ["Validate=true"]},
        },
    }


def _object(version: str, kind: str, name: str, namespace: str = "", **more: Any) -> Object:  # noqa: ANN401 - fields
    labels = more.pop("labels", None)
    metadata = {"name": name, "namespace": namespace, "labels": labels}
    place = {key: value for key, value in metadata.items() if value}
    return {"apiVersion": version, "kind": kind, "metadata": place, **more}


def files_of(url: str) -> dict[str, tuple[Object, ...]]:
    """The files of the catalog, below `manifests`."""
    labels = {"app": "web"}
    container = {"name": "web", "image": "registry.example.com/web:1"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    deployment = {"replicas": 0, "selector": {"matchLabels": labels}, "template": template}
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {"name": "v1", "served": True, "storage": True}
    definition = {
        "group": "example.com",
        "names": {"kind": "Thing", "plural": "things"},
        "scope": "Namespaced",
        "versions": [{**version, "schema": {"openAPIV3Schema": schema}}],
    }
    rules = [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]
    chart = {"app.kubernetes.io/instance": "of-a-chart"}
    return {
        "apps/alpha.json": (application("alpha", "manifests/alpha", url, "CreateNamespace=true"),),
        "apps/beta.json": (application("beta", "manifests/beta", url),),
        "argocd/root.json": (application("root", "manifests/apps", url),),
        "alpha/all.yaml": (
            _object("v1", "ConfigMap", "settings", labels=chart, data={"a": "1"}),
            _object("rbac.authorization.k8s.io/v1", "ClusterRole", "alpha", rules=rules),
            _object("apps/v1", "Deployment", "web", spec=deployment),
        ),
        "beta/all.yaml": (
            _object("v1", "Namespace", "beta"),
            _object(
                "apiextensions.k8s.io/v1",
                "CustomResourceDefinition",
                "things.example.com",
                spec=definition,
            ),
            _object("example.com/v1", "Thing", "it", "beta"),
            _object("v1", "Secret", "key", "beta", stringData={"a": "b"}),
            _object(
                *("v1", "Service", "web", "beta"),
                spec={"ports": [{"port": 80}], "selector": labels},
            ),
        ),
    }


def write_catalog(folder: Path, url: str = URL) -> None:
    """Write the files of the catalog."""
    for name, objects in files_of(url).items():
        file = folder / "manifests" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        text = "\n---\n".join(json.dumps(one, indent=1) for one in objects)
        file.write_text(text + "\n")


def recorded(method: str, commit: str) -> list[Object]:
    """The objects as Argo CD has synced them, with that method of tracking."""
    text = (RECORDINGS / f"{method}.json").read_text("utf-8")
    found: list[Object] = json.loads(text.replace(COMMIT, commit))
    return found


@contextmanager
def recorded_cluster(folder: Path, method: str) -> Iterator[Cluster]:
    """A catalog with its kubeconfig in a folder, and its cluster as Argo CD has synced it."""
    write_catalog(folder / "catalog")
    git(folder / "catalog", "init", "--quiet")
    commit = commit_in(folder / "catalog", {}, message="state")
    with kubernetes.serve() as cluster:
        cluster.kinds += [
            Kind("rbac.authorization.k8s.io", "v1", "ClusterRole", "clusterroles", False),
            Kind("example.com", "v1", "Thing", "things"),
        ]
        for one in recorded(method, commit):
            cluster.put(one)
        (folder / "kubeconfig").write_text(kubernetes.kubeconfig_of(cluster.url))
        yield cluster


def record(method: str, objects: list[Object], *, url: str, commit: str) -> None:
    """Keep the objects of a real cluster."""
    RECORDINGS.mkdir(exist_ok=True)
    text = json.dumps(objects, indent=1, sort_keys=True)
    text = text.replace(url, URL).replace(commit, COMMIT)
    (RECORDINGS / f"{method}.json").write_text(text + "\n")
