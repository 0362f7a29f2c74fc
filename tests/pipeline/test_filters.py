"""Filters in whole compiles: definitions that cannot be followed are told with file and line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import yaml

from commodore_py.errors import CommodoreError, SeveralErrors, notes_of
from commodore_py.pipeline import compile_catalog
from tests.support.builders import commit_to
from tests.support.fleet import CLUSTER, Fleet, configmap_component, make_fleet

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.model.published import Published

TENANT = """\
applications: [web, shop]
parameters:
  commodore:
    postprocess:
      filters:
        - type: builtin
          filter: helm_namespace
          path: ${_instance}
          filterargs: {namespace: everywhere}
"""
INVALID = """\
        - type: builtin
          filter: helm_namespace
          path: gone
          filterargs: {namespace: x}
"""
DISABLED = f"{INVALID}          enabled: false\n"


def a_cluster(root: Path, more: str, **files: str) -> Fleet:
    """Two instances, whose filters the hierarchy defines for both."""
    fleet = make_fleet(root, web=files, shop=files)
    commit_to(fleet.repository("tenant"), {"common.yml": TENANT + more})
    return fleet


def push(fleet: Fleet, *, strict: bool = False) -> Published:
    return compile_catalog(fleet.config(strict=strict), CLUSTER, approve=lambda _: True)


def test_invalid_definition_is_skipped_with_notices(
    tmp_path: Path,
) -> None:
    fleet = a_cluster(tmp_path, INVALID)

    notices = push(fleet).notices

    assert [notice.message for notice in notices] == [
        f"skipped filter helm_namespace of {name}: there is no folder gone"
        for name in ("shop", "web")
    ]
    place, parameter = notices[0].where.splitlines()
    assert place.endswith("t-acme/common.yml:10")
    assert parameter == "target shop, parameters.commodore.postprocess.filters[1]"
    files = fleet.catalog_files()
    for name in ("web", "shop"):
        found = yaml.safe_load(files[f"manifests/{name}/out.yaml"])
        assert found["metadata"]["namespace"] == "everywhere"


@pytest.mark.parametrize("definition", [INVALID, "        - helm_namespace\n"])
def test_invalid_definition_is_an_error_if_strict(tmp_path: Path, definition: str) -> None:
    fleet = a_cluster(tmp_path, definition)

    with pytest.raises(SeveralErrors) as caught:
        push(fleet, strict=True)

    assert len(caught.value.errors) == 2
    for error in caught.value.errors:
        assert "skipped filter" in str(error)
        assert "t-acme/common.yml:10\n" in error.where


def test_disabled_filter_is_not_error_if_strict(tmp_path: Path) -> None:
    notices = push(a_cluster(tmp_path, DISABLED), strict=True).notices

    assert [notice.strict for notice in notices] == [False, False]


def test_failing_filters_are_reported_together_with_their_definitions(tmp_path: Path) -> None:
    failing = {"filters": [{"type": "jsonnet", "filter": "fail.jsonnet", "path": "x"}]}
    broken = "{\n  x: error 'in ' + std.extVar('component'),\n}\n"
    fleet = make_fleet(tmp_path, web={"fail.jsonnet": broken}, shop={"fail.jsonnet": broken})
    for name in ("web", "shop"):
        own = yaml.safe_load(configmap_component(name)[f"class/{name}.yml"])
        own["parameters"]["commodore"] = {"postprocess": failing}
        commit_to(fleet.repository(f"component-{name}"), {f"class/{name}.yml": yaml.safe_dump(own)})

    with pytest.raises(CommodoreError) as caught:
        push(fleet)

    errors = caught.value.errors if isinstance(caught.value, SeveralErrors) else ()
    assert [str(error) for error in errors] == ["in shop", "in web"]
    for error, name in zip(errors, ("shop", "web"), strict=True):
        assert f"dependencies/{name}/fail.jsonnet:2:" in error.where
        (note,) = notes_of(error)
        assert note.startswith(f"while filtering {name} with fail.jsonnet, defined at ")
        assert f"class/{name}.yml:" in note
