"""`commodore live diff`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.support.command_line import CommandLine, Ran

DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, NAMESPACE}
spec:
  replicas: REPLICAS
  template: {spec: {containers: [{name: web, image: "web:1"}]}}
"""
SECRET = "apiVersion: v1\nkind: Secret\nmetadata: {name: one}\ndata: {a: VALUE, b: c2FtZQ==}\n"


def _deployment(replicas: int, namespace: str = "namespace: shop") -> str:
    text = DEPLOYMENT.replace("NAMESPACE", namespace)
    return text.replace("REPLICAS", str(replicas))


def _diff(commodore: CommandLine, live: str, desired: str, *words: str) -> Ran:
    Path("live.yaml").write_text(live)
    Path("desired.yaml").write_text(desired)
    files = ("--live", "live.yaml", "--desired", "desired.yaml")
    return commodore("live", "diff", *files, *words)


def test_what_differs_and_how_it_was_compared(commodore: CommandLine) -> None:
    ran = _diff(commodore, _deployment(2), _deployment(3, ""), "--exit-code")

    assert ran.code == 5
    assert ran.out.splitlines() == [
        " > Changes:",
        "     none      changed Deployment shop/web",
        "                 spec.replicas: 2 -> 3",
        "     objects: 1 changed (1 none)",
    ]
    assert "1 objects were compared two-way: fields that are gone are not seen" in ran.err


def test_no_difference(commodore: CommandLine) -> None:
    ran = _diff(commodore, _deployment(2), _deployment(2), "--exit-code")

    assert (ran.code, ran.out) == (0, " > No changes.\n")


def test_json_names_the_mode_of_each_object(commodore: CommandLine) -> None:
    Path("applied.yaml").write_text(_deployment(2).replace("replicas", "paused: true\n  replicas"))
    live = _deployment(2).replace("replicas", "paused: true\n  replicas")

    ran = _diff(commodore, live, _deployment(2), "--last-applied", "applied.yaml", "-o", "json")

    found = json.loads(ran.out)
    assert [(one["mode"], one["schema"]) for one in found["compared"]] == [("three-way", True)]
    (change,) = found["objects"]
    assert [(one["path"], one["change"]) for one in change["fields"]] == [
        ("spec.paused", "removed")
    ]


def test_objects_without_a_schema_are_named(commodore: CommandLine) -> None:
    thing = "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: one}\nspec: {l: [1, LAST]}\n"

    ran = _diff(commodore, thing.replace("LAST", "2"), thing.replace("LAST", "3"), "-o", "json")

    found = json.loads(ran.out)
    assert [one["schema"] for one in found["compared"]] == [False]
    assert [one["path"] for one in found["objects"][0]["fields"]] == ["spec.l[1]"]


def test_control_characters_are_escaped(commodore: CommandLine) -> None:
    thing = (
        'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: "a\\e[2Jb"}\ndata: {"c\\e[1m": VALUE}\n'
    )

    ran = _diff(commodore, thing.replace("VALUE", "x"), thing.replace("VALUE", '"y\\a"'))

    assert "\x1b" not in ran.out + ran.err
    assert "\a" not in ran.out + ran.err
    assert "ConfigMap a" in ran.out


def test_created_and_deleted_objects(commodore: CommandLine) -> None:
    other = "apiVersion: v1\nkind: Service\nmetadata: {name: other}\nspec: {}\n"

    ran = _diff(commodore, other, _deployment(2))

    assert "outage    deleted Service other" in ran.out
    assert "none      created Deployment shop/web" in ran.out


def test_values_of_secrets_are_not_shown(commodore: CommandLine) -> None:
    values = ("c2VjcmV0LW9uZQ==", "c2VjcmV0LXR3by1sb25nZXI=")
    live, desired = (SECRET.replace("VALUE", value) for value in values)

    for words in ((), ("-o", "json"), ("-o", "yaml"), ("-v",)):
        ran = _diff(commodore, live, desired, *words)

        shown = ran.out + ran.err
        assert not any(value in shown or value[:8] in shown for value in values)
        assert "++++++++" in shown
    only_one_side = _diff(commodore, live, _deployment(1))
    assert values[0] not in only_one_side.out + only_one_side.err


