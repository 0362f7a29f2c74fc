"""Rules about health in the hierarchy: `parameters.commodore.live.health`."""

from __future__ import annotations

import json
import time
from http.server import BaseHTTPRequestHandler
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.live_catalog import catalog_for
from tests.support.servers import kubernetes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.support.command_line import CommandLine, Ran
    from tests.support.servers.kubernetes import Cluster

THING = {
    "apiVersion": "example.com/v1",
    "kind": "Thing",
    "metadata": {"name": "one", "creationTimestamp": "2026-01-01T00:00:00Z"},
    "status": {"conditions": [{"type": "Stalled", "status": "True", "message": "no quota"}]},
}
RULES = {
    "example.com/Thing": {
        "healthy": ["Ready=True"],
        "degraded": ["Stalled=True"],
        "grace": "90s",
    }
}
RULE = "(rule example.com/Thing of the hierarchy)"
LASTING = "99999h"
"""A grace from the day on which the objects of the small server are created."""


def _compiled(rules: object, *, cluster: str = "c-demo-1") -> None:
    """A working directory whose hierarchy has these rules."""
    facts = {"cluster": {"name": cluster, "tenant": "t-demo"}}
    files: dict[str, Any] = {
        "inventory/targets/cluster.yml": {"classes": ["params.cluster", "global.live"]},
        "inventory/classes/params/cluster.yml": {"parameters": facts},
        "inventory/classes/global/live.yml": {
            "parameters": {"commodore": {"live": {"health": rules}}}
        },
    }
    for name, content in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(json.dumps(content))


@pytest.fixture
def things(commodore: CommandLine) -> Callable[..., Ran]:
    def run(*words: str, **rules: object) -> Ran:
        _compiled(rules or RULES)
        return commodore("live", "health", "-", *words, stdin=json.dumps(THING))

    return run


def test_rules_of_hierarchy_judge_objects_of_files(things: Callable[..., Ran]) -> None:
    ran = things()

    assert (ran.code, ran.err) == (0, "")
    assert ran.out == f"Degraded     Thing one  no quota  {RULE}\n"


def test_lua_script_of_hierarchy_judges_health(commodore: CommandLine) -> None:
    _compiled({"example.com/Thing": {"lua": "return {status='Suspended', message=obj.kind}"}})

    ran = commodore("live", "health", "-", stdin=json.dumps(THING))

    assert ran.out == f"Suspended    Thing one  Thing  {RULE}\n"


def test_all_problems_of_rules_are_reported(commodore: CommandLine) -> None:
    _compiled({"example.com/Thing": {"healthy": ["Ready"], "grace": "soon"}})

    ran = commodore("live", "health", "-", stdin=json.dumps(THING))

    assert (ran.code, ran.out) == (1, "")
    path = "parameters.commodore.live.health.example.com/Thing"
    for part in (f"{path}.healthy[0]", f"{path}.grace", "global/live.yml:1"):
        assert part in ran.err


def test_unreadable_hierarchy_is_ignored_with_warning(commodore: CommandLine) -> None:
    _compiled(RULES)
    Path("inventory/classes/global/live.yml").write_text("parameters: [")

    ran = commodore("live", "health", "-", stdin=json.dumps(THING))

    assert (ran.code, ran.out) == (0, "Degraded     Thing one  no quota  (kstatus)\n")
    assert "its rules about health do not count" in ran.err


@pytest.mark.parametrize("classes", ["text", [1], [{"a": "b"}], None])
def test_invalid_target_is_ignored_with_warning(commodore: CommandLine, classes: object) -> None:
    _compiled(RULES)
    Path("inventory/targets/cluster.yml").write_text(json.dumps({"classes": classes}))

    ran = commodore("live", "health", "-", stdin=json.dumps(THING))

    assert (ran.code, ran.out) == (0, "Degraded     Thing one  no quota  (kstatus)\n")
    assert "a target must be a mapping with a list of names of classes" in ran.err


def _deployment(**status: Any) -> dict[str, Any]:  # noqa: ANN401
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {"replicas": 1},
        **({"status": status} if status else {}),
    }


FAILED = {"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded"}
READY = {"replicas": 1, "updatedReplicas": 1, "availableReplicas": 1}


@pytest.fixture
def server() -> Iterator[Cluster]:
    with kubernetes.serve() as cluster:
        cluster.put({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}})
        cluster.put(_deployment(conditions=[FAILED]))
        yield cluster


@pytest.fixture
def live(commodore: CommandLine, server: Cluster) -> Callable[..., Ran]:
    place = catalog_for(server, _deployment())

    def run(verb: str, *words: str) -> Ran:
        return commodore("live", verb, "c-demo-1", *place, *words)

    return run


def test_wait_tolerates_degraded_object_in_grace_period(
    live: Callable[..., Ran], server: Cluster
) -> None:
    _compiled({"apps/Deployment": {"grace": LASTING}})
    before = live("status").out
    looks = count()

    def ready_at_the_second_look(_: str, path: str) -> None:
        if "deployments" in path and next(looks) == 1:
            server.put(_deployment(**READY))

    server.before = ready_at_the_second_look
    waited = live("wait", "--timeout", "60")

    assert waited.code == 0, waited.err
    assert "Progressing" in before
    assert "Degraded, in grace for" in waited.err


@pytest.mark.parametrize(
    ("cluster", "grace"), [("c-demo-1", "1s"), ("c-demo-2", LASTING)], ids=["ended", "of another"]
)
def test_wait_without_grace_period_fails(
    live: Callable[..., Ran], cluster: str, grace: str
) -> None:
    _compiled({"apps/Deployment": {"grace": grace}}, cluster=cluster)

    ran = live("wait", "--timeout", "5")

    assert ran.code == 1
    assert "Deployment shop/web has failed" in ran.err


def test_grace_period_uses_clock_of_server(
    live: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    _compiled({"apps/Deployment": {"grace": "1h"}})
    then = BaseHTTPRequestHandler.date_time_string
    soon_after = 1_767_225_600 + 1800  # half an hour after 2026-01-01T00:00:00Z

    assert time.time() - soon_after > 3600
    assert "Degraded" in live("status").out
    monkeypatch.setattr(
        BaseHTTPRequestHandler, "date_time_string", lambda self, _=None: then(self, soon_after)
    )
    assert "in grace for 18" in live("status").out
