"""`commodore live` with a cluster: what is said about it, and what `apply` does to it."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

import pytest

from commodore_py.config import WorkPaths
from tests.support.programs import accept_interruptions
from tests.support.servers import kubernetes
from tests.support.servers.kubernetes import Kind, Refusal
from tests.support.tables import each

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TypeAlias

    from tests.support.command_line import CommandLine, Ran
    from tests.support.servers.kubernetes import Cluster

    Live: TypeAlias = Callable[..., Ran]

URL = "https://git.example.com/catalogs/c-demo-1.git"
READERS = ("status", "tree", "diff")
CANARY = "canary-of-a-secret"
TRACKING = "argocd.argoproj.io/tracking-id"


def _application(name: str) -> dict[str, Any]:
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": name, "namespace": "argocd"},
        "spec": {
            "source": {"repoURL": URL, "path": f"manifests/{name}"},
            "destination": {"namespace": name},
        },
    }


def _configmap(name: str, namespace: str = "shop", **annotations: str) -> dict[str, Any]:
    metadata = {"name": name, "namespace": namespace}
    if annotations:
        metadata |= {"annotations": annotations}  # type: ignore[dict-item]
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"a": "1"}}


def _marked(content: dict[str, Any], application: str = "shop") -> dict[str, Any]:
    place = content["metadata"]
    mark = f"{application}:/{content['kind']}:{place['namespace']}/{place['name']}"
    return {**content, "metadata": {**place, "annotations": {TRACKING: mark}}}


def _write(path: str, *objects: dict[str, Any]) -> None:
    file = Path("catalog/manifests", path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("---\n".join(json.dumps(one) + "\n" for one in objects))


def _commit() -> str:
    for words in (("add", "-A"), ("commit", "-qm", "state")):
        identity = ("-c", "user.name=T", "-c", "user.email=t@example.com")
        subprocess.run(["git", *identity, *words], cwd="catalog", check=True)
    commit = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd="catalog", check=True, capture_output=True, text=True
    )
    return commit.stdout.strip()


@pytest.fixture
def server() -> Iterator[Cluster]:
    with kubernetes.serve() as cluster:
        for name in ("shop", "bank"):
            metadata = {"name": name}
            cluster.put({"apiVersion": "v1", "kind": "Namespace", "metadata": metadata})
            cluster.put(_application(name))
        yield cluster


@pytest.fixture
def catalog(commodore: CommandLine, server: Cluster) -> None:  # noqa: ARG001 - its folder
    """Two applications; an earlier commit had another object of each."""
    Path("kubeconfig").write_text(kubernetes.kubeconfig_of(server.url))
    _write("apps/all.yaml", _application("shop"), _application("bank"))
    for name in ("shop", "bank"):
        _write(f"{name}/all.yaml", _configmap("new", name))
        _write(f"{name}/old.yaml", _configmap("old", name))
    subprocess.run(["git", "init", "-q", "catalog"], check=True)
    _commit()
    for name in ("shop", "bank"):
        Path("catalog/manifests", name, "old.yaml").unlink()
        server.put(_marked(_configmap("old", name), name))
    _commit()


@pytest.fixture
def live(commodore: CommandLine, catalog: None) -> Live:  # noqa: ARG001 - it is in place
    def run(verb: str, *words: str) -> Ran:
        place = ("--catalog", "catalog", "--kubeconfig", "kubeconfig")
        return commodore("live", verb, "c-demo-1", *place, *words)

    return run


def _json(ran: Ran) -> Any:  # noqa: ANN401 - JSON
    assert ran.code in (0, 7), ran.err
    return json.loads(ran.out)


def _plan(live: Live, *words: str) -> Any:  # noqa: ANN401 - JSON
    return _json(live("diff", *words, "-o", "json"))["plan"]


def _names(server: Cluster) -> list[str]:
    return sorted(
        f"{namespace}/{name}"
        for (table, namespace, name) in server.objects
        if table == "/configmaps"
    )


def _writes(server: Cluster) -> list[tuple[str, str]]:
    return [(method, path.split("?")[0]) for method, path in server.requests if method != "GET"]


@pytest.mark.parametrize("verb", READERS)
def test_read_commands_send_only_get_requests(live: Live, server: Cluster, verb: str) -> None:
    server.put(_configmap("new"))
    server.allowed = lambda _, __, resource: resource != "services"

    ran = live(verb)

    assert ran.code == 0, ran.err
    assert any("/configmaps" in path for _, path in server.requests)
    assert _writes(server) == []


@pytest.mark.parametrize("cluster", ["../escape", "a/b", ".."])
def test_cluster_id_that_is_a_path_is_refused(
    commodore: CommandLine,
    catalog: None,  # noqa: ARG001 - it is in place
    server: Cluster,
    cluster: str,
) -> None:
    ran = commodore("live", "status", cluster, "--catalog", "catalog", "--kubeconfig", "kubeconfig")

    assert ran.code == 2
    assert "is not the id of a cluster" in ran.err
    assert server.requests == []


def test_status_counts_missing_and_changed_objects(live: Live, server: Cluster) -> None:
    server.put({**_configmap("new"), "data": {"a": "2"}})

    ran = live("status")
    found = {one["name"]: one for one in _json(live("status", "-o", "json"))["applications"]}

    assert "shop: 1 to change" in ran.out
    assert "bank: 1 to create" in ran.out
    assert (found["shop"]["change"], found["bank"]["create"]) == (1, 1)
    assert found["bank"]["health"] == "Missing"


def test_namespace_option_limits_status_and_plan(live: Live, server: Cluster) -> None:
    server.put({**_configmap("new", "bank"), "data": {"a": "2"}})

    status = _json(live("status", "-n", "shop", "-o", "json"))
    plan = _plan(live, "-n", "shop", "--prune")

    assert [one["name"] for one in status["applications"]] == ["shop"]
    names = {(one["what"], one["namespace"]) for step in plan["steps"] for one in step["actions"]}
    assert names == {("create", "shop"), ("delete", "shop")}


def test_objects_of_other_applications_are_no_orphans(live: Live, server: Cluster) -> None:
    for name in ("shop", "bank"):
        server.put(_marked(_configmap("new", name), name))

    found = _json(live("status", "--app", "shop", "-o", "json"))["orphans"]
    ran = live("apply", "--app", "shop", "--prune", "--yes", "--max-grade", "data-loss")

    assert [(one["namespace"], one["name"], one["fate"]) for one in found] == [
        ("shop", "old", "delete")
    ]
    assert ran.code == 0, ran.err
    assert _names(server) == ["bank/new", "bank/old", "shop/new"]


def test_prune_requires_mark_and_history(live: Live, server: Cluster) -> None:
    server.put(_configmap("old", "bank"))  # without its mark
    server.put(_marked(_configmap("never", "shop")))  # in no commit

    ran = live("apply", "--prune", "--yes", "--max-grade", "data-loss")

    assert ran.code == 0, ran.err
    assert _names(server) == ["bank/new", "bank/old", "shop/never", "shop/new"]


def test_objects_of_removed_application_are_pruned(live: Live, server: Cluster) -> None:
    for name in ("shop", "bank"):
        server.put(_marked(_configmap("new", name), name))
    _write("apps/all.yaml", _application("shop"))
    shutil.rmtree("catalog/manifests/bank")
    _commit()

    found = {one["name"]: one for one in _json(live("status", "-o", "json"))["orphans"]}
    assert (found["new"]["namespace"], found["new"]["fate"]) == ("bank", "delete")
    ran = live("apply", "--prune", "--yes", "--max-grade", "data-loss")

    assert ran.code == 0, ran.err
    assert "bank: Sync, wave 0\n  delete  ConfigMap bank/new" in ran.out
    assert _names(server) == ["shop/new"]


def test_objects_of_application_moved_to_other_catalog_are_kept(
    live: Live, server: Cluster
) -> None:
    server.put(_marked(_configmap("new", "bank"), "bank"))
    _write("apps/all.yaml", _application("shop"))
    shutil.rmtree("catalog/manifests/bank")
    _commit()
    moved = _application("bank")
    moved["spec"]["source"]["repoURL"] = "https://git.example.com/catalogs/other.git"
    server.put(moved)

    orphans = _json(live("status", "-o", "json"))["orphans"]

    assert {one["namespace"] for one in orphans} == {"shop"}


def test_files_that_no_application_syncs_are_reported(live: Live, server: Cluster) -> None:
    server.put(_configmap("new"))
    for file in ("shop/below/it.yaml", "other/it.yaml"):
        _write(file, _configmap("below"))
    _commit()

    status, apply = live("status", "--app", "shop"), live("apply", "--app", "shop", "--yes")

    assert "shop: as in the catalog" in status.out
    line = "no application syncs the objects in manifests/apps (2), manifests/other (1),"
    assert f"{line} manifests/shop/below (1); they are left out" in status.err
    assert line in apply.err
    root = _application("root")
    root["spec"]["source"]["path"] = "manifests/apps"
    server.put(root)  # the catalog does not have it
    assert "objects in manifests/other (1), manifests/shop/below (1);" in live("status").err
    _write("shop/below/kustomization.yaml", {"kind": "Kustomization"})
    recursive = _application("shop")
    recursive["spec"]["source"]["directory"] = {"recurse": True}
    _write("apps/all.yaml", recursive, _application("bank"))
    assert "shop: 1 to create" in live("status", "--app", "shop").out


def test_files_below_flat_folders_are_not_applied(
    live: Live,
) -> None:
    for name in ("shop", "bank"):
        shutil.rmtree(f"catalog/manifests/{name}")
        _write(f"{name}/below/it.yaml", _configmap("it", name))
    _commit()

    status = live("status")

    assert "to create" not in status.out
    left_out = "manifests/apps (2), manifests/bank/below (1), manifests/shop/below (1)"
    assert f"no application syncs the objects in {left_out}" in status.err
    assert _plan(live)["steps"] == []


def test_applied_object_is_marked_and_unchanged_next_time(live: Live, server: Cluster) -> None:
    assert live("apply", "--yes").code == 0

    applied = server.objects["/configmaps", "shop", "new"]
    assert applied["metadata"]["annotations"][TRACKING] == "shop:/ConfigMap:shop/new"
    assert "as in the catalog" in live("status").out
    before = len(_writes(server))
    assert live("apply", "--yes").code == 0
    assert len(_writes(server)) == before


def test_marks_written_by_apply_do_not_decide_tracking(live: Live, server: Cluster) -> None:
    server.remove("Application", "bank", "argocd")
    root = _application("root")
    root["spec"]["source"]["path"] = "manifests/apps"
    _write("root/root.yaml", root)
    _commit()
    server.put(root)
    for name in ("shop", "bank"):
        server.put(_configmap("new", name))

    assert live("apply", "--yes").code == 0

    created = server.objects["argoproj.io/applications", "argocd", "bank"]
    assert created["metadata"]["annotations"][TRACKING].startswith("root:")
    assert "to change" not in live("status").out
    assert live("wait", "--for", "synced", "--timeout", "60").code == 0


def test_unreadable_kind_is_not_reported_missing(live: Live, server: Cluster) -> None:
    server.allowed = lambda verb, _, resource: (verb, resource) != ("list", "configmaps")

    status, diff = live("status"), live("diff")
    apply = live("apply", "--prune", "--yes")

    assert "1 not readable" in status.out
    assert "ConfigMap cannot be read" in status.err
    assert "cannot be read" in diff.err
    assert "to delete" not in status.out
    assert "create" not in diff.out
    assert apply.code == 1
    assert "ConfigMap shop/new cannot be read" in apply.err
    assert _writes(server) == []


def test_unreadable_kinds_are_grouped_by_reason(live: Live, server: Cluster) -> None:
    def before(_: str, path: str) -> Refusal | None:
        kind = path.partition("?")[0].rpartition("/")[2]
        refused = kind in ("secrets", "deployments")
        return Refusal(403, "Forbidden", f"{kind} is forbidden") if refused else None

    server.before = before
    for version, kind in (("apps/v1", "Deployment"), ("v1", "Secret")):
        place = {"name": "it", "namespace": "shop"}
        _write(f"shop/{kind}.yaml", {"apiVersion": version, "kind": kind, "metadata": place})

    lines = [one for one in live("status").err.splitlines() if "cannot be read" in one]

    assert lines == [" > Secret, Deployment.apps cannot be read: answered 403 Forbidden"]


def test_objects_of_unavailable_api_are_unseen(live: Live, server: Cluster) -> None:
    server.kinds.append(Kind("example.com", "v1", "Thing", "things"))
    server.silent.add("example.com/v1")
    thing = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "it"}}
    _write("shop/thing.yaml", thing)

    found = {one["name"]: one for one in _json(live("status", "-o", "json"))["applications"]}

    assert (found["shop"]["unseen"], found["shop"]["create"]) == (1, 1)
    assert live("apply", "--yes").code == 1
    assert _writes(server) == []


@pytest.mark.parametrize("below", ["/api", "/apis", "/api/v1/configmaps", "/apis/argoproj.io"])
@pytest.mark.parametrize("verb", ["status", "apply"])
@each(
    "body",
    [
        b"5",
        b"[]",
        b"{}",
        b'{"items": "x"}',
        b'{"items": [null]}',
        b'{"metadata": 5, "items": []}',
        b'{"metadata": {"continue": 5}, "items": [{"metadata": 5}]}',
        b'{"groups": [{"versions": [5]}, 5], "resources": [{"verbs": 5}]}',
        b'{"groups": 5, "resources": {}, "versions": [5]}',
        b"{",
    ],
)
@pytest.mark.sample(2)
def test_odd_answers_are_no_defect_and_remove_nothing(
    live: Live, server: Cluster, verb: str, below: str, body: bytes
) -> None:
    asked = []

    def odd(method: str, path: str) -> Refusal | None:
        asked.append(path)
        there = path.partition("?")[0].startswith(below)
        enough = len(asked) > 99  # else, one page would follow the other
        if method != "GET" or not there or enough:
            return None
        return Refusal(200, "", "", body=body)

    server.before = odd

    ran = live(verb, *(("--prune", "--yes") if verb == "apply" else ()))

    assert ran.code in {0, 1, 7}, ran.err
    assert not [one for one in _writes(server) if one[0] == "DELETE"]


def test_object_of_unserved_kind_is_created(live: Live, server: Cluster) -> None:
    thing = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "it"}}
    _write("shop/thing.yaml", thing)

    ran = live("diff", "--app", "shop")

    assert "created Thing shop/it" in ran.out
    assert not any("example.com/v1" in path for _, path in server.requests)


def test_wait_explains_objects_that_never_become_healthy(live: Live, server: Cluster) -> None:
    server.kinds.append(Kind("networking.k8s.io", "v1", "Ingress", "ingresses"))
    paused = {"apiVersion": "apps/v1", "kind": "Deployment", "spec": {"paused": True}}
    ingress = {"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "spec": {}}
    place = {"name": "web", "namespace": "shop"}
    for one in (_configmap("new"), {**paused, "metadata": place}, {**ingress, "metadata": place}):
        _write(f"shop/{one['kind']}.yaml", one)
        server.put(one)

    ran = live("wait", "--app", "shop", "--timeout", "1")

    ignore = 'annotate it with argocd.argoproj.io/ignore-healthcheck: "true"'
    assert ran.code == 7
    assert ran.out.splitlines() == [
        f"Deployment shop/web: Suspended by built-in: it is paused; resume it, or {ignore}",
        (
            "Ingress shop/web: Progressing by built-in: it has no address yet;"
            f" some controllers never set it; if that never comes, {ignore}"
        ),
    ]
    annotated = {**place, "annotations": {"argocd.argoproj.io/ignore-healthcheck": "true"}}
    for one in (paused, ingress):
        _write(f"shop/{one['kind']}.yaml", {**one, "metadata": annotated})
    assert live("wait", "--app", "shop", "--timeout", "60").code == 0


def test_wait_fails_at_once_for_unreadable_kind(live: Live, server: Cluster) -> None:
    server.allowed = lambda verb, _, resource: (verb, resource) != ("list", "configmaps")

    ran = live("wait", "--app", "shop", "--timeout", "600")

    assert ran.code == 1
    assert "ConfigMap shop/new cannot be read" in ran.err


def test_wait_reads_the_kinds_of_targets_and_counts_its_time_from_the_start(
    live: Live, server: Cluster
) -> None:
    server.before = lambda _, path: time.sleep(1) if "kube-system" in path else None

    ran = live("wait", "--app", "shop", "--timeout", "1")

    assert (ran.code, ran.out) == (7, "ConfigMap shop/new: Missing\n")
    lists = [path for _, path in server.requests if "limit=" in path]
    assert lists == ["/api/v1/configmaps?limit=500"]  # once: the time was up


def test_wait_discovers_kinds_created_later(live: Live, server: Cluster) -> None:
    place = {"name": "it", "namespace": "shop"}
    thing = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": place}
    _write("shop/thing.yaml", thing)

    def before(_: str, path: str) -> None:
        if "configmaps?" in path and len(server.kinds) == len(kubernetes.KINDS):
            server.put(_configmap("new"))
            server.kinds.append(Kind("example.com", "v1", "Thing", "things"))
            server.put(thing)

    server.before = before

    ran = live("wait", "--app", "shop", "--timeout", "60")

    assert ran.code == 0, ran.out


@pytest.mark.parametrize("goal", ["healthy", "synced", "gone"])
def test_wait_does_not_pass_for_unreadable_kind(live: Live, server: Cluster, goal: str) -> None:
    if goal == "gone":
        server.put(_configmap("new"))
    lists: list[str] = []

    def before(_: str, path: str) -> Refusal | None:
        if "configmaps?" in path:
            lists.append(path)
        return Refusal(403, "Forbidden", "no longer") if len(lists) > 1 else None

    server.before = before

    ran = live("wait", "--app", "shop", "--for", goal, "--timeout", "5")

    assert ran.code == 7
    assert "ConfigMap shop/new: it cannot be read: " in ran.out


def _interrupted(words: tuple[str, ...], ready: Callable[[], bool]) -> tuple[int, str]:
    """Ctrl-C for a command, once something is true; its exit code and messages."""
    place = ("--catalog", "catalog", "--kubeconfig", "kubeconfig")
    command = [sys.executable, "-m", "commodore_py", "live", words[0], "c-demo-1", *place]
    with subprocess.Popen(
        [*command, *words[1:]],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=accept_interruptions,  # noqa: PLW1509 - no thread of ours starts programs
    ) as process:
        while not ready():
            assert process.poll() is None
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        return process.wait(), process.stderr.read() if process.stderr else ""


def test_ctrl_c_ends_waiting(live: Live, server: Cluster) -> None:
    del live  # it has prepared the catalog

    code, _ = _interrupted(
        ("wait",), lambda: any("configmaps" in path for _, path in server.requests)
    )

    assert code == 130


def test_ctrl_c_completes_running_requests_of_apply(live: Live, server: Cluster) -> None:
    begun, may_go_on = Event(), Event()

    def slow(method: str, path: str) -> None:
        if method == "PATCH" and "/bank/" in path:
            begun.set()
            may_go_on.wait(1.5)

    server.before = slow

    code, said = _interrupted(("apply", "--yes"), begun.is_set)

    assert code == 130, said
    assert _names(server) == ["bank/new", "bank/old", "shop/new", "shop/old"]
    (log,) = Path(".commodore/live/c-demo-1").glob("*apply*")
    assert json.loads(log.read_text().splitlines()[-1])["event"] == "done"
    server.before = lambda _, __: None
    assert live("apply", "--yes").code == 0


def _synced_deployment(server: Cluster, **live: Any) -> str:  # noqa: ANN401 - fields of its spec
    """A deployment in the commit that was synced last, and another one in the cluster."""
    spec = {"replicas": 2, "minReadySeconds": 3, "selector": {}, "template": {}}
    kind = {"apiVersion": "apps/v1", "kind": "Deployment"}
    place = {"name": "web", "namespace": "shop"}
    _write("shop/web.yaml", {**kind, "metadata": place, "spec": spec})
    commit = _commit()
    _write("shop/web.yaml", {**kind, "metadata": place, "spec": {**spec, "replicas": 9}})
    fields: dict[str, Any] = {"f:spec": {"f:replicas": {}}}
    by_hand: dict[str, Any] = {
        "f:spec": {"f:minReadySeconds": {}, "f:template": {"f:metadata": {}}}
    }
    written = [
        {"manager": "hpa", "operation": "Update", "subresource": "scale", "fieldsV1": fields},
        {
            "manager": "kubectl-edit",
            "operation": "Update",
            "fieldsV1": by_hand,
            "time": "2026-11-23",
        },
    ]
    server.put({**kind, "metadata": {**place, "managedFields": written}, "spec": {**spec, **live}})
    server.put({**_application("shop"), "status": {"sync": {"revision": commit}}})
    return commit


@pytest.mark.parametrize(
    ("link", "verb"),
    [
        ("live/c-demo-1/apply.jsonl", "apply"),
        ("live/c-demo-1", "status"),
        ("live", "status"),
        ("", "status"),
    ],
)
def test_live_state_is_not_written_through_links(
    live: Live, server: Cluster, tmp_path_factory: pytest.TempPathFactory, link: str, verb: str
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    for name in ("apply.jsonl", "cluster.json"):
        (elsewhere / name).write_text("of others\n")
    place = Path(".commodore", link)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(elsewhere / place.name if place.suffix else elsewhere)

    ran = live(verb, *(("--yes",) if verb == "apply" else ()))

    assert ran.code == 1
    assert f"{place} is a link: nothing is written or deleted behind it" in ran.err
    assert {one.name: one.read_text() for one in elsewhere.iterdir()} == {
        **dict.fromkeys(("apply.jsonl", "cluster.json"), "of others\n")
    }
    assert _writes(server) == []


def test_drift_lists_changes_since_last_sync(live: Live, server: Cluster) -> None:
    _synced_deployment(server, replicas=5, minReadySeconds=7)
    scaled = {"scaleTargetRef": {"kind": "Deployment", "name": "web"}}
    scaler = {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler"}
    server.kinds.append(Kind("autoscaling", "v2", scaler["kind"], "horizontalpodautoscalers"))
    server.put({**scaler, "metadata": {"name": "it", "namespace": "shop"}, "spec": scaled})

    ran, found = live("status"), _json(live("status", "-o", "json"))

    assert ran.out.splitlines()[-7:] == [
        "ConfigMap shop/new: it is not there",
        "Deployment shop/web: changed since the last sync",
        "  spec.minReadySeconds is 7; it was 3",
        "    by kubectl-edit (Update), not after 2026-11-23",
        "  spec.replicas is 5; it was 2",
        "    HorizontalPodAutoscaler it scales it",
        "    by hpa (Update of scale)",
    ]
    assert "not compared with the last sync: bank: the commit of the last sync" in ran.err
    assert [(one["name"], one["missing"]) for one in found["drift"]] == [
        ("new", True),
        ("web", False),
    ]


def test_synced_cluster_has_no_drift(live: Live, server: Cluster) -> None:
    _synced_deployment(server)
    server.put(_configmap("new"))

    assert _json(live("status", "-o", "json"))["drift"] == []


def test_drift_from_missing_commit_is_omitted(live: Live, server: Cluster) -> None:
    server.put({**_application("shop"), "status": {"sync": {"revision": "1" * 40}}})

    found = _json(live("status", "--app", "shop", "-o", "json"))

    assert found["drift"] == []
    assert found["left_out"] == {"shop": "commit 11111111 is not in the catalog here"}


def test_fields_of_ignored_managers_are_hidden(live: Live, server: Cluster) -> None:
    _synced_deployment(server, replicas=5)
    rule = json.dumps({"managedFieldsManagers": ["hpa"]})
    key = "resource.customizations.ignoreDifferences.apps_Deployment"
    place = {"name": "argocd-cm", "namespace": "argocd"}
    _write("apps/cm.yaml", {**_configmap("argocd-cm"), "metadata": place, "data": {key: rule}})

    ran = live("diff", "--app", "shop")

    assert "Deployment" not in ran.out
    assert "not shown: 1 (ignoreDifferences)" in ran.err


def test_cluster_of_another_catalog_is_refused(live: Live, server: Cluster) -> None:
    for name in ("shop", "bank"):
        server.remove("Application", name, "argocd")
    other = _application("root")
    other["spec"]["source"]["repoURL"] = "https://git.example.com/catalogs/c-other.git"
    server.put(other)

    ran = live("status")

    assert ran.code == 1
    assert "c-other.git" in ran.err
    assert URL in ran.err
    assert not any("/configmaps" in path for _, path in server.requests)


def test_apply_refuses_unconfirmed_cluster(live: Live, server: Cluster) -> None:
    for name in ("shop", "bank"):
        server.remove("Application", name, "argocd")

    assert "nothing confirms" in live("status").err
    ran = live("apply", "--yes")
    assert ran.code == 1
    assert f"--trust-cluster {kubernetes.UID}" in ran.err
    assert _writes(server) == []

    assert live("apply", "--yes", "--trust-cluster", kubernetes.UID).code == 0


def test_apply_refuses_cluster_without_readable_uid(live: Live, server: Cluster) -> None:
    server.allowed = lambda _, __, resource: resource not in ("namespaces", "applications")

    for words in ((), ("--trust-cluster", kubernetes.UID)):
        ran = live("apply", "--yes", *words)
        assert ran.code == 1
        assert "--trust-cluster needs the right to get the namespace kube-system" in ran.err
    assert _writes(server) == []


def test_apply_of_manifest_folder_without_repository(
    commodore: CommandLine, server: Cluster, live: Live
) -> None:
    del live  # it has written the kubeconfig
    Path("plain").mkdir()
    Path("plain/it.json").write_text(json.dumps(_configmap("it")))
    place = ("c-demo-1", "--catalog", "plain", "--kubeconfig", "kubeconfig")
    trusted = ("--trust-cluster", kubernetes.UID)

    assert commodore("live", "apply", *place, *trusted, "--yes").code == 0
    assert "as in the catalog" in commodore("live", "status", *place).out
    assert "shop/it" in _names(server)


def _planned(name: str, wave: int, gate: str = "wait") -> dict[str, Any]:
    """An Application as the plan of a catalog has it."""
    found = _application(name)
    notes = {"argocd.argoproj.io/sync-wave": str(wave), "commodore-py/gate": gate}
    found["metadata"]["annotations"] = notes
    return found


def _deployment(namespace: str, **status: int) -> dict[str, Any]:
    place = {"name": "web", "namespace": namespace, "generation": 1}
    found = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": place}
    return {**found, "spec": {"replicas": 1}, **({"status": status} if status else {})}


READY = {"observedGeneration": 1, "replicas": 1, "updatedReplicas": 1, "availableReplicas": 1}


def test_apply_and_status_follow_the_plan_between_applications(live: Live, server: Cluster) -> None:
    waves = {"zoo": -2, "shop": -2, "bank": -1}
    _write("apps/all.yaml", *(_planned(name, wave) for name, wave in waves.items()))
    for name in waves:
        _write(f"{name}/all.yaml", _configmap("new", name), _deployment(name))
    _commit()

    ran = live("apply", "--yes", "--timeout", "1")

    assert ran.code == 1
    assert "Deployment zoo/web is not ready after 1 seconds" in ran.err
    assert [one for one in _names(server) if one.endswith("/new")] == ["shop/new", "zoo/new"]
    status = _json(live("status", "-o", "json"))["applications"]
    waits = [(one["name"], one["waits_for"]) for one in status]
    assert waits == [("shop", []), ("zoo", []), ("bank", ["shop", "zoo"])]
    assert "2 to create, synced never, waits for shop, zoo" in live("status").out

    for name in ("shop", "zoo"):
        server.put({**server.objects["apps/deployments", name, "web"], "status": READY})
    assert live("apply", "--yes").code == 0
    assert "bank/new" in _names(server)


def test_applications_in_a_circle_do_not_block_apply(live: Live, server: Cluster) -> None:
    shutil.rmtree("catalog/manifests/apps")
    _write("a/all.yaml", _application("b"), _application("bank"))
    _write("b/all.yaml", _application("a"), _application("shop"))
    _commit()

    ran = live("apply", "--yes", "--timeout", "60")

    assert ran.code == 0, ran.err
    assert {one["name"] for one in _json(live("status", "-o", "json"))["applications"]} == {
        *("a", "b", "bank", "shop")
    }
    written = _patched(server)
    assert set(written[:2]) == {"new"}
    assert set(written[2:]) == {"a", "b"}


def test_step_that_may_be_degraded_does_not_stop_apply(live: Live, server: Cluster) -> None:
    failed = {"type": "Progressing", "reason": "ProgressDeadlineExceeded", "message": "late"}
    for name in ("shop", "bank"):
        _write(f"{name}/all.yaml", _configmap("new", name))
    _write("shop/web.yaml", _deployment("shop"))
    server.put({**_deployment("shop"), "status": {"observedGeneration": 1, "conditions": [failed]}})
    for gate, code in (("wait", 1), ("degraded-ok", 0)):
        _write("apps/all.yaml", _planned("shop", -2, gate), _planned("bank", -1))
        _commit()
        assert live("apply", "--yes").code == code


def test_kind_defined_by_earlier_application_is_applied(live: Live, server: Cluster) -> None:
    group = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition"}
    names = {"kind": "Thing", "plural": "things"}
    crd = {**group, "metadata": {"name": "things.example.com"}}
    thing = {"apiVersion": "example.com/v1", "kind": "Thing"}
    _write("shop/all.yaml", {**crd, "spec": {"group": "example.com", "names": names}})
    _write("bank/all.yaml", {**thing, "metadata": {"name": "it", "namespace": "bank"}})
    _commit()
    refused = live("apply", "--yes")
    assert "the server has no kind Thing" in refused.err

    _write("apps/all.yaml", _planned("shop", -2), _planned("bank", -1))
    _commit()
    served = Kind("example.com", "v1", "Thing", "things")

    def before(method: str, path: str) -> None:
        if method == "PATCH" and "customresourcedefinitions" in path:
            server.kinds.append(served)

    server.before = before
    ran = live("apply", "--yes")

    assert ran.code == 0, ran.err
    assert ("example.com/things", "bank", "it") in server.objects


def test_rebuilt_cluster_is_trusted_by_new_uid(live: Live, server: Cluster) -> None:
    assert live("status").code == 0  # its UID is remembered
    server.remove("Namespace", "kube-system")
    place = {"name": "kube-system", "uid": "new"}
    server.put({"apiVersion": "v1", "kind": "Namespace", "metadata": place})

    refused = live("status")
    assert refused.code == 1
    assert "if the cluster was built again: --trust-cluster new" in refused.err
    assert live("status", "--trust-cluster", "other").code == 1
    assert live("status", "--trust-cluster", "new").code == 0
    assert live("status").code == 0


def test_apply_resumes_after_creating_automated_applications(live: Live, server: Cluster) -> None:
    automated = _application("shop")
    automated["spec"]["syncPolicy"] = {"automated": {}}
    root = _application("root")
    root["spec"]["source"]["path"] = "manifests/apps"
    root["spec"]["syncPolicy"] = {"automated": {}}
    _write("apps/all.yaml", root, automated)
    shutil.rmtree("catalog/manifests/bank")
    _commit()
    for name in ("shop", "bank"):
        server.remove("Application", name, "argocd")
    trusted = ("--trust-cluster", kubernetes.UID, "--yes")
    refuses = True

    def before(method: str, path: str) -> Refusal | None:
        is_last = method == "PATCH" and "applications/shop" in path
        return Refusal(500, "InternalError", "killed") if refuses and is_last else None

    server.before = before
    assert live("apply", *trusted).code == 1
    refuses = False

    assert ("argoproj.io/applications", "argocd", "root") in server.objects
    ran = live("apply", "--yes")

    assert ran.code == 0, ran.err
    assert ("argoproj.io/applications", "argocd", "shop") in server.objects
    assert live("apply", "--yes").code == 1  # it has ended: now Argo CD syncs


def test_drift_is_compared_with_applied_commit(live: Live, server: Cluster) -> None:
    Path("catalog/manifests/note.txt").write_text("")
    commit = _commit()
    shop = {**_application("shop"), "status": {"sync": {"revision": "0" * 40}}}
    server.put(shop)

    assert live("apply", "--yes").code == 0
    assert _json(live("status", "-o", "json"))["left_out"] == {}
    changed = server.objects["/configmaps", "shop", "new"]
    server.put({**changed, "data": {"a": "2"}})
    assert 'it was "1"' in live("status").out

    shop["status"] = {
        "sync": {"status": "OutOfSync", "revision": commit},
        "history": [{"revision": "0" * 40}],
        "operationState": {"finishedAt": "2099-01-01T00:00:00Z"},
    }
    server.put(shop)
    assert "commit 00000000 is not in the catalog here" in live("status").err


def test_partial_apply_is_not_recorded_as_whole_commit(live: Live, server: Cluster) -> None:
    _write("shop/all.yaml", _configmap("new"), _configmap("new", "bank"))
    shutil.rmtree("catalog/manifests/bank")
    _commit()
    assert live("apply", "--yes").code == 0
    changed = {"data": {"a": "2"}}
    _write("shop/all.yaml", _configmap("new") | changed, _configmap("new", "bank") | changed)
    _commit()

    assert live("apply", "--yes", "--namespace", "shop").code == 0

    status = live("status")
    assert "shop: 1 to change" in status.out
    assert "changed since the last sync" not in status.out
    assert "shop: the commit of the last sync is not known" in status.err
    assert server.objects["/configmaps", "bank", "new"]["data"] == {"a": "1"}


def test_apply_refuses_automated_applications(live: Live, server: Cluster) -> None:
    automated = _application("shop")
    automated["spec"]["syncPolicy"] = {"automated": {}}
    server.put(automated)

    ran = live("apply", "--yes")

    assert ran.code == 1
    assert "add --force" in ran.err
    assert _writes(server) == []


def test_secret_references_are_reported_before_first_write(live: Live, server: Cluster) -> None:
    for name in ("one", "two"):
        secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}}
        _write(f"shop/{name}.yaml", {**secret, "stringData": {"a": "?{vaultkv:t/c/a/b}"}})

    ran = live("apply", "--yes")

    assert ran.code == 1
    assert "shop/one has secret references" in ran.err
    assert "shop/two has secret references" in ran.err
    assert _writes(server) == []


def test_apply_refuses_change_above_max_grade(live: Live, server: Cluster) -> None:
    claim = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "old", "namespace": "shop"},
    }
    _write("shop/claim.yaml", claim)
    _commit()
    Path("catalog/manifests/shop/claim.yaml").unlink()
    server.put(_marked(claim))

    ran = live("apply", "--prune", "--yes")

    assert ran.code == 1
    assert "--max-grade data-loss" in ran.err
    assert _writes(server) == []


def test_outdated_plan_is_refused(live: Live, server: Cluster) -> None:
    server.put({**_configmap("new"), "data": {"a": "2"}})
    assert live("diff", "--out", "plan.json").code == 0
    server.put({**_configmap("new"), "data": {"a": "3"}})

    ran = live("apply", "--plan", "plan.json", "--yes")

    assert ran.code == 1
    assert "ConfigMap shop/new has changed in the cluster" in ran.err
    assert _writes(server) == []

    assert live("diff", "--out", "plan.json").code == 0
    assert live("apply", "--plan", "plan.json", "--yes").code == 0


def test_killed_plan_resumes_unless_objects_changed(live: Live, server: Cluster) -> None:
    hook = _configmap("delete-hook", **{"argocd.argoproj.io/hook": "PreSync"})
    _write("shop/hook.yaml", hook)
    _write("shop/first.yaml", {**_configmap("a-first"), "data": {"a": "2"}})
    server.put({**_configmap("a-first"), "data": {"a": "1"}})
    assert live("diff", "--out", "plan.json").code == 0
    server.before = lambda method, path: (
        Refusal(403, "Forbidden", "not yet") if method == "PATCH" and "/new" in path else None
    )
    assert live("apply", "--plan", "plan.json", "--yes").code == 1
    server.before = lambda _, __: None

    ran = live("apply", "--plan", "plan.json", "--yes")

    assert ran.code == 0, ran.err
    patched = [path.rpartition("/")[2] for method, path in _writes(server) if method == "PATCH"]
    assert patched[:2] == ["delete-hook", "a-first"]
    assert set(patched[2:]) == {"new"}
    ran = live("apply", "--plan", "plan.json", "--yes")
    assert ran.code == 1
    assert "ConfigMap shop/a-first has changed in the cluster" in ran.err


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"schema": "live-plan/v1"}', '{"schema": "live-plan/v1", "steps": 1}']
)
def test_file_that_is_no_plan_is_refused(live: Live, text: str) -> None:
    Path("plan.json").write_text(text)

    ran = live("apply", "--plan", "plan.json", "--yes")

    assert ran.code == 1
    assert "plan.json" in ran.err
    assert "internal error" not in ran.err


def test_killed_apply_resumes_without_repeating_hooks(live: Live, server: Cluster) -> None:
    hook = _configmap("hook", **{"argocd.argoproj.io/hook": "PreSync"})
    _write("shop/hook.yaml", hook)
    server.before = lambda method, path: (
        Refusal(403, "Forbidden", "not yet") if method == "PATCH" and "/new" in path else None
    )

    assert live("apply", "--yes", "--app", "shop").code == 1
    server.before = lambda _, __: None
    ran = live("apply", "--yes", "--app", "shop")

    assert ran.code == 0, ran.err
    patched = [path.rpartition("/")[2] for method, path in _writes(server) if method == "PATCH"]
    assert patched == ["hook", "new", "new"]


def test_values_of_secrets_are_not_shown(live: Live, server: Cluster) -> None:
    secret = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "it", "namespace": "shop"},
    }
    _write("shop/secret.yaml", {**secret, "stringData": {"a": f"new-{CANARY}"}})
    server.put({**secret, "data": {"a": "Y2FuYXJ5LW9mLWEtc2VjcmV0"}})

    for verb in (*READERS, "apply"):
        yes = ("--yes",) if verb == "apply" else ()
        ran = live(verb, *yes)
        as_json = live(verb, "-o", "json", *yes)
        text = ran.out + ran.err + as_json.out + as_json.err
        assert CANARY not in text
        assert "Y2FuYXJ5" not in text
    for file in Path().rglob(".commodore/**/*"):
        assert not file.is_file() or CANARY not in file.read_text()


def _patched(server: Cluster) -> list[str]:
    return [path.rpartition("/")[2] for method, path in _writes(server) if method == "PATCH"]


def test_sync_fail_hook_runs_only_after_failure(live: Live, server: Cluster) -> None:
    _write("shop/hook.yaml", _configmap("alarm", **{"argocd.argoproj.io/hook": "SyncFail"}))

    plan = _plan(live, "--app", "shop")
    server.before = lambda method, path: (
        Refusal(403, "Forbidden", "not allowed") if method == "PATCH" and "/new" in path else None
    )
    failed = live("apply", "--app", "shop", "--yes")
    after_failure = _patched(server)
    server.before = lambda _, __: None
    worked = live("apply", "--app", "shop", "--yes")

    awaited = {step["phase"]: step["awaited"] for step in plan["steps"]}
    assert awaited == {"Sync": False, "SyncFail": True}
    assert (failed.code, worked.code) == (1, 0)
    assert after_failure == ["new", "alarm"]
    assert _patched(server) == ["new", "alarm", "new"]
    assert "only after a failure" in live("diff", "--app", "shop").out


def test_hooks_for_failures_are_awaited_wave_by_wave(live: Live, server: Cluster) -> None:
    server.kinds.append(Kind("batch", "v1", "Job", "jobs"))
    for name, hook, wave in (
        ("before", "PreSync", "0"),
        ("first", "SyncFail", "1"),
        ("second", "SyncFail", "2"),
    ):
        notes = {"argocd.argoproj.io/hook": hook, "argocd.argoproj.io/sync-wave": wave}
        metadata = {"name": name, "namespace": "shop", "annotations": notes}
        job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": {}}
        _write(f"shop/{name}.yaml", job)

    ran = live("apply", "--app", "shop", "--yes", "--timeout", "1")

    assert ran.code == 1
    assert "a step and its SyncFail hooks failed" in ran.err
    assert "Job shop/first is not ready after 1 seconds" in ran.err
    assert _patched(server) == ["before", "first"]


def test_renamed_object_is_replaced_and_moved_one_kept(live: Live, server: Cluster) -> None:
    server.put(_marked(_configmap("new")))
    _write("shop/all.yaml", _configmap("renamed"))
    _commit()
    _write("bank/all.yaml", _configmap("new", "bank"), _configmap("moved"))
    server.put(_marked(_configmap("moved")))

    plan = _plan(live, "--prune")
    orphans = _json(live("status", "-o", "json"))["orphans"]

    actions = {
        (one["what"], one["name"])
        for step in plan["steps"]
        for one in step["actions"]
        if one["namespace"] == "shop"
    }
    assert {("create", "renamed"), ("delete", "new"), ("delete", "old")} <= actions
    assert ("delete", "moved") not in actions
    assert "moved" not in [one["name"] for one in orphans]


def test_status_explains_terminating_namespace(live: Live, server: Cluster) -> None:
    place = {"name": "shop", "deletionTimestamp": "2026-01-01T00:00:00Z", "finalizers": ["a.b/c"]}
    remaining = "Some resources are remaining: things.example.com has 1 resource instances"
    silent = "Discovery failed for some groups: metrics.k8s.io/v1beta1"
    conditions = [
        {"type": "NamespaceDeletionDiscoveryFailure", "status": "True", "message": silent},
        {"type": "NamespaceContentRemaining", "status": "True", "message": remaining},
        {"type": "NamespaceFinalizersRemaining", "status": "False", "message": "nothing"},
    ]
    namespace = {"apiVersion": "v1", "kind": "Namespace"}
    _write("shop/all.yaml", {**namespace, "metadata": {"name": "shop"}})
    server.put({**namespace, "metadata": place, "status": {"conditions": conditions}})

    said = live("status", "--app", "shop").out
    waited = live("wait", "--app", "shop", "--timeout", "1")

    assert waited.code == 7
    for text in (said, waited.out):
        assert all(one in text for one in ("waits for a.b/c", silent, remaining))
        assert "nothing" not in text


def test_field_of_another_manager_is_a_conflict(live: Live, server: Cluster) -> None:
    message = 'Apply failed with 1 conflict: conflict with "kubectl" using v1: .data.a'

    def refuse(method: str, path: str) -> Refusal | None:
        conflicts = method == "PATCH" and "force=true" not in path
        return Refusal(409, "Conflict", message) if conflicts else None

    server.before = refuse

    ran = live("apply", "--app", "shop", "--yes")
    forced = live("apply", "--app", "shop", "--yes", "--force")

    assert (ran.code, forced.code) == (1, 0)
    assert 'conflict with "kubectl" using v1: .data.a' in ran.err
    assert "--force" in ran.err
    assert "ignoreDifferences" in ran.err


def test_concurrently_changed_object_is_not_deleted(live: Live, server: Cluster) -> None:
    def made_again(method: str, _: str) -> None:
        if method == "DELETE":
            server.remove("ConfigMap", "old", "shop")
            server.put(_marked(_configmap("old")))

    def changed(method: str, _: str) -> None:
        if method == "DELETE":
            server.put({**_marked(_configmap("old")), "data": {"a": "of others"}})

    for meanwhile in (made_again, changed):
        server.before = meanwhile

        ran = live("apply", "--app", "shop", "--prune", "--yes", "--max-grade", "data-loss")

        assert ran.code == 1
        assert "the object was changed in the meantime: plan again" in ran.err
        assert "shop/old" in _names(server)


def test_value_with_embedded_reference_is_not_compared(live: Live, server: Cluster) -> None:
    reference = {"a": "postgres://user:?{vaultkv:t/c/a/b}@db:5432"}
    _write("shop/all.yaml", {**_configmap("new"), "data": reference})
    Path("catalog/manifests/shop/whole.yaml").write_text("?{vaultkv:t/c/whole/manifest}\n")
    server.put({**_configmap("new"), "data": {"a": "postgres://user:password@db:5432"}})

    ran = live("diff", "--app", "shop")

    assert ran.code == 0, ran.err
    assert "new" not in ran.out
    assert "postgres" not in ran.out + ran.err


def test_cluster_compiled_with_others_is_found_in_its_folder(
    commodore: CommandLine, server: Cluster, live: Live
) -> None:
    del live, server  # they have prepared the catalog
    for name in ("c-demo-1", "c-demo-2"):
        params = WorkPaths(Path("clusters", name)).params_file
        params.parent.mkdir(parents=True)
        params.write_text(json.dumps({"parameters": {"cluster": {"name": name}}}))
    shutil.move("catalog", "clusters/c-demo-2/catalog")
    place = ("--kubeconfig", "kubeconfig")

    status = commodore("live", "status", "c-demo-2", *place)
    other = commodore("live", "status", "c-demo-3", *place)
    plans = [commodore("live", "wait", "--plan", f"c-demo-{n}", *place).err for n in (2, 3)]

    assert (status.code, other.code) == (0, 1)
    assert "shop: 1 to create" in status.out
    for said in (other.err, plans[1]):
        assert "cluster c-demo-3 was not compiled here" in said
        assert "compiled here: c-demo-1, c-demo-2" in said
    assert "clusters/c-demo-2" in plans[0]
    assert Path("clusters/c-demo-2/.commodore/live/c-demo-2/cluster.json").is_file()


def test_live_status_without_compile_hints_at_catalog_option(commodore: CommandLine) -> None:
    ran = commodore("live", "status", "c-demo-1")

    assert ran.code == 2
    assert ran.err.count("no cluster was compiled here") == 1
    assert "compile c-demo-1 first, or name its catalog with --catalog" in ran.err


def test_refused_server_dry_run_does_not_stop_comparison(live: Live, server: Cluster) -> None:
    for name in ("shop", "bank"):
        server.put({**_configmap("new", name), "data": {"a": "2"}})
    refusal = Refusal(400, "BadRequest", 'admission webhook "w" does not support dry run')
    server.before = lambda method, path: refusal if method == "PATCH" and "/bank/" in path else None

    ran = live("diff", "--server-side")

    assert ran.code == 1
    assert "ConfigMap bank/new is not compared" in ran.err
    assert 'admission webhook "w" does not support dry run' in ran.err
    assert "leave out --server-side" in ran.err
    assert "ConfigMap shop/new" in ran.out
    assert server.objects["/configmaps", "shop", "new"]["data"] == {"a": "2"}
    (refused,) = json.loads(live("diff", "--server-side", "-o", "json").out)["refused"]
    assert (refused["namespace"], refused["name"]) == ("bank", "new")


def test_immutable_field_is_graded_as_recreation(live: Live, server: Cluster) -> None:
    server.put({**_configmap("new"), "data": {"a": "2"}})
    refusal = Refusal(422, "Invalid", "data: Forbidden: field is immutable when it is set")
    server.before = lambda method, path: refusal if method == "PATCH" and "/shop/" in path else None

    ran = live("diff", "--server-side", "--app", "shop")

    assert ran.code == 0, ran.err
    assert "recreate  changed ConfigMap shop/new" in ran.out
    assert 'data.a: "2" -> "1"' in ran.out


def test_server_side_diff_shows_webhook_changes(live: Live, server: Cluster) -> None:
    server.put(_marked({**_configmap("new"), "data": {"a": "1"}}))
    server.mutate = lambda one: {**one, "data": {**one["data"], "webhook": "x"}}

    ran = live("diff", "--server-side", "--app", "shop")

    assert "data.webhook: x" in ran.out
    assert "No changes" in live("diff", "--app", "shop").out


def test_last_applied_state_is_read_from_synced_commit(live: Live, server: Cluster) -> None:
    record = "kubectl.kubernetes.io/last-applied-configuration"
    both = {"kind": "Secret", "data": {"a": "Yg==", "gone": "Yg=="}}
    _write("shop/more.yaml", {**_configmap("secret"), **both})
    _write("shop/unchanged.yaml", _configmap("same"))
    synced = _commit()
    server.put({**_application("shop"), "status": {"sync": {"revision": synced}}})
    server.put({**_configmap("secret", **{record: f"{{not JSON: {CANARY}"}), **both})
    server.put({**_configmap("same"), "data": {"a": "1", "of-others": "x"}})
    _write("shop/more.yaml", {**_configmap("secret"), **both, "data": {"a": "Yg=="}})

    ran = live("diff", "--app", "shop", "-v")

    assert "Secret shop/secret\n                 - data.gone: ++++++++\n" in ran.out
    assert "ConfigMap shop/same" not in ran.out
    assert "not valid JSON: what was applied last is taken from the commit" in ran.err
    assert CANARY not in ran.out + ran.err
