"""Compile and dependency entries: accepted, refused and completed as Kapitan's own model does."""

from __future__ import annotations

import os
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kapitan.inventory.inventory import InventoryTarget
from pydantic import ValidationError

from commodore_py.compiler.entries import entries_of
from commodore_py.compiler.fields import DEPENDENCY_TYPES
from commodore_py.compiler.inputs import INPUT_TYPES
from commodore_py.compiler.views import view_of
from commodore_py.model.inventory import Node

_VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.sampled_from([0, 1, 2, 1.0, 0.5]),
    st.sampled_from(
        ["", "x", "yes", "No", "on", "F", "2", "json", "plain", "auto", "a/b", "oci://a/b"]
    ),
    st.lists(st.sampled_from(["a", "b/c.jsonnet", 1, None]), max_size=2),
    st.dictionaries(st.sampled_from(["a", "b", 1]), st.sampled_from(["x", 1, None]), max_size=2),
)
_GOOD = {
    "input_paths": ["component/main.jsonnet"],
    "output_path": "out",
    "source": "example.com/x",
    "chart_name": "x",
}


@st.composite
def _an_entry(draw: st.DrawFn, key: str, kinds: Any) -> dict[str, Any]:  # noqa: ANN401 - a table
    kind = draw(st.sampled_from([*kinds, "unknown"]))
    known = kinds.get(kind, {"name": None})
    entry: dict[str, Any] = {name: value for name, value in _GOOD.items() if name in known}
    entry[key] = kind
    for name in draw(st.lists(st.sampled_from([*known, "no_such_key"]), max_size=3)):
        if name != key:
            entry[name] = draw(_VALUES)
    if draw(st.booleans()):
        entry.pop(draw(st.sampled_from(sorted(entry))))
    return entry


def _node(**kapitan: Any) -> Node:  # noqa: ANN401 - parameters
    return Node("t", {"kapitan": {"vars": {"target": "t"}, **kapitan}, "other": {"a": [1, None]}})


def _kapitans(node: Node) -> dict[str, Any] | None:
    """Kapitan's view of the target, None if it refuses it."""
    target = InventoryTarget(name=node.name, path="t.yml")
    try:
        target.parameters = node.parameters
    except ValidationError:
        return None
    # Kapitan fills this in when it loads targets for a compile.
    target.parameters.kapitan.target_full_path = node.name
    view: dict[str, Any] = target.model_dump(by_alias=True)
    return view


def _without_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("VAULT_")]:
        monkeypatch.delenv(name)


@given(
    st.lists(
        _an_entry("input_type", {name: kind.FIELDS for name, kind in INPUT_TYPES.items()}),
        max_size=2,
    ),
    st.one_of(st.none(), st.lists(_an_entry("type", DEPENDENCY_TYPES), max_size=2)),
)
def test_entries_are_read_like_kapitan(
    compiled: list[dict[str, Any]], dependencies: list[dict[str, Any]] | None
) -> None:
    node = _node(compile=compiled, dependencies=dependencies)
    theirs = _kapitans(node)
    problems = entries_of(node).problems
    assert bool(problems) == (theirs is None), problems
    if theirs is not None:
        assert dict(view_of(node)) == theirs


@pytest.mark.parametrize(
    "secrets",
    [
        None,
        {},
        {"vaultkv": {"VAULT_ADDR": "https://vault", "VAULT_SKIP_VERIFY": "false", "auth": "token"}},
        {"vaultkv": {"addr": "https://vault", "skip_verify": True, "mount": "x", "engine": "kv"}},
        {"vaultkv": {"VAULT_CAPATH": "/etc/ssl", "VAULT_NAMESPACE": "n", "always_latest": "yes"}},
        {"vaulttransit": {"VAULT_ADDR": "https://vault", "key": "k"}, "gpg": {"recipients": []}},
        {"gkms": {"key": "k"}, "awskms": {"key": "k"}, "azkms": None},
    ],
)
def test_secrets_look_as_in_kapitan(
    secrets: dict[str, Any] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    _without_environment(monkeypatch)
    node = _node(secrets=secrets)
    assert dict(view_of(node)) == _kapitans(node)


def test_target_without_kapitan_key_matches_kapitan() -> None:
    node = Node("t", {"a": 1}, ("app",), (("class",),))
    theirs = _kapitans(node)
    assert theirs is not None
    theirs |= {"applications": ["app"], "classes": ["class"]}
    theirs["parameters"]["kapitan"]["target_full_path"] = "t"
    assert dict(view_of(node)) == theirs
