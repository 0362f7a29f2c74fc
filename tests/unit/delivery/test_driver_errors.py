"""What keeps a plan from being rendered is reported, with its remedy."""

from __future__ import annotations

from itertools import product
from pathlib import PurePosixPath
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from commodore_py.delivery.drivers.argocd.health_rule import RULE
from commodore_py.delivery.drivers.argocd.registration import secret_name
from commodore_py.delivery.drivers.table import DRIVERS
from commodore_py.delivery.settings import Cluster
from commodore_py.live.rules import UserRules
from commodore_py.manifests.health.scripts import Script, ScriptTable
from commodore_py.model.tree import Entry, Tree
from tests.differential.plans.simulators import judged
from tests.support.plan_catalogs import (
    CLUSTER,
    application,
    argocd,
    catalog,
    file_of,
    instance,
    job,
    rich_example,
)

if TYPE_CHECKING:
    from commodore_py.delivery.drivers.base import Laid

NESTED = {"concurrent": ["one", {"serial": ["two", "three"], "name": "group"}]}
NAMES = ("one", "two", "three")
Trees = dict[str, Tree]


def rendered(driver: str, written: object, trees: Trees | None = None, **delivery: Any) -> Laid:  # noqa: ANN401 - settings
    delivery.setdefault("unlisted", "last")
    return DRIVERS[driver].render(job(written, trees or catalog(NAMES), **delivery))


def codes(laid: Laid) -> list[str]:
    return [one.code.removeprefix("plan/") for one in laid.findings]


def argo(written: object, trees: Trees | None = None, **delivery: Any) -> list[str]:  # noqa: ANN401 - settings
    return codes(rendered("argocd", written, trees, **delivery))


def flux(written: object, trees: Trees | None = None, **delivery: Any) -> list[str]:  # noqa: ANN401 - settings
    return codes(rendered("flux", written, trees, **delivery))


def content(laid: Laid, path: str) -> Any:  # noqa: ANN401 - YAML
    return yaml.safe_load(laid.manifests[PurePosixPath(path)].content)


def changed(name: str, **application_of_it: Any) -> Trees:  # noqa: ANN401 - fields
    """The catalog with another Application of an instance."""
    made = application(name, f"manifests/{name}")
    made.update(application_of_it)
    trees = catalog(NAMES)
    path = PurePosixPath(f"apps/{name}.yaml")
    trees[name] |= Tree({path: file_of(made)})
    return trees


def without_application(name: str) -> Trees:
    trees = catalog(NAMES)
    trees[name] = trees[name].subtree(PurePosixPath(name)).below(PurePosixPath(name))
    return trees


def annotated(name: str, **annotations: str) -> Trees:
    metadata = {"annotations": annotations, "name": name, "namespace": "syn"}
    return changed(name, metadata=metadata)


def on(do: object = "one", **more: object) -> object:
    return {"on": {"cluster": "far", "do": do, **more}}


def far(**settings: object) -> dict[str, object]:
    return {"far": {**CLUSTER, **settings}}


@pytest.mark.parametrize("driver", ["argocd", "flux", "plain"])
@pytest.mark.parametrize("reference", ["one/one/no.yaml", "one/one/settings.yaml#Secret/x"])
def test_a_reference_names_one_object(driver: str, reference: str) -> None:
    found = rendered(driver, {"serial": [{"resource": reference, "name": "r"}, "one"]})

    assert codes(found)[0] == "reference"


def test_a_reference_to_several_objects_lists_them() -> None:
    trees = catalog(NAMES)
    both = [{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}} for name in "ab"]
    trees["one"] |= Tree({PurePosixPath("one/both.yaml"): file_of(*both)})

    (found,) = rendered("plain", {"resource": "one/one/both.yaml", "name": "r"}, trees).findings

    assert found.remedy == "candidates are: #Pod/a, #Pod/b"


def test_argocd_applies_a_resource_on_the_host_only() -> None:
    plan = on({"serial": [{"resource": "one/one/settings.yaml", "name": "r"}, "one"]})

    assert argo(plan, clusters=far()) == ["resource"]


