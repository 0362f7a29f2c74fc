"""What every driver keeps to, and the worked example."""

from __future__ import annotations

import json
from pathlib import PurePosixPath
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from commodore_py.compiler.tags import Tags
from commodore_py.delivery.drivers.names import path_findings
from commodore_py.delivery.drivers.table import DRIVERS
from commodore_py.delivery.settings import DRIVERS as NAMES
from commodore_py.model.secrets import ReferenceFile, SecretRef
from commodore_py.refs.backends import vaultkv
from tests.support.plan_catalogs import (
    catalog,
    example,
    job,
    owner,
    rich_example,
)
from tests.support.plan_proofs import keeps_order, rendered_random

if TYPE_CHECKING:
    from commodore_py.delivery.drivers.base import Laid
    from commodore_py.model.tree import Tree

EVERY = pytest.mark.parametrize("driver", sorted(DRIVERS))


def codes(laid: Laid) -> list[str]:
    return [one.code.removeprefix("plan/") for one in laid.findings]


def content(laid: Laid, path: str) -> Any:  # noqa: ANN401 - YAML
    return yaml.safe_load(laid.manifests[PurePosixPath(path)].content)


def argo(written: object, trees: dict[str, Tree], **delivery: Any) -> Laid:  # noqa: ANN401
    return DRIVERS["argocd"].render(job(written, trees, **delivery))


def flux(written: object, trees: dict[str, Tree], **delivery: Any) -> Laid:  # noqa: ANN401
    return DRIVERS["flux"].render(job(written, trees, **delivery))


def test_the_table_has_the_drivers_that_can_be_set() -> None:
    assert tuple(sorted(DRIVERS)) == NAMES


@EVERY
def test_rendered_files_keep_the_order(driver: str) -> None:
    given = example()

    laid = DRIVERS[driver].render(given)

    assert codes(laid) == []
    keeps_order(DRIVERS[driver].read_back(laid.manifests), given.plan)


@EVERY
def test_every_option_of_a_leaf_keeps_the_order(driver: str) -> None:
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
def test_rendering_what_was_rendered_changes_nothing(driver: str) -> None:
    given = example()
    once = DRIVERS[driver].render(given)
    assert DRIVERS[driver].render(given) == once

    if driver != "argocd":  # that one moves Applications out of their folder
        assert DRIVERS[driver].render(given._replace(trees=once.trees)).trees == once.trees


@EVERY
def test_removed_instances_leave_the_manifests(driver: str) -> None:
    plan = {"serial": ["one", {"when": {"if": False, "then": "two"}}]}

    laid = DRIVERS[driver].render(job(plan, catalog(["one", "two"]), unlisted="last"))

    assert [path for path in laid.manifests if "two" in str(path)] == []


@EVERY
def test_no_driver_writes_a_secret(driver: str) -> None:
    laid = DRIVERS[driver].render(example())

    found = [yaml.safe_load_all(one.content) for one in laid.own.values()]
    secrets = [one for every in found for one in every if one.get("kind") == "Secret"]
    for one in secrets:
        config = json.loads(one["stringData"]["config"])
        assert config["bearerToken"].startswith("?{vaultkv:")
        assert config["tlsClientConfig"]["caData"].startswith("?{vaultkv:")


def test_argocd_renders_the_example_as_it_is_documented() -> None:
    laid = DRIVERS["argocd"].render(example())
    waves = {
        str(path): one["metadata"]["annotations"]["argocd.argoproj.io/sync-wave"]
        for path, entry in laid.manifests.items()
        for one in yaml.safe_load_all(entry.content)
        if "sync-wave" in str(one)
    }

    assert waves == {
        "apps/00_syn-project.yaml": "-3",
        "apps/capi-cluster.yaml": "-2",
        "apps/plan-workload.yaml": "-2",
        "apps/shop.yaml": "-1",
        "plan/workload/ccm.yaml": "-1",
        "plan/workload/cluster-workload.yaml": "-2",
        "plan/workload/cni.yaml": "-1",
    }
    secret = content(laid, "cluster-workload/secret.yaml")
    assert secret["metadata"]["name"] == "cluster-workload.example.com-1779286329"
    assert secret["metadata"]["labels"]["commodore-py/cluster"] == "cluster-60a13060b4c3b6eb"
    assert secret["stringData"]["name"] == "workload-eu-1"
    ccm, shop = content(laid, "plan/workload/ccm.yaml"), content(laid, "apps/shop.yaml")
    assert "finalizers" not in ccm["metadata"]
    assert "finalizers" in shop["metadata"]
    assert shop["spec"]["destination"] == {"name": "workload-eu-1", "namespace": "shop"}
    assert ccm["spec"]["syncPolicy"]["retry"]["limit"] == 10


def test_only_fields_of_the_plan_are_edited() -> None:
    before = example().trees["shop"][PurePosixPath("apps/shop.yaml")].content.decode()
    after = DRIVERS["argocd"].render(example()).trees["shop"][PurePosixPath("apps/shop.yaml")]

    lines = after.content.decode().splitlines()
    assert set(before.splitlines()) - set(lines) == {
        f"    server: {owner()['spec']['destination']['server']}"
    }
    assert len(lines) - len(before.splitlines()) == 3 + 6


def test_flux_renders_the_example_as_it_is_documented() -> None:
    shop = content(DRIVERS["flux"].render(example()), "flux/shop.yaml")

    assert shop["metadata"] == {"name": "shop", "namespace": "capi"}
    assert shop["spec"] == {
        "dependsOn": [
            {"name": "capi-cluster", "namespace": "flux-system"},
            {"name": "ccm"},
            {"name": "cni"},
        ],
        "interval": "10m",
        "kubeConfig": {"secretRef": {"key": "value", "name": "workload-kubeconfig"}},
        "path": "./manifests/shop",
        "prune": True,
        "retryInterval": "1m",
        "sourceRef": {"kind": "GitRepository", "name": "catalog", "namespace": "flux-system"},
        "targetNamespace": "shop",
        "timeout": "30m",
        "wait": True,
    }


def test_copies_sort_in_the_order_of_the_plan() -> None:
    laid = DRIVERS["plain"].render(example())

    assert [str(path) for path in laid.copies] == [
        "010-capi-cluster/settings.yaml",
        "020-ccm/settings.yaml",
        "020-cni/settings.yaml",
        "030-shop/settings.yaml",
        "040-argocd/settings.yaml",
    ]


def test_references_of_a_cluster_have_the_hashes_that_the_plugin_expects() -> None:
    paths = [f"t-demo/c-mgmt/workload/{key}" for key in ("token", "ca")]
    files = [
        ReferenceFile(path, vaultkv.render(SecretRef("vaultkv", path, ()), {}), "vaultkv")
        for path in paths
    ]

    laid = DRIVERS["argocd"].render(example()._replace(complete=Tags.of(tuple(files)).in_value))

    assert content(laid, "cluster-workload/secret.yaml")["stringData"]["config"] == (
        '{"bearerToken":"?{vaultkv:t-demo/c-mgmt/workload/token:3a075b37}",'
        '"tlsClientConfig":{"caData":"?{vaultkv:t-demo/c-mgmt/workload/ca:d7f83b59}"}}'
    )
