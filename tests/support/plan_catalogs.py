"""Plans with the output of their instances, as a cluster with Argo CD has it."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from commodore_py.adapters.yaml.emitter import Style, emit_documents
from commodore_py.delivery.drivers.argocd.health_rule import RULE
from commodore_py.delivery.drivers.base import Job
from commodore_py.delivery.plan import read_plan
from commodore_py.model.inventory import Instance
from commodore_py.model.tree import Entry, Tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

NAMESPACE, HOST = "syn", "https://kubernetes.default.svc"
CLUSTER = {
    "server": "https://workload.example.com:6443",
    "labels": {"region": "eu-1"},
    "credentials": {
        "bearerToken": "?{vaultkv:t-demo/c-mgmt/workload/token}",
        "caData": "?{vaultkv:t-demo/c-mgmt/workload/ca}",
    },
    "kubeconfig": {"secret": "workload-kubeconfig", "namespace": "capi", "key": "value"},
}
EXAMPLE = {
    "serial": [
        {
            "concurrent": [
                "capi-cluster",
                {
                    "on": {
                        "cluster": "workload",
                        "background": True,
                        "do": {"concurrent": ["ccm", "cni"]},
                    }
                },
            ]
        },
        {"on": {"cluster": "workload", "do": "shop"}},
    ]
}
EXAMPLE_NAMES = ("capi-cluster", "ccm", "cni", "shop")


def file_of(*documents: object) -> Entry:
    """A file as Commodore writes it."""
    return Entry(emit_documents(documents, Style()).encode())


def application(name: str, path: str, *, prune: bool = True, **spec: Any) -> dict[str, Any]:  # noqa: ANN401 - plain data
    """An Application as components have it."""
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {
            "finalizers": ["resources-finalizer.argocd.argoproj.io"],
            "name": name,
            "namespace": NAMESPACE,
        },
        "spec": {
            "destination": {"namespace": name, "server": HOST},
            "project": "syn",
            "source": {
                "path": path,
                "plugin": {"name": "kapitan"},
                "repoURL": "ssh://git@git.example.com/cluster-catalogs/c-mgmt.git",
                "targetRevision": "HEAD",
            },
            "syncPolicy": {"automated": {"prune": prune, "selfHeal": True}},
            **spec,
        },
    }


def owner(*, prune: bool = False) -> dict[str, Any]:
    """The Application of Applications."""
    found = application("root", "manifests/apps", prune=prune)
    del found["spec"]["source"]["plugin"]
    found["spec"]["source"]["directory"] = {"recurse": True}
    found["spec"]["destination"]["namespace"] = NAMESPACE
    return found


def argocd(rule: str = RULE, root: dict[str, Any] | None = None) -> Tree:
    """The instance of Argo CD itself."""
    key = "resource.customizations.health.argoproj.io_Application"
    settings = {
        "apiVersion": "v1",
        "data": {key: rule} if rule else {},
        "kind": "ConfigMap",
        "metadata": {"name": "argocd-cm", "namespace": NAMESPACE},
    }
    limits = {
        "apiVersion": "v1",
        "data": {"controller.sync.timeout.seconds": "1800"},
        "kind": "ConfigMap",
        "metadata": {"name": "argocd-cmd-params-cm", "namespace": NAMESPACE},
    }
    project = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "AppProject",
        "metadata": {"name": "syn", "namespace": NAMESPACE},
        "spec": {"destinations": [{"name": "*", "namespace": "*", "server": "*"}]},
    }
    return Tree(
        {
            PurePosixPath("argocd/settings.yaml"): file_of(settings, limits),
            PurePosixPath("apps/00_syn-project.yaml"): file_of(project),
            PurePosixPath("apps/01_rootapp.yaml"): file_of(root or owner()),
        }
    )


def instance(name: str, **spec: Any) -> Tree:  # noqa: ANN401 - plain data
    """An instance with an object and its Application."""
    content = {
        "apiVersion": "v1",
        "data": {"size": "1"},
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": name},
    }
    return Tree(
        {
            PurePosixPath(f"{name}/settings.yaml"): file_of(content),
            PurePosixPath(f"apps/{name}.yaml"): file_of(
                application(name, f"manifests/{name}", **spec)
            ),
        }
    )


def catalog(names: Iterable[str]) -> dict[str, Tree]:
    """Instances, and Argo CD."""
    return {"argocd": argocd(), **{name: instance(name) for name in names}}


def job(
    written: object,
    trees: Mapping[str, Tree],
    parameters: Mapping[str, Any] | None = None,
    **delivery: object,
) -> Job:
    """What a driver is given for a valid plan."""
    given = {"commodore": {"plan": written, "delivery": delivery}, **(parameters or {})}
    plan, found = read_plan(given, tuple(Instance(name, name) for name in trees))
    assert plan is not None, found
    return Job(plan, trees)


def example() -> Job:
    """The worked example: a cluster of Cluster API, and what is deployed on it."""
    return job(EXAMPLE, catalog(EXAMPLE_NAMES), clusters={"workload": CLUSTER}, unlisted="last")


def rich_example() -> Job:
    """Every option that a leaf has, and a resource."""
    app = {
        "createNamespace": False,
        "serverSideApply": True,
        "namespaceMetadata": {"labels": {"team": "a"}},
        "prune": False,
        "selfHeal": False,
        "ignoreDifferences": [{"kind": "ConfigMap", "jsonPointers": ["/data/size"]}],
        "retry": {"limit": 2},
    }
    shop = {
        "instance": "shop",
        "allowDegraded": True,
        "app": app,
        "hooks": {"before": ["shop/shop/before.yaml"], "after": ["shop/shop/after.yaml"]},
    }
    plan = {
        "serial": [
            {"resource": "capi-cluster/capi-cluster/more.yaml", "name": "more"},
            shop,
            {"concurrent": ["capi-cluster", {"serial": ["ccm", "cni"], "name": "basics"}]},
        ]
    }
    trees = catalog(EXAMPLE_NAMES)
    more = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "more", "namespace": "capi-cluster"},
    }
    for name in ("before", "after"):
        hook = {**more, "metadata": {"name": name, "namespace": "shop"}}
        trees["shop"] |= Tree({PurePosixPath(f"shop/{name}.yaml"): file_of(hook)})
    trees["capi-cluster"] |= Tree({PurePosixPath("capi-cluster/more.yaml"): file_of(more)})
    return job(plan, trees, unlisted="last")
