"""Checks of a catalog: what they reuse, what they fetch, and the origins that they name."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Any

import pytest

from commodore_py.checks import run
from commodore_py.checks.base import Version
from commodore_py.checks.origins import Origins, inputs_of
from commodore_py.checks.run import version_of
from commodore_py.checks.schemas.kubernetes import schemas_of
from commodore_py.checks.schemas.removed_apis import REMOVED
from tests.support.tables import each

from .build import a_definition, a_deployment, an_object, checked, found, problems

if TYPE_CHECKING:
    from pathlib import Path


ENTRIES: dict[str, Any] = {
    "kapitan": {
        "compile": [
            {"input_paths": ["c/main.jsonnet"], "output_path": "web"},
            {"input_paths": ["c/charts"], "output_path": "web/charts"},
            {"input_paths": ["c/all.jsonnet"], "output_path": "."},
            {"input_paths": [], "output_path": None},
            "odd",
        ]
    },
    "web": {"replicas": "three", "list": [{"image": "a:latest"}], "twice": "same-value"},
    "other": {"twice": "same-value"},
}


ORIGINS = Origins(lambda _: ENTRIES, lambda _, path: f"common.yml:{len(path)}")
"""One instance with known parameters."""


@each(
    ("file", "inputs"),
    [
        ("web/a.yaml", ("c/main.jsonnet",)),
        ("web/charts/x/a.yaml", ("c/charts",)),
        ("b.yaml", ("c/all.jsonnet",)),
    ],
)
def test_file_is_rendered_by_the_entry_nearest_to_it(file: str, inputs: tuple[str, ...]) -> None:
    assert inputs_of(ENTRIES, file) == inputs


def test_problem_includes_line_of_parameter() -> None:
    pod = a_deployment(containers=[{"name": "a", "image": "a:latest"}])

    (problem,) = problems(pod, only="images", origins=ORIGINS)

    assert [(one.note, one.position, one.field) for one in problem.related] == [
        ("rendered by", "c/all.jsonnet", ""),
        ("set by", "common.yml:4", "parameters.web.list.[0].image"),
    ]


def test_ambiguous_value_has_no_line() -> None:
    config = an_object("ConfigMap", metadata={"namespace": "same-value"})

    (problem,) = problems(config, only="namespaces", origins=ORIGINS)

    assert [one.note for one in problem.related] == ["rendered by"]


OBJECTS = (
    a_deployment(serviceAccountName="robot"),
    an_object("Secret", stringData={"a": "b"}),
    an_object("ConfigMap", metadata={"namespace": "shared"}),
)


@pytest.mark.parametrize(
    ("objects", "settings"),
    [
        (OBJECTS, {}),
        (OBJECTS[1:], {}),
        ((*OBJECTS, an_object("ConfigMap")), {}),
        (OBJECTS, {"only": "secrets"}),
        (OBJECTS, {"skip": ("secrets",)}),
        (OBJECTS, {"version": None}),
        (OBJECTS, {"only": "namespaces", "known_namespaces": ("shared",)}),
    ],
)
def test_cached_results_equal_new_ones(
    objects: tuple[object, ...], settings: dict[str, Any], tmp_path: Path
) -> None:
    for only in ("", "images", "namespaces"):
        checked(*OBJECTS, only=only, cache=tmp_path)

    assert checked(*objects, cache=tmp_path, **settings) == checked(*objects, **settings)


def test_unchanged_catalog_is_not_examined_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = checked(*OBJECTS, cache=tmp_path)

    def fail(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(run, "examine", fail)
    assert checked(*OBJECTS, cache=tmp_path) == before


def test_objects_of_a_changed_definition_are_checked_again(tmp_path: Path) -> None:
    widget = an_object("Widget", api_version="example.com/v1", spec="x")
    schema = {"properties": {"spec": {"type": "string"}}}

    assert found(a_definition(schema), widget, only="custom-resources", cache=tmp_path) == []
    schema["properties"]["spec"]["type"] = "integer"
    assert found(a_definition(schema), widget, only="custom-resources", cache=tmp_path) == [
        ("wrong-type", "spec")
    ]


def test_skipped_check_does_not_run() -> None:
    runs = checked(a_deployment(), skip=("images",)).runs

    assert "images" not in {one.name for one in runs}
    assert {one.outcome for one in runs} == {"passed"}


def test_items_of_lists_are_objects() -> None:
    items = [an_object("ConfigMap", name) for name in "ab"]

    assert checked({"apiVersion": "v1", "kind": "List", "items": items}).objects == 2


@each(
    ("text", "version"),
    [
        ("v1.27.3", (1, 27)),
        ("1.30", (1, 30)),
        ({"major": "1", "minor": "27+"}, (1, 27)),
        ("", None),
        (None, None),
        ("new", None),
    ],
)
def test_version_is_read_as_clusters_report_it(
    text: object, version: tuple[int, int] | None
) -> None:
    assert version_of(text) == (Version(*version) if version else None)


def test_definition_fetches_nothing() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.1)
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/schema.json"
        spec = {"type": "object", "$ref": url, "id": url, "allOf": [{"$ref": url}]}
        schema = {"$schema": url, "properties": {"spec": spec}}
        widget = an_object("Widget", api_version="example.com/v1", spec={"size": 2})

        codes = found(a_definition(schema), widget, only="custom-resources")

        with pytest.raises(TimeoutError):
            listener.accept()
    assert codes == [("unknown-field", "spec.size")]


@pytest.mark.long
def test_removed_apis_match_schemas() -> None:
    for api_version, kinds in REMOVED.items():
        for kind, (minor, instead) in kinds.items():
            if minor > 25:
                assert schemas_of(Version(1, minor - 1)).knows(api_version, kind)
                assert not schemas_of(Version(1, minor)).knows(api_version, kind)
            if instead:
                assert schemas_of(Version(1, 37)).knows(instead, kind), (instead, kind)
