"""Differences, health and order of objects, beside the recorded answers of Argo CD's own engine.

Each line of a file is a generated case with its answer. Where `GITOPS_ORACLE` names the program
that runs the engine (see `engine.py`), it is asked for all of them again.
"""

from __future__ import annotations

import json
import re
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from commodore_py.manifests.desired.predict import normalised, predict
from commodore_py.manifests.health.assess import assess
from commodore_py.manifests.objects import KubeObject, identify
from commodore_py.manifests.order import hooks, kinds
from commodore_py.manifests.order.tasks import SyncOptions, sync_tasks
from commodore_py.manifests.values import same
from commodore_py.workflows.live.health import run_tests
from commodore_py.workflows.live.objects import objects_in
from tests.support.tables import each

from . import engine

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.manifests.objects import Content
    from commodore_py.manifests.order.tasks import Task

APP = "app"


def recorded(name: str) -> list[dict[str, Any]]:
    text = Path(__file__).with_name(f"{name}.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


DIFFS, HEALTHS, HOOKS, ORDERS = map(recorded, ("diffs", "healths", "hooks", "orders"))


@each("case", [case for case in DIFFS if case["differs"]])
def test_difference_of_engine_is_also_ours(case: dict[str, Any]) -> None:
    # The reverse does not hold: a default that is in the target, but not in the live object, and
    # an applied field that is gone from the target but has its default, are differences here.
    ours = predict(case["target"], case["live"])

    assert not same(ours.live, ours.predicted)


@each("case", HEALTHS)
def test_statuses_are_those_of_the_engine(case: dict[str, Any]) -> None:
    assert _as_argocd(case["object"]) == case["status"]


def _as_argocd(content: Content) -> str | None:
    """The status without what Argo CD does not know."""
    health = assess(content)
    return None if health.source == "kstatus" else health.status


@each("case", HOOKS)
def test_annotations_are_read_like_the_engine(case: dict[str, Any]) -> None:
    content = {"metadata": {"annotations": case["annotations"]}}

    facts = hooks.hook_facts(content)

    answer = {name: value for name, value in case["answer"].items() if name != "policies"}
    assert answer == {
        "hook": facts.is_hook,
        "types": sorted(facts.types),
        "skip": facts.skipped,
        "ignored": facts.ignored,
        "wave": hooks.wave_of(content),
        "options": list(hooks.sync_options(content)),
    }


@each("case", ORDERS)
def test_tasks_are_those_of_the_engine(case: dict[str, Any]) -> None:
    targets = [KubeObject(id_, one) for one in case["targets"] if (id_ := identify(one))]
    pruned = {(one["kind"], one["name"], one["namespace"]) for one in case["tasks"] if one["prune"]}
    doomed = [
        KubeObject(id_, one)
        for one in case["live"]
        if (id_ := identify(one)) and (id_.kind, id_.name, id_.namespace) in pruned
    ]
    options = {name: case["options"][name] for name in ("prune_last", "create_namespace")}

    tasks = sync_tasks(targets, doomed, SyncOptions(APP, **options))

    end = rf"{case['options']['revision'][:7]}-\w+-0$"  # of generated names of hooks
    expected = [{**one, "name": re.sub(end, "", one["name"])} for one in case["tasks"]]
    for one in expected:
        del one["live"]
    assert _settled(list(map(_shown, tasks))) == _settled(expected)


def _shown(task: Task) -> dict[str, Any]:
    group, kind = task.kind
    return {
        "phase": task.phase,
        "wave": task.wave,
        "hook": task.is_hook,
        "group": group,
        "kind": kind,
        "namespace": task.namespace,
        "name": task.name,
        "prune": task.is_prune,
    }


def _settled(tasks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Neighbours that Argo CD leaves in random order, in ours."""

    def rank(task: dict[str, Any]) -> tuple[object, ...]:
        return task["phase"], task["wave"], kinds.rank(task["kind"]), task["name"]

    groups = (list(neighbours) for _, neighbours in groupby(tasks, rank))
    return [
        task
        for group in groups
        for task in sorted(group, key=lambda one: repr(sorted(one.items())))
    ]


@pytest.fixture
def argocd() -> Iterator[engine.Engine]:
    """Argo CD's engine."""
    started = engine.start()
    yield started
    started.close()


@pytest.mark.long
def test_engine_still_gives_the_recorded_answers(argocd: engine.Engine) -> None:
    for case in DIFFS:
        pair = {"config": case["target"], "live": case["live"]}
        (answer,) = argocd.ask("diff", pairs=[pair])["results"]
        before, after = (
            normalised(_without_traces(answer[name]))
            for name in ("normalizedLive", "predictedLive")
        )
        assert case["differs"] != same(_without_empty(before), _without_empty(after)), case
    answers = argocd.ask("health", objects=[case["object"] for case in HEALTHS])["results"]
    statuses = [answer["health"]["status"] if answer["health"] else None for answer in answers]
    assert statuses == [case["status"] for case in HEALTHS]
    things = [
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "a", "annotations": case["annotations"]},
        }
        for case in HOOKS
    ]
    for case, answer in zip(HOOKS, argocd.ask("hooks", objects=things)["results"], strict=True):
        lists = {name: answer[name] or [] for name in ("types", "policies", "options")}
        given = {**answer, **lists, **{n: sorted(lists[n]) for n in ("types", "policies")}}
        assert case["answer"].items() <= given.items(), case
    for case in ORDERS:
        assert case["tasks"] == _ordered(argocd, case), case


