"""Plans of a cluster, their normal form, and what several drivers write."""

from __future__ import annotations

from random import Random
from typing import Any

from commodore_py.delivery.compiled import ClusterPlan, combined
from commodore_py.delivery.drivers.table import DRIVERS
from commodore_py.delivery.nodes import Leaf, On, Serial, walk
from commodore_py.delivery.normal import normal_form, order_of
from commodore_py.delivery.plan import Plan, read_plan
from commodore_py.delivery.reading import Reader
from commodore_py.model.inventory import Instance, Inventory, Node, has_plan
from commodore_py.model.spot import nowhere
from tests.support.plan_catalogs import example, rich_example
from tests.support.plans import Written, random_plan
from tests.support.tables import each

NAMES = ("capi-cluster", "ccm", "cni", "shop")


def read(written: Written, **delivery: object) -> tuple[Plan | None, list[str]]:
    parameters = {
        "commodore": {"plan": written, "delivery": delivery},
        "yes": True,
        "word": "True",
    }
    plan, found = read_plan(parameters, tuple(Instance(name, name) for name in NAMES))
    return plan, [one.code.removeprefix("plan/") for one in found]


@each("given", [{}, {"commodore": {}}, {"commodore": {"plan": None}}])
def test_parameters_without_plan_have_no_plan(given: dict[str, Any]) -> None:
    assert not has_plan(given)


def test_oversized_plan_is_reported() -> None:
    assert "too-large" in read({"concurrent": ["shop"] * 2001})[1]


def test_inner_cluster_wins_and_outer_is_registered_first() -> None:
    inner = {"on": {"cluster": "inner", "do": "shop"}}
    reader = Reader()
    node = reader.node({"on": {"cluster": "outer", "do": {"serial": ["ccm", inner]}}})
    assert node is not None

    found = normal_form(node)

    assert order_of(found).closed()["cluster-inner"] == {"cluster-outer", "ccm"}
    assert {one.instance: one.cluster for one in walk(found) if isinstance(one, Leaf)} == {
        "ccm": "outer",
        "shop": "inner",
    }


def written_order(node: Written) -> tuple[set[str], set[tuple[str, str]]]:
    """Instances, and all pairs of which one is before the other, of a plan as it is written."""
    if isinstance(node, str):
        return {node}, set()
    ((kind, value),) = node.items()
    if kind == "on":
        return written_order(value["do"])
    parts = [written_order(one) for one in value]
    pairs = {pair for _, inner in parts for pair in inner}
    if kind == "serial":
        for number, (early, _) in enumerate(parts):
            for late, _ in parts[number + 1 :]:
                pairs |= {(one, two) for one in early for two in late}
    return {name for names, _ in parts for name in names}, pairs


@each("seed", range(60))
def test_normal_form_keeps_order_and_registers_clusters_first(seed: int) -> None:
    written = random_plan(Random(seed), 8, conditions=False)  # noqa: S311
    node = Reader().node(written)
    assert node is not None

    found = normal_form(node)
    closed = order_of(found).closed()

    names, pairs = written_order(written)
    assert pairs <= {(early, late) for late in names for early in closed[late]}
    assert not any(step in before for step, before in closed.items())
    assert not any(isinstance(one, On) for one in walk(found))
    for one in walk(found):
        if isinstance(one, Leaf) and one.cluster:
            assert f"cluster-{one.cluster}" in closed[one.instance]
        if isinstance(one, Serial):
            assert one.name or len(one.children) > 1


def test_plan_of_another_target_is_ignored_with_warning() -> None:
    def node(name: str, plan: object) -> Node:
        delivery = {"unlisted": "last", "driver": "plain"}
        return Node(name, {"commodore": {"plan": plan, "delivery": delivery}})

    nodes = {name: node(name, {"serial": ["a", "b"]}) for name in ("cluster", "a")}
    nodes["b"] = node("b", {"serial": ["b", "a"]})
    inventory = Inventory(nodes, (Instance("a", "a"), Instance("b", "b")))

    found = ClusterPlan.of(inventory, {}, nowhere)

    assert found.plan.order.before["b"] == {"a"}
    (problem,) = found.problems
    assert (problem.code, problem.severity) == ("plan/other-target", "warning")
    assert "another plan: b" in problem.message


def test_several_drivers_write_one_catalog() -> None:
    given = example()

    argocd, flux = (DRIVERS[name].render(given) for name in ("argocd", "flux"))
    both = combined(given.trees, [argocd, flux])

    assert both.trees == argocd.trees
    assert both.added == argocd.added | flux.added
    assert combined(given.trees, [flux, argocd]).trees == both.trees


def test_conflicting_changes_of_two_drivers_are_reported() -> None:
    given = rich_example()  # hooks are annotated for Argo CD, and moved for Flux

    both = combined(given.trees, [DRIVERS[name].render(given) for name in ("argocd", "flux")])

    assert "plan/path" in [one.code for one in both.findings]