@pytest.mark.parametrize(("present", "found"), [("PostSync", ["hook"]), ("PreSync", [])])
def test_an_object_is_one_hook(present: str, found: list[str]) -> None:
    trees = catalog(NAMES)
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"annotations": {"argocd.argoproj.io/hook": present}, "name": "p"},
    }
    trees["one"] |= Tree({PurePosixPath("one/pod.yaml"): file_of(pod)})

    assert argo({"instance": "one", "hooks": {"before": ["one/one/pod.yaml"]}}, trees) == found


def test_a_planned_instance_needs_an_application() -> None:
    assert argo("one", without_application("one")) == ["no-application"]


def test_a_missing_application_is_written_on_request() -> None:
    found = rendered("argocd", {"instance": "one", "render": True}, without_application("one"))

    assert codes(found) == []
    assert content(found, "apps/one.yaml")["spec"]["source"]["path"] == "manifests/one"


def test_application_without_plugin_is_a_plain_directory() -> None:
    plan = {"serial": [{"instance": "one", "render": True}, on("two")]}
    trees = without_application("one")
    plain = {"plugin": False}

    found = rendered("argocd", plan, trees, argocd=plain, clusters=far(credentials={}))
    content_of_secret = b"kind: Secret\nstringData: {a: '?{vaultkv:b/c}'}\n"
    trees["one"] |= Tree({PurePosixPath("one/s.yaml"): Entry(content_of_secret)})
    refused = argo(plan, trees, argocd=plain, clusters=far())

    assert codes(found) == []
    source = content(found, "apps/one.yaml")["spec"]["source"]
    assert (source.get("plugin"), source["directory"]) == (None, {"recurse": True})
    assert refused == ["secret", "secret"]


def test_all_applications_of_an_instance_are_edited() -> None:
    trees = catalog(NAMES)
    more = application("one-more", "manifests/one")
    trees["one"] |= Tree({PurePosixPath("apps/one-more.yaml"): file_of(more)})

    found = rendered("argocd", "one", trees)

    assert codes(found) == []
    waves = [
        content(found, f"apps/{name}.yaml")["metadata"]["annotations"]
        for name in ("one", "one-more")
    ]
    assert waves[0] == waves[1]


def test_applications_of_several_owners_are_refused() -> None:
    trees = catalog(NAMES)
    team = application("root-team", "manifests/apps-team")
    moved = Tree(
        {
            PurePosixPath("apps-team/two.yaml"): file_of(application("two", "manifests/two")),
            PurePosixPath("apps-team/root.yaml"): file_of(team),
        }
    )
    trees["two"] = trees["two"].subtree(PurePosixPath("two")).below(PurePosixPath("two")) | moved

    assert argo({"serial": ["one", "two"]}, trees) == ["several-owners"]


def test_without_an_owner_there_are_only_waves() -> None:
    trees = catalog(NAMES)
    kept = dict(trees["argocd"])
    del kept[PurePosixPath("apps/01_rootapp.yaml")]
    trees["argocd"] = Tree(kept)

    assert argo({"serial": ["one", "two"]}, trees) == []
    assert argo(NESTED, trees) == ["no-owner"]


def test_waves_of_components_are_replaced_or_reported() -> None:
    trees = annotated("one", **{"argocd.argoproj.io/sync-wave": "-7"})

    assert argo("one", trees) == ["wave"]
    assert argo("two", trees) == ["wave"]
    assert content(rendered("argocd", "one", trees), "apps/one.yaml")["metadata"][
        "annotations"
    ] == {
        "argocd.argoproj.io/sync-wave": "-1",
        "commodore-py/gate": "wait",
    }


def test_a_file_that_would_change_elsewhere_is_refused() -> None:
    trees = catalog(NAMES)
    path = PurePosixPath("apps/one.yaml")
    text = b"# by hand\n" + trees["one"][path].content
    trees["one"] |= Tree({path: Entry(text)})

    found = rendered("argocd", "one", trees)

    assert codes(found) == ["format"]
    assert found.trees["one"][path].content == text


@pytest.mark.parametrize("driver", ["argocd", "flux"])
def test_names_are_dns_labels_of_up_to_63_characters(driver: str) -> None:
    long = "a" * 64
    trees = {**catalog(()), long: instance(long), "b": instance("b")}

    assert "name" in codes(rendered(driver, long, trees))
    assert codes(rendered(driver, "b", trees)) == (["name"] if driver == "flux" else [])


