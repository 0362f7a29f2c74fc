"""`commodore live` in a cluster that a real Argo CD has synced: its objects are recorded."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.argocd_catalog import recorded_cluster

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.support.command_line import CommandLine, Ran
    from tests.support.servers.kubernetes import Cluster

LABEL = "app.kubernetes.io/instance"


@pytest.fixture(params=["annotation", "label"])
def method(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


@pytest.fixture
def server(commodore: CommandLine, method: str) -> Iterator[Cluster]:
    del commodore  # it has changed to an empty folder
    with recorded_cluster(Path(), method) as cluster:
        yield cluster


@pytest.fixture
def live(commodore: CommandLine, server: Cluster) -> Callable[..., Ran]:
    del server  # its kubeconfig names it

    def run(verb: str, *words: str) -> Ran:
        place = ("--catalog", "catalog", "--kubeconfig", "kubeconfig")
        return commodore("live", verb, "c-demo-1", *place, *words)

    return run


def test_synced_applications_have_no_difference(live: Callable[..., Ran]) -> None:
    status = live("status")

    assert [line.partition(", synced")[0].split()[1:] for line in status.out.splitlines()] == [
        [f"{name}:", "as", "in", "the", "catalog"] for name in ("alpha", "beta", "root")
    ]
    assert live("diff", "--exit-code").code == 0
    assert live("wait", "--for", "synced", "--timeout", "60").code == 0


def test_missing_tracking_mark_is_a_difference(
    live: Callable[..., Ran], server: Cluster, method: str
) -> None:
    settings = server.objects["/configmaps", "alpha", "settings"]
    metadata = settings["metadata"]
    kept = {
        key: one
        for key, one in metadata["annotations"].items()
        if key != "argocd.argoproj.io/tracking-id"
    }
    labels = {LABEL: "another"} if method == "label" else {}
    server.put({**settings, "metadata": {**metadata, "annotations": kept, "labels": labels}})

    assert "alpha: 1 to change" in live("status").out


def test_changed_tracking_method_is_compared_as_argo_cd_does(
    live: Callable[..., Ran], server: Cluster, method: str
) -> None:
    other = {"label": "annotation", "annotation": "label"}[method]
    settings = server.objects["/configmaps", "argocd", "argocd-cm"]
    server.put({**settings, "data": {"application.resourceTrackingMethod": other}})

    status = live("status")

    # From labels to annotations, Argo CD compares as before; marks change with the next sync.
    assert ("root: as in the catalog" in status.out) is (other == "annotation")
    assert "changed since the last sync" not in status.out


@pytest.mark.long
def test_root_deployed_by_helm_does_not_decide_tracking(
    live: Callable[..., Ran], server: Cluster, method: str
) -> None:
    server.remove("ConfigMap", "argocd-cm", "argocd")
    root = server.objects["argoproj.io/applications", "argocd", "root"]
    labels = {LABEL: "bootstrap", "app.kubernetes.io/managed-by": "Helm"}
    server.put({**root, "metadata": {**root["metadata"], "name": "a-root", "labels": labels}})

    assert "alpha: as in the catalog" in live("status").out
    settings = server.objects["/configmaps", "alpha", "settings"]
    place = {"name": "settings", "namespace": "alpha"}
    server.put({**settings, "metadata": place})
    marked = {"label": "metadata.labels", "annotation": "tracking-id"}[method]
    assert marked in live("diff", "--app", "alpha").out
