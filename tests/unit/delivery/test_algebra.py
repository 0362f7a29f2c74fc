"""What calls of a plan do, compared with a second implementation that uses threads."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

from commodore_py.delivery.conditions import holds
from commodore_py.delivery.reading import Reader
from commodore_py.delivery.simulation import Event, Model, Timeline, simulate
from tests.support.plans import CLUSTERS, PARAMETERS, Second, Written, random_plan
from tests.support.tables import each

if TYPE_CHECKING:
    from commodore_py.delivery.nodes import Node


def node_of(written: Written) -> Node:
    reader = Reader()
    node = reader.node(written)
    assert node is not None
    assert reader.findings == []
    return node


def timeline(written: Written, model: Model | None = None, *, down: bool = False) -> Timeline:
    return simulate(
        node_of(written),
        model or Model(),
        lambda condition: holds(condition, PARAMETERS),
        direction="down" if down else "up",
    )


def states(events: tuple[Event, ...]) -> list[tuple[int, str, str]]:
    return [(one.round, one.step, one.state) for one in events]


def compare(seed: int) -> None:
    random = Random(seed)  # noqa: S311 - cases, not secrets
    written = random_plan(random, random.randint(1, 9))
    names = [f"i{number}" for number in range(9)]
    yields = {name: random.randint(0, 3) for name in (*names, *CLUSTERS)}
    fails = {random.choice(names): random.randint(1, 12)} if random.random() < 0.4 else {}
    lost = {random.choice(CLUSTERS): random.randint(1, 8)} if random.random() < 0.3 else {}
    down = random.random() < 0.5

    ours = timeline(written, Model(yields=yields, fails=fails, lost=lost), down=down)
    other = Second(written, yields=yields, fails=fails, lost=lost)
    state = other.run("down" if down else "up", 100)

    assert (ours.result.state, ours.rounds) == (state, other.round), written
    words = {"provision": "up", "deprovision": "down"}
    mine = [
        (one.round, one.step, words[one.action], one.state)
        for one in ours.events
        if one.action in words
    ]
    assert sorted(mine) == sorted(other.log), written


@each("block", range(4))
def test_calls_agree_with_another_implementation(block: int) -> None:
    for seed in range(block * 75, (block + 1) * 75):
        compare(seed)


@pytest.mark.long
@pytest.mark.parametrize("block", range(20))
def test_calls_of_ten_thousand_plans_agree_with_another_implementation(block: int) -> None:
    for seed in range(1000 + block * 500, 1500 + block * 500):
        compare(seed)


def test_a_serial_waits_for_each_child() -> None:
    assert states(timeline({"serial": ["a", "b"]}).events) == [
        (1, "a", "yield"),
        (2, "a", "done"),
        (2, "b", "yield"),
        (3, "a", "done"),
        (3, "b", "done"),
    ]


def test_deletion_is_in_reverse_order() -> None:
    found = timeline({"serial": ["a", "b"]}, down=True)

    assert [step for _, step, state in states(found.events) if state == "done"] == ["b", "b", "a"]


def test_a_false_condition_deletes_during_creation() -> None:
    found = timeline({"serial": ["a", {"when": {"if": "no", "then": "b"}}]})

    assert [one.action for one in found.events if one.step == "b"] == ["deprovision"] * 2


def test_a_concurrent_group_finishes_although_one_fails() -> None:
    found = timeline({"concurrent": ["a", "b"]}, Model(fails={"a": 1}))

    assert [(one.step, one.state) for one in found.events] == [("a", "error"), ("b", "yield")]
    assert found.result.state == "error"


def test_a_cluster_is_forgotten_after_its_last_user() -> None:
    written = {"serial": [{"on": {"cluster": "far", "do": name}} for name in ("a", "b")]}

    found = timeline(written, down=True)

    gone = [one.step for one in found.events if one.action == "deregister"]
    assert gone == ["cluster-far"]
    assert found.events[-1].step == "cluster-far"


def test_deletion_in_the_background_is_not_waited_for() -> None:
    written = {"on": {"cluster": "far", "background": True, "do": "a"}}

    assert timeline(written, Model(yields={"a": 9}), down=True).rounds == 1


def test_a_lost_cluster_ends_the_deletion_of_what_is_on_it() -> None:
    written = {"on": {"cluster": "far", "do": "a"}}

    assert timeline(written, Model(yields={"a": 9}, lost={"far": 3}), down=True).rounds == 3


def test_a_degraded_instance_holds_up_unless_it_may_be_degraded() -> None:
    model = Model(degrades=frozenset({"a"}))

    assert timeline("a", model).result.state == "yield"
    assert timeline({"instance": "a", "allowDegraded": True}, model).result.state == "done"


def test_hooks_run_around_an_instance() -> None:
    hooks = {"before": ["a/x"], "after": ["a/y"], "beforeDelete": ["a/z"]}
    written = {"instance": "a", "hooks": hooks}

    up = [one.action for one in timeline(written).events if one.state == "done"]
    down = [one.action for one in timeline(written, down=True).events if one.state == "done"]

    assert list(dict.fromkeys(up)) == ["hook a/x", "provision", "hook a/y"]
    assert list(dict.fromkeys(down)) == ["hook a/z", "deprovision"]


def test_a_resource_is_not_waited_for() -> None:
    found = timeline({"serial": [{"resource": "a/config.yaml"}, "b"]}, Model(yields={"b": 0}))

    assert found.rounds == 1