def test_two_clusters_have_different_names() -> None:
    clusters = {
        "a": {**CLUSTER, "labels": {"x": "b:c"}},
        "a-b": {**CLUSTER, "server": "https://other.example.com", "labels": {}},
        "a-": {**CLUSTER, "server": "https://third.example.com", "labels": {"x": "b"}},
    }
    plan = {
        "serial": [
            {"on": {"cluster": name, "do": leaf}}
            for name, leaf in zip(clusters, NAMES, strict=True)
        ]
    }

    assert "alias" not in argo(plan, clusters=clusters)
    same = {"a": {**CLUSTER, "labels": {"x": "b", "y": "c"}}, "a-b:c": {**CLUSTER, "labels": {}}}
    both = {
        "serial": [
            {"on": {"cluster": name, "do": leaf}} for name, leaf in zip(same, NAMES, strict=False)
        ]
    }
    assert "alias" in argo(both, clusters=same)


def test_a_hook_of_flux_and_an_instance_have_different_names() -> None:
    hooks = {"instance": "one", "hooks": {"before": ["one/one/settings.yaml"]}}
    trees = {**catalog(NAMES), "one-before": instance("one-before")}

    assert "alias" in flux({"serial": [hooks, "one-before"]}, trees)


@pytest.mark.parametrize(
    ("driver", "folder"), [("argocd", "plan"), ("argocd", "cluster-far"), ("flux", "flux")]
)
def test_folders_of_a_driver_are_its_own(driver: str, folder: str) -> None:
    trees = catalog(NAMES)
    trees["two"] |= Tree({PurePosixPath(folder, "x.yaml"): Entry(b"{}\n")})

    assert "path" in codes(rendered(driver, on(), trees, clusters=far()))


@pytest.mark.parametrize(
    "server",
    ["", "/relative", "https://", "https://me:word@example.com", "http://[::1", "http://_x"],
)
def test_a_server_is_a_url_with_a_host(server: str) -> None:
    assert argo(on(), clusters=far(server=server)) == ["server"]


@pytest.mark.parametrize(
    ("server", "name"),
    [
        ("http://foo", "cluster-foo-752281925"),
        (
            "http://[FE80::1FF:FE23:4567:890A]:8000",
            "cluster-fe80--1ff-fe23-4567-890a-682802007",
        ),
    ],
)
def test_secrets_of_clusters_are_named_as_argocd_names_them(server: str, name: str) -> None:
    assert secret_name(Cluster("c", server)) == name


def test_applications_are_in_one_namespace() -> None:
    trees = changed("two", metadata={"name": "two", "namespace": "other"})

    assert argo({"serial": ["one", "two"]}, trees) == ["several-namespaces"]


@pytest.mark.parametrize(
    ("destinations", "found"),
    [
        ([{"namespace": "*", "server": "https://kubernetes.default.svc"}], ["project"]),
        ([{"namespace": "*", "server": "https://work*"}], []),
        ([{"namespace": "*", "name": "far-*"}], []),
        ([{"namespace": "o?e", "name": "*"}, {"namespace": "!one", "name": "*"}], ["project"]),
        (None, ["project-unknown"]),
    ],
)
def test_the_project_allows_the_cluster(destinations: Any, found: list[str]) -> None:  # noqa: ANN401
    trees = catalog(NAMES)
    path = PurePosixPath("apps/00_syn-project.yaml")
    project = yaml.safe_load(trees["argocd"][path].content)
    project["spec"]["destinations"] = destinations
    if destinations is None:
        project["metadata"]["name"] = "other"
    trees["argocd"] |= Tree({path: file_of(project)})

    assert argo(on(), trees, clusters=far()) == found


@pytest.mark.parametrize("policy", [{}, {"automated": None}, {"automated": {"enabled": False}}])
def test_planned_applications_are_automated(policy: object) -> None:
    spec = {**application("one", "manifests/one")["spec"], "syncPolicy": policy}

    assert argo("one", changed("one", spec=spec)) == ["not-automated"]


