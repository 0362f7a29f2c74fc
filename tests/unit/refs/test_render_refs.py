"""Reference files: where references are looked for, what the files hold, what goes wrong."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import pytest

from commodore_py import refs
from commodore_py.adapters import yaml
from commodore_py.errors import CommodoreError, SeveralErrors
from commodore_py.model.inventory import Instance, Inventory
from commodore_py.model.secrets import SecretRef
from commodore_py.model.spot import nowhere
from commodore_py.refs.backends import REF_BACKENDS
from tests.support.builders import make_node

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from commodore_py.model.secrets import ReferenceFile
    from commodore_py.model.spot import PlaceOf

VAULT = {"VAULT_ADDR": "https://vault.example.com", "mount": "clusters/kv", "n": None}
SETTINGS = {"kapitan": {"secrets": {"vaultkv": VAULT}}}


def an_inventory(
    bootstrap: Mapping[str, Any], *instances: Instance, **targets: Mapping[str, Any]
) -> Inventory:
    nodes = {name: make_node(name, parameters=params) for name, params in targets.items()}
    cluster = make_node("cluster", parameters=bootstrap)
    return Inventory({"cluster": cluster, **nodes}, tuple(instances))


def render_refs(inventory: Inventory, place_of: PlaceOf = nowhere) -> tuple[ReferenceFile, ...]:
    return refs.render_refs(inventory, refs.find_marked(inventory), place_of)


def paths_of(inventory: Inventory) -> list[str]:
    return [file.path for file in render_refs(inventory)]


def failure_of(value: object) -> CommodoreError:
    with pytest.raises(CommodoreError) as caught:
        render_refs(an_inventory({**SETTINGS, "some": {"where": value}}), place_of)
    return caught.value


def place_of(target: str, path: tuple[Hashable, ...]) -> str:
    return f"{target}.yml:{len(path)}"


def test_file_holds_what_kapitan_reads() -> None:
    inventory = an_inventory({**SETTINGS, "pw": "?{vaultkv:t-x/c-a/foo/password}"})

    (file,) = render_refs(inventory)

    assert file.path == "t-x/c-a/foo/password"
    assert file.content.decode() == (
        "data: dC14L2MtYS9mb286cGFzc3dvcmQ=\n"
        "encoding: original\n"
        "type: vaultkv\n"
        "vault_params:\n"
        "  VAULT_ADDR: https://vault.example.com\n"
        "  mount: clusters/kv\n"
        "  n: null\n"
    )


@pytest.mark.parametrize(
    ("text", "path", "secret"),
    [
        ("?{vaultkv:a/key:deadbeef}", "a/key", "a:key"),
        ("?{vaultkv:a/key@x.y}", "a/key@x.y", "a:key@x.y"),
        ("?{vaultkv:a/key||random:str}", "a/key||random", "a:key||random"),
        ("?{vaultkv:a/b/}", "a/b", "a/b:"),
        ("?{vaultkv: a/b }", " a/b ", " a:b "),
        ("?{vaultkv:a//b}", "a/b", "a/:b"),
        pytest.param("?{vaultkv:a/b\nc}", "a/b\nc", "a:b\nc"),
        ("?{vaultkv:ä/ö}", "ä/ö", "ä:ö"),
    ],
)
def test_odd_references_are_taken_as_they_are(text: str, path: str, secret: str) -> None:
    (file,) = render_refs(an_inventory({**SETTINGS, "pw": text}))

    assert file.path == path
    assert base64.b64decode(yaml.load(file.content, name="")["data"]).decode() == secret


def test_several_references_in_one_text_are_all_found() -> None:
    text = "user ?{vaultkv:a/user}\nand ?{vaultkv:a/pw}, not ?{} or {vaultkv:a/no}"

    assert paths_of(an_inventory({**SETTINGS, "x": [{"y": text}]})) == ["a/pw", "a/user"]


def test_each_instance_is_searched_for_its_component() -> None:
    inventory = an_inventory(
        SETTINGS,
        Instance("one", "web-shop"),
        Instance("two", "web-shop"),
        one={"web_shop": {"pw": "?{vaultkv:one/pw}"}, "other": "?{vaultkv:not/seen}"},
        two={"web_shop": {"pw": "?{vaultkv:two/pw}"}},
    )

    assert paths_of(inventory) == ["one/pw", "two/pw"]


def test_component_parameters_of_the_bootstrap_target_do_not_count() -> None:
    inventory = an_inventory(
        {**SETTINGS, "app": "?{vaultkv:over/ridden}", "app_two": "?{vaultkv:un/merged}"},
        Instance("app-two", "app"),
        **{"app-two": {"app": {}}},
    )

    assert paths_of(inventory) == ["un/merged"]


def test_one_reference_in_many_places_is_one_file_in_any_order() -> None:
    places = {"a": "?{vaultkv:x/y}", "b": ["?{vaultkv:x/y:12345678}"], "c": "?{vaultkv:b/c}"}
    backwards = dict(reversed(places.items()))

    files = render_refs(an_inventory({**SETTINGS, **places}))

    assert [file.path for file in files] == ["b/c", "x/y"]
    assert files == render_refs(an_inventory({**SETTINGS, **backwards}))


def test_other_leaves_than_text_hold_no_reference() -> None:
    assert paths_of(an_inventory({"a": 1, "b": None, "c": True, "d": 0.5, "e": []})) == []


def test_settings_are_needed_only_with_references() -> None:
    assert render_refs(an_inventory({"a": "no reference"})) == ()

    with pytest.raises(CommodoreError, match=r"parameters\.kapitan\.secrets\.vaultkv") as caught:
        render_refs(an_inventory({"a": "?{vaultkv:x/y}"}))

    assert "the first is ?{vaultkv:x/y}" in str(caught.value)
    assert caught.value.where == "target cluster, parameters.a"
    assert caught.value.hint


def test_settings_are_copied_as_they_are() -> None:
    (file,) = render_refs(
        an_inventory({"kapitan": {"secrets": {"vaultkv": None}}, "a": "?{vaultkv:x/y}"})
    )

    assert yaml.load(file.content, name="")["vault_params"] is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("?{vaultkv:key}", "which key"),
        pytest.param("?{vaultkv}", "has no path"),
        pytest.param("?{plain:a/b}", "not supported"),
        pytest.param("?{gkms:a/b}", "not supported"),
        pytest.param("?{vaultkv:/etc/x}", "outside of refs/"),
        pytest.param("?{vaultkv://x}", "outside of refs/"),
        pytest.param("?{vaultkv:../x}", "outside of refs/"),
        pytest.param("?{vaultkv:a/../../x}", "outside of refs/"),
        ("?{vaultkv:./}", "names no file"),
        ("?{vaultkv:a/\0}", "names no file"),
    ],
)
def test_bad_reference_is_reported_with_location_and_hint(text: str, message: str) -> None:
    error = failure_of([{"pw": f"before {text} after"}])

    assert message in str(error)
    assert error.where == "cluster.yml:4\ntarget cluster, parameters.some.where[0].pw"
    assert "?{vaultkv:" in error.hint or "relative" in error.hint


@pytest.mark.parametrize(
    "texts",
    [
        ["?{vaultkv:a/b}", "?{vaultkv:a/b/c}"],
        ["?{vaultkv:a/b/c/d}", "?{vaultkv:a/b}"],
        ["?{vaultkv:a/b/}", "?{vaultkv:a/b}"],
        ["?{vaultkv:a//b}", "?{vaultkv:a/b}"],
    ],
)
def test_references_in_each_others_way_are_both_named(texts: list[str]) -> None:
    error = failure_of(texts)

    assert all(text in str(error) for text in texts)
    assert sorted(error.where.splitlines()) == [
        "cluster.yml:3",
        "cluster.yml:3",
        "target cluster, parameters.some.where[0]",
        "target cluster, parameters.some.where[1]",
    ]


def test_missing_component_parameters_name_component_target_and_key() -> None:
    inventory = an_inventory({}, Instance("shop-two", "web-shop"), **{"shop-two": {}})

    with pytest.raises(CommodoreError, match=r"component web-shop .* target shop-two") as caught:
        render_refs(inventory)

    assert "parameters.web_shop in the component's class/defaults.yml" in caught.value.hint


def test_all_problems_come_at_once() -> None:
    inventory = an_inventory(
        {"a": ["?{vaultkv:key}", "?{plain:a/b}", "?{vaultkv:../x}"], "b": "?{vaultkv:key}"},
        Instance("app", "app"),
        app={},
    )

    with pytest.raises(SeveralErrors) as caught:
        render_refs(inventory)

    messages = [str(error) for error in caught.value.errors]
    assert len(messages) == 5
    assert "target cluster, parameters.a[0] (and 1 more)" in {e.where for e in caught.value.errors}


@pytest.mark.parametrize("name", sorted(REF_BACKENDS))
def test_every_backend_renders_a_reference_of_its_type(name: str) -> None:
    content = REF_BACKENDS[name].render(SecretRef(name, "a/b", ()), {})

    assert yaml.load(content, name="")["type"] == name