def _ordered(argocd: engine.Engine, case: dict[str, Any]) -> list[dict[str, Any]]:
    apis: list[dict[str, Any]] = [
        {"Group": "example.com", "Version": "v1", "Kind": kind} for kind in ("Thing", "Other")
    ]
    if not any(one["kind"] == "Namespace" for one in (*case["targets"], *case["live"])):
        apis.append({"Version": "v1", "Kind": "Namespace", "ClusterScoped": True})
    answer = argocd.ask(
        "order",
        objects=case["targets"],
        live=case["live"],
        namespace=APP,
        revision=case["options"]["revision"],
        apis=apis,
        options={
            "Prune": True,
            "PruneLast": case["options"]["prune_last"],
            "CreateNamespace": case["options"]["create_namespace"],
        },
    )
    tasks: list[dict[str, Any]] = _settled(answer["tasks"] or [])
    return tasks


def _without_traces(value: Any) -> Any:  # noqa: ANN401 - values of objects
    if isinstance(value, dict):
        return {key: _without_traces(one) for key, one in value.items() if key[:1] != "$"}
    if not isinstance(value, list):
        return value
    # A patch that deletes an item of a list that is not there yet leaves its order behind.
    deleted = {"$patch": "delete"}.items()
    return [
        _without_traces(one)
        for one in value
        if not (isinstance(one, dict) and deleted <= one.items())
    ]


def _without_empty(value: Any) -> Any:  # noqa: ANN401 - values of objects
    """The engine takes an empty value that was applied and is still empty for one that is gone."""
    if isinstance(value, list):
        return [_without_empty(one) for one in value]
    if isinstance(value, dict):
        fields = {key: _without_empty(one) for key, one in value.items()}
        return {key: one for key, one in fields.items() if one not in ({}, [], None)}
    return value


@pytest.mark.long
def test_argocd_health_cases_have_same_status_and_message() -> None:
    cases = run_tests(engine.checkout() / "resource_customizations")

    assert [one for one in cases if not one.passed] == []
    assert len(cases) > 1000


@pytest.mark.long
def test_objects_of_the_engines_own_tests_have_its_statuses() -> None:
    folder = engine.checkout() / "gitops-engine" / "pkg" / "health"
    text = (folder / "health_test.go").read_text("utf-8")
    cases = re.findall(r'assertAppHealth\(t, "([^"]+)", HealthStatus(\w+)\)', text)

    assert len(cases) > 40
    for name, status in cases:
        path = folder / name
        if path.is_file():
            (found,) = objects_in([str(path)]).objects
            assert _as_argocd(found.content) == status, name