@pytest.mark.parametrize(
    ("rule", "found"),
    [
        (RULE, []),
        (RULE.replace("\n", "\n  "), []),
        ("return {}", ["health-rule"]),
        ("", ["no-health-rule"]),
    ],
)
def test_waves_need_the_health_rule(rule: str, found: list[str]) -> None:
    trees = {**catalog(NAMES), "argocd": argocd(rule)}

    assert argo("one", trees) == found
    assert argo("one", trees, argocd={"health_rule": "external"}) == []


def test_without_argocd_the_rule_is_unknown() -> None:
    trees = {name: instance(name) for name in NAMES}

    assert argo("one", trees) == ["health-rule"]


@pytest.mark.parametrize(("gate", "found"), [("create", "sync-limit"), ("update", "no-sync-limit")])
def test_a_sync_has_a_time_limit(gate: str, found: str) -> None:
    trees = catalog(NAMES)
    path = PurePosixPath("argocd/settings.yaml")
    settings, _ = yaml.safe_load_all(trees["argocd"][path].content)

    assert argo("one", trees, argocd={"gate": gate}) == []
    trees["argocd"] |= Tree({path: file_of(settings)})
    assert argo("one", trees, argocd={"gate": gate}) == [found]


def test_a_gate_for_updates_fails_the_sync_of_an_owner_that_retries() -> None:
    found = rendered("argocd", "one", argocd={"gate": "update"})

    assert content(found, "apps/one.yaml")["metadata"]["annotations"]["commodore-py/gate"] == "fail"
    assert content(found, "apps/01_rootapp.yaml")["spec"]["syncPolicy"]["retry"]["limit"] == 10


def test_a_group_needs_a_name_and_may_be_refused() -> None:
    unnamed = {"concurrent": ["one", {"serial": ["two", "three"]}]}

    assert argo(unnamed) == ["name"]
    assert argo(NESTED) == []
    assert argo(NESTED, argocd={"rendering": "waves"}) == ["not-flat"]
    assert argo({"serial": list(NAMES)}, argocd={"rendering": "waves"}) == []


def test_flux_does_not_apply_secret_references() -> None:
    trees = catalog(NAMES)
    text = Entry(b"key: ?{vaultkv:a/b:12345678}\n")
    trees["one"] |= Tree({PurePosixPath("one/secret.yaml"): text})

    assert flux("one", trees) == ["secret"]


def test_flux_needs_namespaces() -> None:
    trees = catalog(NAMES)
    pods = [
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}},
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "b", "namespace": "elsewhere"}},
    ]
    trees["one"] |= Tree({PurePosixPath("one/pods.yaml"): file_of(*pods)})

    assert flux("one", trees) == ["namespace"]
    assert flux({"instance": "two", "app": {"createNamespace": True}}) == ["namespace"]


def test_flux_has_no_double_objects_no_unreachable_cluster_and_no_hook_before_deletion() -> None:
    trees = catalog(NAMES)
    copied = trees["one"][PurePosixPath("one/settings.yaml")]
    trees["one"] |= Tree({PurePosixPath("one/again.yaml"): copied})
    hooked = {"instance": "two", "hooks": {"beforeDelete": ["two/two/settings.yaml"]}}

    assert flux("one", trees) == ["twice"]
    assert flux(on(), clusters=far(kubeconfig={})) == ["kubeconfig"]
    assert flux(hooked) == ["hook"]


def test_settings_of_a_leaf_are_in_its_application() -> None:
    found = rendered_rich("argocd")
    spec = content(found, "apps/shop.yaml")["spec"]

    assert (
        content(found, "apps/shop.yaml")["metadata"]["annotations"]["commodore-py/gate"]
        == "degraded-ok"
    )
    assert spec["syncPolicy"] == {
        "automated": {"prune": False, "selfHeal": False},
        "managedNamespaceMetadata": {"labels": {"team": "a"}},
        "retry": {"limit": 2},
        "syncOptions": ["CreateNamespace=false", "ServerSideApply=true"],
    }
    assert spec["ignoreDifferences"] == [{"kind": "ConfigMap", "jsonPointers": ["/data/size"]}]
    hook = content(found, "shop/before.yaml")["metadata"]["annotations"]
    assert hook == {
        "argocd.argoproj.io/hook": "PreSync",
        "argocd.argoproj.io/hook-delete-policy": "BeforeHookCreation",
    }
    assert PurePosixPath("capi-cluster/more.yaml") not in found.manifests
    assert content(found, "apps/plan-more.yaml")["metadata"]["annotations"] == {
        "argocd.argoproj.io/sync-wave": "-3"
    }


