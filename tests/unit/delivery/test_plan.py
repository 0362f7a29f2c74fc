"""Plans: reading, all problems at once, normal form and order."""

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
REMOTE = {"workload": {"server": "https://workload.example.com:6443"}}
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


def read(written: Written, **delivery: object) -> tuple[Plan | None, list[str]]:
    parameters = {
        "commodore": {"plan": written, "delivery": delivery},
        "yes": True,
        "word": "True",
    }
    plan, found = read_plan(parameters, tuple(Instance(name, name) for name in NAMES))
    return plan, [one.code.removeprefix("plan/") for one in found]


def test_the_example_has_the_order_that_is_meant() -> None:
    plan, found = read(EXAMPLE, clusters=REMOTE)

    assert found == []
    assert plan is not None
    assert {step: set(before) for step, before in plan.order.before.items()} == {
        "capi-cluster": set(),
        "cluster-workload": set(),
        "ccm": {"cluster-workload"},
        "cni": {"cluster-workload"},
        "shop": {"capi-cluster", "ccm", "cni"},
    }


@each("given", [{}, {"commodore": {}}, {"commodore": {"plan": None}}])
def test_a_cluster_may_have_no_plan(given: dict[str, Any]) -> None:
    assert not has_plan(given)


@each(
    ("written", "codes"),
    [
        ({"serial": []}, ["empty"]),
        ({"on": {"cluster": "workload"}}, ["empty"]),
        ({"when": {"if": "yes"}}, ["empty"]),
        ({"serial": ["ccm"], "concurrent": ["cni"]}, ["two-kinds"]),
        ({"seriel": ["ccm"]}, ["unknown-word"]),
        ({"serial": ["ccm"], "nane": "x"}, ["unknown-word"]),
        ({"serial": "ccm"}, ["shape"]),
        ({"serial": ["shop", "shop"]}, ["twice"]),
        ({"serial": ["shop", {"when": {"if": False, "then": "shop"}}]}, ["twice"]),
        ("shopp", ["unknown-instance"]),
        ({"when": {"if": "yess", "then": "shop"}}, ["condition"]),
        ({"when": {"if": "word", "then": "shop"}}, ["condition"]),
        ({"when": {"if": {"nott": True}, "then": "shop"}}, ["condition"]),
        ({"resource": "shop"}, ["reference"]),
        ({"instance": "shop", "hooks": {"before": ["ccm/job.yaml"]}}, ["hook"]),
        ({"serial": [{"seriel": []}, {"on": {}}, "nobody"]}, ["unknown-word", "empty"]),
    ],
)
def test_everything_that_is_wrong_is_found_at_once(written: Written, codes: list[str]) -> None:
    plan, found = read(written, clusters=REMOTE, unlisted="last")

    assert plan is None
    assert [one for one in found if one != "unused-cluster"][: len(codes)] == codes


def test_a_plan_has_a_depth() -> None:
    written: Written = "shop"
    for _ in range(16):
        written = {"serial": [written]}

    assert read(written) == (None, ["too-large"])


def test_a_plan_has_a_size() -> None:
    assert "too-large" in read({"concurrent": ["shop"] * 2001})[1]


def test_an_unknown_cluster_and_an_unused_one_are_found() -> None:
    found = read({"on": {"cluster": "worklod", "do": "shop"}}, clusters=REMOTE)[1]

    assert found == ["unknown-cluster", "unused-cluster"]


@each(
    ("condition", "kept"),
    [
        (True, True),
        ("yes", True),
        ({"not": "yes"}, False),
        ({"all": ["yes", {"not": False}]}, True),
        ({"any": [False, {"equals": ["word", "True"]}]}, True),
        ({"in": ["word", ["a", "b"]]}, False),
        ({"exists": "nothing.here"}, False),
    ],
)
def test_a_condition_decides_what_is_kept(condition: object, kept: bool) -> None:
    plan, _ = read({"serial": ["ccm", {"when": {"if": condition, "then": "shop"}}]})

    assert plan is not None
    assert ("shop" in plan.order.before) == kept
    assert [one.leaf.instance for one in plan.removed] == ([] if kept else ["shop"])


