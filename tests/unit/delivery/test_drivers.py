"""What every driver keeps to."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import PurePosixPath
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from commodore_py.compiler.tags import Tags
from commodore_py.delivery.drivers.argocd.health_rule import RULE
from commodore_py.delivery.drivers.argocd.registration import secret_name
from commodore_py.delivery.drivers.base import path_findings
from commodore_py.delivery.drivers.table import DRIVERS
from commodore_py.delivery.readiness import BACK_ENDS, Expected, result_of
from commodore_py.delivery.settings import DRIVERS as NAMES
from commodore_py.delivery.settings import Cluster
from commodore_py.live.rules import Judge
from commodore_py.manifests.health.scripts import Script, ScriptTable
from commodore_py.model.secrets import ReferenceFile, SecretRef
from commodore_py.model.tree import Tree
from commodore_py.refs.backends import vaultkv
from tests.differential.plans.simulators import judged
from tests.support.plan_catalogs import (
    CLUSTER,
    application,
    catalog,
    example,
    file_of,
    job,
    rich_example,
)
from tests.support.plan_proofs import keeps_order, rendered_random
from tests.support.tables import each

if TYPE_CHECKING:
    from commodore_py.delivery.drivers.base import Laid

EVERY = pytest.mark.parametrize("driver", sorted(DRIVERS))


def codes(laid: Laid) -> list[str]:
    return [one.code.removeprefix("plan/") for one in laid.findings]


def content(laid: Laid, path: str) -> Any:  # noqa: ANN401 - YAML
    return yaml.safe_load(laid.manifests[PurePosixPath(path)].content)


def test_table_contains_all_driver_names() -> None:
    assert tuple(sorted(DRIVERS)) == NAMES


@EVERY
def test_rendered_files_keep_the_order(driver: str) -> None:
    given = example()

    laid = DRIVERS[driver].render(given)

    assert codes(laid) == []
    keeps_order(DRIVERS[driver].read_back(laid.manifests), given.plan)


@EVERY
def test_leaf_options_keep_order(driver: str) -> None:
    given = rich_example()

    laid = DRIVERS[driver].render(given)

    assert codes(laid) == []
    assert list(path_findings(laid)) == []
    back = DRIVERS[driver].read_back(laid.manifests)
    keeps_order(back, given.plan)
    assert "resource/more" in back.before


@EVERY
@pytest.mark.parametrize("seed", range(8))
def test_random_plans_keep_their_order(driver: str, seed: int) -> None:
    case = rendered_random(driver, Random(seed))  # noqa: S311 - cases, not secrets

    keeps_order(DRIVERS[driver].read_back(case.laid.manifests), case.job.plan)


@EVERY
def test_rendering_is_idempotent(driver: str) -> None:
    given = example()
    once = DRIVERS[driver].render(given)
    assert DRIVERS[driver].render(given) == once

    if driver != "argocd":  # that one moves Applications out of their folder
        assert DRIVERS[driver].render(replace(given, trees=once.trees)).trees == once.trees


@EVERY
def test_removed_instances_are_not_rendered(driver: str) -> None:
    plan = {"serial": ["one", {"when": {"if": False, "then": "two"}}]}

    laid = DRIVERS[driver].render(job(plan, catalog(["one", "two"]), unlisted="last"))

    assert [path for path in laid.manifests if "two" in str(path)] == []


def test_deletion_without_owner_is_reported() -> None:
    trees = catalog(["one", "two"])
    del trees["argocd"]

    laid = DRIVERS["argocd"].render(
        job("one", trees, unlisted="last", argocd={"deletion": "confirm"})
    )

    assert "no-owner" in codes(laid)


def test_copies_sort_in_the_order_of_the_plan() -> None:
    laid = DRIVERS["plain"].render(example())

    assert [str(path) for path in laid.copies] == [
        "010-capi-cluster/settings.yaml",
        "020-ccm/settings.yaml",
        "020-cni/settings.yaml",
        "030-shop/settings.yaml",
        "040-argocd/settings.yaml",
    ]


def test_cluster_references_contain_hashes() -> None:
    paths = [f"t-demo/c-mgmt/workload/{key}" for key in ("token", "ca")]
    files = [
        ReferenceFile(path, vaultkv.render(SecretRef("vaultkv", path, ()), {}), "vaultkv")
        for path in paths
    ]

    laid = DRIVERS["argocd"].render(replace(example(), complete=Tags.of(tuple(files)).in_value))

    assert content(laid, "cluster-workload/secret.yaml")["stringData"]["config"] == (
        '{"bearerToken":"?{vaultkv:t-demo/c-mgmt/workload/token:3a075b37}",'
        '"tlsClientConfig":{"caData":"?{vaultkv:t-demo/c-mgmt/workload/ca:d7f83b59}"}}'
    )


@each(
    ("server", "name"),
    [
        ("http://foo", "cluster-foo-752281925"),
        (
            "http://[FE80::1FF:FE23:4567:890A]:8000",
            "cluster-fe80--1ff-fe23-4567-890a-682802007",
        ),
    ],
)
def test_cluster_secrets_are_named_like_argocd(server: str, name: str) -> None:
    assert secret_name(Cluster("c", server)) == name


def test_health_rule_matches_documentation() -> None:
    pytest.importorskip("lupa", reason="install commodore-py[live]")
    rules = Judge(ScriptTable())
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


@each("driver", ["argocd", "flux", "plain"])
@each("name", ["", "../../escape", "A"])
def test_invalid_resource_name_is_reported(driver: str, name: str) -> None:
    plan = {"serial": [{"resource": "one/one/settings.yaml", "name": name}, "two"]}

    found = DRIVERS[driver].render(job(plan, catalog(["one", "two"]), unlisted="last"))

    assert "name" in codes(found)
    assert [path for path in found.manifests if ".." in path.parts] == []


@each("driver", ["argocd", "flux", "plain"])
@each("key", ["spec", "metadata"])
def test_applications_of_any_shape_are_findings_only(driver: str, key: str) -> None:
    random = Random(key)  # noqa: S311 - cases, not secrets
    for _ in range(15):
        made = application("one", "manifests/one")
        _break(made[key], random)
        trees = catalog(["one", "two"])
        trees["one"] |= Tree({PurePosixPath("apps/one.yaml"): file_of(made)})

        plan = {"on": {"cluster": "far", "do": {"serial": ["one", "two"]}, "background": True}}
        DRIVERS[driver].render(job(plan, trees, unlisted="last", clusters={"far": CLUSTER}))


def _break(content: dict[str, Any], random: Random) -> None:
    """Replace something by something else."""
    key = random.choice(sorted(content))
    if isinstance(content[key], dict) and random.random() < 0.6:
        _break(content[key], random)
    else:
        content[key] = random.choice([None, 1, "text", [], {}, [1], {"a": 1}, True])


@each(
    ("status", "expected", "state"),
    [
        ({"status": "True"}, {}, "done"),
        ({"status": "True", "observedGeneration": 1}, {}, "yield"),
        ({"status": "False", "reason": "HealthCheckFailed"}, {}, "yield"),
        ({"status": "False", "reason": "HealthCheckFailed"}, {"allow_degraded": True}, "done"),
        ({"status": "False", "reason": "BuildFailed"}, {"fail_fast": True}, "error"),
    ],
)
def test_kustomization_is_ready_at_observed_generation(
    status: dict[str, Any], expected: dict[str, Any], state: str
) -> None:
    condition = {"type": "Ready", "observedGeneration": 2, **status}
    live = {
        "metadata": {"name": "one", "generation": 2},
        "status": {"conditions": [condition], "lastAppliedRevision": f"main@sha1:{'0' * 40}"},
    }

    assert result_of(BACK_ENDS["flux"], live, Expected(**expected)).state == state