def test_hooks_of_flux_are_kustomizations_of_their_own() -> None:
    found = rendered_rich("flux")

    before, shop, after = (
        content(found, f"flux/{name}.yaml") for name in ("shop-before", "shop", "shop-after")
    )
    assert before["spec"]["dependsOn"] == [{"name": "resource-more"}]
    assert before["metadata"]["annotations"] == {"kustomize.toolkit.fluxcd.io/force": "enabled"}
    assert [one["name"] for one in shop["spec"]["dependsOn"]] == ["shop-before"]
    assert [one["name"] for one in after["spec"]["dependsOn"]] == ["shop"]
    ccm = content(found, "flux/ccm.yaml")["spec"]["dependsOn"]
    assert [one["name"] for one in ccm] == ["shop-after"]
    assert "HealthCheckFailed" in ccm[0]["readyExpr"]
    assert PurePosixPath("shop/before.yaml") not in found.manifests


def rendered_rich(driver: str) -> Laid:
    found = DRIVERS[driver].render(rich_example())
    assert codes(found) == []
    return found


def test_the_rule_judges_as_it_is_documented() -> None:
    pytest.importorskip("lupa", reason="install commodore-py[live]")
    rules = UserRules(ScriptTable())
    script = Script("argoproj.io/Application", RULE, open_libraries=False, where="rule")
    healths = ("", "Healthy", "Progressing", "Degraded", "Missing", "Suspended")
    wrong = []
    for gate, health, sync, fresh in product(
        (None, "wait", "degraded-ok", "fail"),
        healths,
        ("Synced", "OutOfSync", "Unknown"),
        (True, False),
    ):
        given = application("one", "manifests/one")
        given["metadata"]["annotations"] = {"commodore-py/gate": gate} if gate else {}
        compared = given["spec"]["source"] if fresh else {"path": "manifests/old"}
        given["status"] = {
            **({"health": {"status": health}} if health else {}),
            "sync": {"status": sync, "comparedTo": {"source": compared}},
        }
        found = rules.run(script, given).status
        expected = judged(health, sync, gate, fresh=fresh)
        if gate == "fail" and health == "Degraded":
            expected = "Degraded"
        if found is None or found != expected:
            wrong.append((gate, health, sync, fresh, found, expected))
    rules.close()
    assert wrong == []


@pytest.mark.parametrize("driver", ["argocd", "flux", "plain"])
@pytest.mark.parametrize("name", ["", "../../escape", "A"])
def test_a_resource_has_a_name_that_a_file_can_have(driver: str, name: str) -> None:
    plan = {"serial": [{"resource": "one/one/settings.yaml", "name": name}, "two"]}

    found = rendered(driver, plan)

    assert "name" in codes(found)
    assert [path for path in found.manifests if ".." in path.parts] == []


def test_a_resource_and_a_group_have_different_names() -> None:
    trees = catalog(NAMES)
    kept = trees["one"][PurePosixPath("one/settings.yaml")]
    trees["one"] |= Tree({PurePosixPath("one/more.yaml"): kept})

    plan = {"serial": [{"resource": "one/one/more.yaml", "name": "group"}, NESTED]}
    assert argo(plan, trees) == ["alias"]


@pytest.mark.parametrize("driver", ["argocd", "flux", "plain"])
@pytest.mark.parametrize("key", ["spec", "metadata"])
def test_applications_of_any_shape_are_findings_only(driver: str, key: str) -> None:
    random = Random(key)  # noqa: S311 - cases, not secrets
    for _ in range(15):
        made = application("one", "manifests/one")
        _break(made[key], random)
        trees = catalog(NAMES)
        trees["one"] |= Tree({PurePosixPath("apps/one.yaml"): file_of(made)})

        rendered(driver, on({"serial": list(NAMES)}, background=True), trees, clusters=far())


def _break(content: dict[str, Any], random: Random) -> None:
    """Replace something by something else."""
    key = random.choice(sorted(content))
    if isinstance(content[key], dict) and random.random() < 0.6:
        _break(content[key], random)
    else:
        content[key] = random.choice([None, 1, "text", [], {}, [1], {"a": 1}, True])