def test_instances_that_are_not_listed_are_the_last() -> None:
    plan, found = read({"serial": ["cni", "ccm"]})

    assert found == ["unlisted"]
    assert plan is not None
    assert plan.order.before["shop"] == {"ccm"}
    assert read("cni", unlisted="last")[1] == []
    assert read("cni", unlisted="error") == (None, ["unlisted-refused"])


def test_a_catalog_without_any_instance_is_refused() -> None:
    everything = {"when": {"if": False, "then": {"serial": list(NAMES)}}}

    plan, found = read(everything)

    assert plan is None
    assert found[0] == "nothing-left"


@each(
    "credentials",
    [
        {"bearerToken": "plain-text"},
        {"bearerToken": "Bearer ?{vaultkv:a/b}"},
        {"tlsClientConfig": {"keyData": "plain"}},
        {"tlsClientConfig": {"caData": "?{vaultkv:a/b}", "insecure": True}},
    ],
)
def test_a_credential_is_a_reference(credentials: dict[str, Any]) -> None:
    clusters = {"workload": {**REMOTE["workload"], "credentials": credentials}}

    assert "credential" in read(EXAMPLE, clusters=clusters)[1]


def test_the_inner_cluster_counts_and_the_outer_one_is_registered_first() -> None:
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
def test_the_normal_form_keeps_the_order_and_registers_before_every_user(seed: int) -> None:
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


def required(
    written: Written, requires: dict[str, list[str]], **parameters: object
) -> tuple[list[str], list[str]]:
    """Codes and messages for instances of four components, one of which has two."""
    instances = (
        *(Instance(name, name) for name in "abc"),
        Instance("d-1", "d"),
        Instance("d-2", "d"),
    )
    given = {"commodore": {"plan": written, "delivery": {"unlisted": "last"}}, **parameters}
    _, found = read_plan(given, instances, requires)
    wanted = [one for one in found if one.code.startswith("plan/requires")]
    return [one.code.removeprefix("plan/") for one in wanted], [one.message for one in wanted]


def test_what_is_kept_does_not_require_what_is_removed() -> None:
    off = {"when": {"if": False, "then": "b"}}

    codes, messages = required({"serial": ["a", off]}, {"a": ["b", "nobody"], "b": ["a"]})

    assert codes == ["requires-removed"]  # what is not deployed is reported without a plan, too
    assert messages == ["instance a requires b, which the plan removes"]


@each(
    ("written", "requires", "codes"),
    [
        ({"serial": ["a", "b"]}, {"b": ["a"]}, []),
        ({"serial": ["a", "b"]}, {"a": ["b"]}, ["requires"]),
        ({"serial": ["a", "b"]}, {"a": ["c"]}, ["requires"]),  # which is the last
        ({"concurrent": ["a", "b"]}, {"a": ["b"]}, ["requires-unordered"]),
        ({"serial": ["d-1", "a", "d-2"]}, {"a": ["d"]}, []),
        ({"serial": ["a", "d-1", "d-2"]}, {"a": ["d"]}, ["requires"]),
        ({"serial": ["d-1", "d-2"]}, {"d-1": ["d"], "d-2": ["d"]}, ["requires"]),
        ("a", {"b": ["c"]}, []),
        (
            {"concurrent": ["a", {"serial": ["b", "c"]}]},
            {"a": ["c"], "b": ["a"]},
            ["requires-unordered", "requires-unordered", "requires"],
        ),
    ],
)
def test_the_order_keeps_what_components_require(
    written: Written, requires: dict[str, list[str]], codes: list[str]
) -> None:
    assert required(written, requires)[0] == codes


def test_a_cycle_of_plan_and_requirements_is_named() -> None:
    written = {"concurrent": ["a", {"serial": ["b", "c"]}]}

    message = required(written, {"a": ["c"], "b": ["a"]})[1][-1]

    assert sorted(message.rpartition(": ")[2].split(" before ")[1:]) == ["a", "b", "c"]


def test_only_the_plan_of_the_cluster_itself_counts() -> None:
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
    assert both.own == argocd.own | flux.own
    assert combined(given.trees, [flux, argocd]).trees == both.trees


def test_two_drivers_do_not_change_one_file_in_two_ways() -> None:
    given = rich_example()  # hooks are annotated for Argo CD, and moved for Flux

    both = combined(given.trees, [DRIVERS[name].render(given) for name in ("argocd", "flux")])

    assert "plan/path" in [one.code for one in both.findings]
