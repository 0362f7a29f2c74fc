"""A session over HTTP as Halyard's users know it: list, add, edit, complete, disable, push."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.support.builders import git

if TYPE_CHECKING:
    from .conftest import Playground
    from .daemon import Daemon

ONE = "/v1/clusters/c-demo-1"


def test_session_from_list_to_push(daemon: Daemon, playground: Playground) -> None:
    listed = daemon.get("/v1/clusters")["clusters"]
    assert [one["id"] for one in listed] == ["c-demo-1", "c-demo-2"]

    added = daemon.call("POST", f"{ONE}/lists/monitoring.channels", {"value": "pager"})
    assert (added.status_code, added.json()["written"]) == (200, True)

    again = _refused(daemon, playground, "POST", "lists/monitoring.channels", {"value": "pager"})
    assert again == (409, ["edit/key-taken"])

    wrong = "values/web_shop.replicas?level=tenant"
    mistake = _refused(daemon, playground, "PUT", wrong, {"value": "monthly"})
    assert mistake == (422, ["edit/no-effect"])

    options = daemon.get(f"{ONE}/options/components.backup.version")["options"]
    assert [one["value"] for one in options] == ["v1.0.0", "master"]

    disabled = daemon.call("PUT", f"{ONE}/instances/dashboards/enabled", body=False)
    assert disabled.status_code == 200, disabled.text
    assert "dashboards" not in _enabled(daemon)
    removed = daemon.call("DELETE", f"{ONE}/lists/monitoring.channels/pager")
    assert removed.status_code == 200, removed.text
    missing = _refused(daemon, playground, "DELETE", "lists/monitoring.channels/pager")
    assert missing == (404, ["edit/no-such-item"])

    compiled = daemon.done(daemon.call("POST", f"{ONE}/compile"))
    assert compiled["result"]["outcome"] == "changed"
    changes = daemon.call("GET", f"{ONE}/changes")
    seen = {"If-Match": changes.headers["etag"]}
    pushed = daemon.done(daemon.call("POST", f"{ONE}/push", headers=seen))
    assert pushed["result"]["outcome"] == "pushed"

    tenant = playground.folder / "repos" / "t-demo.git"
    authors = git(tenant, "log", "--format=%an %s", "-3").splitlines()
    assert {line.partition(" ")[0] for line in authors} == {"ada"}
    assert daemon.get(f"{ONE}/changes")["changed"] is False


def test_items_of_a_list_are_added_replaced_and_removed_by_name(
    daemon: Daemon, playground: Playground
) -> None:
    path = "monitoring.receivers"
    first = [{"name": "night", "url": "https://night.example.com"}]
    assert daemon.call("PUT", f"{ONE}/values/{path}", {"value": first}).status_code == 200
    day = {"name": "day", "url": "https://day.example.com"}

    assert daemon.call("POST", f"{ONE}/lists/{path}", {"value": day}).status_code == 200
    taken = _refused(
        daemon, playground, "POST", f"lists/{path}", {"value": {**day, "url": "https://x"}}
    )
    moved = {**day, "url": "https://moved.example.com"}
    replaced = daemon.call("PUT", f"{ONE}/lists/{path}/day", {"value": moved})
    removed = daemon.call("DELETE", f"{ONE}/lists/{path}/night")

    assert taken == (409, ["edit/key-taken"])
    assert (replaced.status_code, removed.status_code) == (200, 200), replaced.text
    assert daemon.get(f"{ONE}/values/{path}")["value"] == [moved]


def test_dry_run_answers_with_effect_and_writes_nothing(
    daemon: Daemon, playground: Playground
) -> None:
    before = playground.classes()

    answer = daemon.call("PUT", f"{ONE}/values/web_shop.replicas?dry_run=true", {"value": 7})

    content = answer.json()
    assert (answer.status_code, content["written"], content["commit"]) == (200, False, None)
    assert content["catalog"]["objects"][0]["fields"][0]["new"] == 7
    assert playground.classes() == before


def test_edit_based_on_older_commits_is_a_conflict(daemon: Daemon, playground: Playground) -> None:
    read = daemon.call("GET", f"{ONE}/values/web_shop.replicas")
    etag = {"If-Match": read.headers["etag"]}
    first = daemon.call("PUT", f"{ONE}/values/web_shop.replicas", {"value": 8}, headers=etag)
    assert first.status_code == 200

    second = _refused(
        daemon, playground, "PUT", "values/web_shop.replicas", {"value": 9}, headers=etag
    )

    assert second == (409, ["edit/moved"])
    assert first.headers["etag"] != read.headers["etag"]


def test_edit_of_a_version_that_was_overtaken_elsewhere_is_a_conflict(daemon: Daemon) -> None:
    two = "/v1/clusters/c-demo-2"
    etag = {"If-Match": daemon.call("GET", f"{two}/values/web_shop.title").headers["etag"]}
    path, body = "values/web_shop.title?level=tenant", {"value": "Bakery"}
    assert daemon.call("PUT", f"{ONE}/{path}", body).status_code == 200

    late = daemon.call("PUT", f"{two}/{path}", body, headers=etag)

    assert (late.status_code, late.json()["reasons"][0]["code"]) == (409, "edit/moved")


def test_value_is_explained_with_file_and_line(daemon: Daemon, playground: Playground) -> None:
    explained = daemon.get(f"{ONE}/values/web_shop.replicas")

    last = explained["steps"][-1]
    text = playground.classes()["t-demo/c-demo-1.yml"].decode()
    line = 1 + next(n for n, one in enumerate(text.splitlines()) if "replicas:" in one)
    assert (last["file"], last["line"]) == ("inventory/classes/t-demo/c-demo-1.yml", line)


def test_plan_and_live_of_a_cluster_without_them_are_refused(daemon: Daemon) -> None:
    plan = daemon.call("GET", f"{ONE}/plan")
    live = daemon.call("GET", f"{ONE}/live/tree")

    assert (plan.status_code, live.status_code) == (422, 422)
    assert daemon.get("/v1/clusters/c-demo-2/plan")["order"]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v1/clusters/c-demo-9"),
        ("GET", "/v1/clusters/c-demo-9/values/web_shop"),
        ("GET", f"{ONE}/values/web_shop.nothing"),
        ("GET", f"{ONE}/values/web_shop?target=nothing"),
        ("GET", f"{ONE}/values/monitoring.receivers[name=nothing]"),
        ("PUT", "/v1/clusters/c-demo-9/values/web_shop.title"),
        ("PUT", f"{ONE}/values/web_shop.title?target=nothing"),
        ("PUT", f"{ONE}/values/components.nothing.version"),
        ("PUT", f"{ONE}/lists/monitoring.channels/nothing"),
        ("DELETE", f"{ONE}/lists/monitoring.channels/nothing"),
        ("DELETE", f"{ONE}/lists/nothing.of.this/nothing"),
        ("PUT", f"{ONE}/instances/nothing/enabled"),
        ("POST", "/v1/clusters/c-demo-9/push"),
        ("GET", f"{ONE}/live/nothing"),
        ("GET", "/v1/jobs/nothing"),
        ("GET", "/v1/jobs/nothing/events"),
        ("GET", "/clusters/c-demo-9/plan"),
        ("GET", "/clusters/c-demo-1/nothing"),
    ],
)
def test_unknown_name_is_not_found(
    daemon: Daemon, playground: Playground, method: str, path: str
) -> None:
    before = playground.classes()
    body: Any = True if path.endswith("/enabled") else {"value": "x"}

    answer = daemon.call(method, path, body if method == "PUT" else None)

    assert answer.status_code == 404, answer.text
    assert playground.classes() == before


def test_item_without_fields_is_not_replaced(daemon: Daemon, playground: Playground) -> None:
    assert (
        daemon.call("POST", f"{ONE}/lists/monitoring.channels", {"value": "a"}).status_code == 200
    )

    answer = _refused(daemon, playground, "PUT", "lists/monitoring.channels/a", {"value": "b"})

    assert answer == (422, ["run/refused"])


def test_page_takes_nothing_from_the_body_of_a_read(daemon: Daemon) -> None:
    assert daemon.call("GET", "/clusters/c-demo-1", {"a": 1}).status_code == 200


def test_description_of_the_api_names_every_path(daemon: Daemon) -> None:
    paths = daemon.get("/v1/openapi.json")["paths"]

    assert "/v1/clusters/{cluster_id}/instances/{name}/enabled" in paths
    assert all(path.startswith("/v1/") for path in paths)


def _refused(
    daemon: Daemon,
    playground: Playground,
    method: str,
    path: str,
    body: object = None,
    **more: Any,  # noqa: ANN401 - of requests
) -> tuple[int, list[str]]:
    """The status and the codes of a refusal that leaves every file as it was."""
    before = playground.classes()
    answer = daemon.call(method, f"{ONE}/{path}", body, **more)
    assert playground.classes() == before
    assert all("message" in one and "where" in one for one in answer.json()["reasons"])
    return answer.status_code, [one["code"] for one in answer.json()["reasons"]]


def _enabled(daemon: Daemon) -> set[str]:
    return {one["name"] for one in daemon.get(ONE)["instances"] if one["enabled"]}
