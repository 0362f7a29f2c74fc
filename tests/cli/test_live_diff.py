"""`commodore live diff`: which differences between a catalog and its cluster are shown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.live_catalog import catalog_for
from tests.support.servers import kubernetes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.support.command_line import CommandLine, Ran
    from tests.support.servers.kubernetes import Cluster

RECORD = "kubectl.kubernetes.io/last-applied-configuration"


@pytest.fixture
def server() -> Iterator[Cluster]:
    with kubernetes.serve() as cluster:
        cluster.put({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}})
        yield cluster


@pytest.fixture
def diff(commodore: CommandLine, server: Cluster) -> Callable[..., Ran]:
    def run(live: dict[str, Any], desired: dict[str, Any], *words: str) -> Ran:
        server.put(live)
        place = catalog_for(server, desired)
        return commodore("live", "diff", "c-demo-1", *place, *words)

    return run


def _deployment(replicas: int, image: str = "web:1", **metadata: Any) -> dict[str, Any]:  # noqa: ANN401 - fields
    containers = [{"name": "web", "image": image}]
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "shop", **metadata},
        "spec": {"replicas": replicas, "template": {"spec": {"containers": containers}}},
    }


def _secret(**data: str) -> dict[str, Any]:
    metadata = {"name": "one", "namespace": "shop"}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "data": data}


def test_live_diff_lists_changes_and_steps(diff: Callable[..., Ran]) -> None:
    ran = diff(_deployment(2), _deployment(3), "--exit-code")

    assert ran.code == 5
    assert ran.out.splitlines() == [
        " > Changes:",
        "     none      changed Deployment shop/web",
        "                 spec.replicas: 2 -> 3",
        "     objects: 1 changed (1 none)",
        "shop: Sync, wave 0",
        "  change  Deployment shop/web",
        "1 change",
    ]
    assert "1 objects were compared two-way: fields that are gone are not seen" in ran.err


def test_live_diff_without_changes_exits_with_zero(diff: Callable[..., Ran]) -> None:
    ran = diff(_deployment(2), _deployment(2), "--exit-code")

    assert (ran.code, ran.out) == (0, " > No changes.\n1 keep\n")


def test_live_diff_json_names_mode_of_objects(diff: Callable[..., Ran]) -> None:
    applied = _deployment(2)
    applied["spec"]["paused"] = True
    live = _deployment(2, annotations={RECORD: json.dumps(applied)})
    live["spec"]["paused"] = True

    ran = diff(live, _deployment(2), "-o", "json")

    found = json.loads(ran.out)
    assert [(one["mode"], one["schema"]) for one in found["compared"]] == [("three-way", True)]
    (change,) = found["objects"]
    assert [(one["path"], one["change"]) for one in change["fields"]] == [
        ("spec.paused", "removed")
    ]
    (step,) = found["plan"]["steps"]
    assert [one["what"] for one in step["actions"]] == ["change"]


def test_control_characters_are_escaped(diff: Callable[..., Ran]) -> None:
    live, desired = (
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "a", "namespace": "shop"},
            "data": {"c\x1b[1m": value},
        }
        for value in ("x", "y\a")
    )

    ran = diff(live, desired)

    assert "\x1b" not in ran.out + ran.err
    assert "\a" not in ran.out + ran.err
    assert "ConfigMap shop/a" in ran.out


@pytest.mark.parametrize("words", [(), ("-o", "json"), ("-v",)])
def test_values_of_secrets_are_not_shown(diff: Callable[..., Ran], words: tuple[str, ...]) -> None:
    values = ("c2VjcmV0LW9uZQ==", "c2VjcmV0LXR3by1sb25nZXI=")
    live, desired = (_secret(a=value, b="c2FtZQ==") for value in values)

    ran = diff(live, desired, *words)

    shown = ran.out + ran.err
    assert not any(value in shown or value[:8] in shown for value in values)
    assert "++++++++" in shown


@pytest.mark.parametrize(
    "desired",
    [
        _secret(a="c2VjcmV0LXR3bw=="),
        {**_secret(), "kind": "ConfigMap", "data": {"a": "?{vaultkv:t/c/a/b}"}},
        {**_secret(), "kind": "ConfigMap", "data": {"a": "P3t2YXVsdGt2OnQvYy9hL2J9"}},
        {**_secret(), "kind": "ConfigMap", "data": {"a": "?{unfinished"}},
        {**_secret(), "kind": "ConfigMap", "data": {"?{vaultkv:t/c/a/b}": "a"}},
    ],
    ids=["secret", "reference", "in base64", "half of one", "key"],
)
def test_secrets_and_references_are_in_no_dry_run(
    diff: Callable[..., Ran], server: Cluster, desired: dict[str, Any]
) -> None:
    live = {**desired, "data": {"a": "b25l"}}

    ran = diff(live, desired, "--server-side")

    assert ran.code == 0, ran.err
    assert not any(method == "PATCH" for method, _ in server.requests)


def test_uncompared_secret_references_are_counted(diff: Callable[..., Ran]) -> None:
    desired = {**_secret(), "stringData": {"a": "?{vaultkv:a/b}", "b": "same"}}

    ran = diff(_secret(a="eA==", b="c2FtZQ=="), desired)

    assert ran.out.startswith(" > No changes.\n")
    assert "not shown: 1 (secret references, compared with nothing)" in ran.err


def _ignore(**rule: list[str]) -> None:
    """Settings of Argo CD in the catalog."""
    key = "resource.customizations.ignoreDifferences.apps_Deployment"
    content = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "argocd-cm", "namespace": "argocd"},
        "data": {key: json.dumps(rule)},
    }
    file = Path("catalog/manifests/argocd/cm.yaml")
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(content))


def test_ignore_differences(diff: Callable[..., Ran]) -> None:
    _ignore(jsonPointers=["/spec/replicas"])

    ran = diff(_deployment(2), _deployment(3))

    assert ran.out.startswith(" > No changes.\n")
    assert "not shown: 1 (ignoreDifferences)" in ran.err


def test_jq_path_expressions_warn_and_hide_nothing(diff: Callable[..., Ran]) -> None:
    _ignore(jqPathExpressions=[".spec.replicas"])

    ran = diff(_deployment(2), _deployment(3))

    assert ran.code == 0, ran.err
    assert "replicas: 2 -> 3" in ran.out
    assert "ignoreDifferences of apps/Deployment: jqPathExpressions are not evaluated" in ran.err


def test_fields_of_other_managers(diff: Callable[..., Ran]) -> None:
    _ignore(managedFieldsManagers=["hpa"])
    fields: dict[str, object] = {"f:spec": {"f:replicas": {}, "f:paused": {}}}
    managed = [{"manager": "hpa", "fieldsType": "FieldsV1", "fieldsV1": fields}]
    live = _deployment(2, managedFields=managed)

    ran = diff(live, _deployment(3))
    other = diff(live, _deployment(3, "web:2"))

    assert ran.out.startswith(" > No changes.\n")
    assert "not shown: 1 (ignoreDifferences)" in ran.err
    assert "web:1 -> web:2" in other.out
    assert "replicas" not in other.out