def test_references_are_counted(commodore: CommandLine) -> None:
    desired = SECRET.replace("\ndata:", "\nstringData:").replace("VALUE", "'?{vaultkv:a/b}'")
    desired = desired.replace("c2FtZQ==", "same")

    ran = _diff(commodore, SECRET.replace("VALUE", "eA=="), desired)

    assert ran.out == " > No changes.\n"
    assert "not shown: 1 (secret references, compared with nothing)" in ran.err


def _settings(text: str) -> None:
    key = "resource.customizations.ignoreDifferences.apps_Deployment"
    Path("cm.yaml").write_text(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: argocd-cm}\n"
        f"data:\n  {key}: '{text}'\n"
    )


def test_ignore_differences(commodore: CommandLine) -> None:
    _settings("jsonPointers: [/spec/replicas]")

    ran = _diff(commodore, _deployment(2), _deployment(3), "--settings", "cm.yaml")

    assert ran.out == " > No changes.\n"
    assert "not shown: 1 (ignoreDifferences)" in ran.err


JQ = "jqPathExpressions: [%s]"


@pytest.mark.parametrize(
    ("expression", "shown", "said"),
    [
        (".spec.replicas", False, "not shown: 1 (ignoreDifferences)"),
        ('.spec.template.spec.containers[] | select(.name == "web") | .image', True, ""),
        (".spec.nothing[]", True, ""),
        (".spec[", True, "is not used: jq: error: syntax error"),
        (".a), (.b", True, "is not used: it has 2 results"),
        ("last(repeat(.))", True, "is not used: it took more than 1 s of CPU time"),
        (
            "if (env | length) == 0 then .spec.replicas else empty end",
            False,
            "not shown: 1 (ignoreDifferences)",
        ),
        ('("x" * 1000000000)', True, "is not used: its process ended"),
    ],
)
def test_expressions_in_jq(commodore: CommandLine, expression: str, shown: bool, said: str) -> None:
    _settings(JQ % json.dumps(expression))

    ran = _diff(commodore, _deployment(2), _deployment(3), "--settings", "cm.yaml")

    assert ran.code == 0, ran.err
    assert ("replicas: 2 -> 3" in ran.out) == shown
    assert said in ran.err
    assert said or "ignoreDifferences" not in ran.err


def test_an_expression_that_does_not_fit_is_named_in_the_log(commodore: CommandLine) -> None:
    _settings(JQ % '".kind[]"')
    files = ("--live", "live.yaml", "--desired", "desired.yaml", "--settings", "cm.yaml")
    Path("live.yaml").write_text(_deployment(2))
    Path("desired.yaml").write_text(_deployment(2))

    ran = commodore("-vvv", "live", "diff", *files)

    assert ".kind[] does not fit" in ran.err


def test_fields_of_other_managers(commodore: CommandLine) -> None:
    _settings("managedFieldsManagers: [hpa]")
    fields: dict[str, object] = {"f:spec": {"f:replicas": {}, "f:paused": {}}}
    managed = json.dumps([{"manager": "hpa", "fieldsType": "FieldsV1", "fieldsV1": fields}])
    live = _deployment(2, f"namespace: shop, managedFields: {managed}")

    ran = _diff(commodore, live, _deployment(3), "--settings", "cm.yaml")
    other = _diff(
        commodore, live, _deployment(3).replace("web:1", "web:2"), "--settings", "cm.yaml"
    )

    assert ran.out == " > No changes.\n"
    assert "not shown: 1 (ignoreDifferences)" in ran.err
    assert "web:1 -> web:2" in other.out
    assert "replicas" not in other.out


def test_usage(commodore: CommandLine) -> None:
    assert commodore("live", "diff", "--live", "a.yaml").code == 2
    assert commodore("live", "diff", "--live", "a", "--desired", "b", "--mode", "x").code == 2
