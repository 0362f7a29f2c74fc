"""Components that do not compile: what is told, where, and that nothing is published."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import yaml

from commodore_py.errors import CommodoreError
from commodore_py.pipeline import compile_catalog
from tests.support.builders import errors_in, git_succeeds
from tests.support.fleet import CLUSTER, Fleet, make_fleet

if TYPE_CHECKING:
    from pathlib import Path

ENTRY = {
    "input_type": "jsonnet",
    "input_paths": ["${_base_directory}/component/main.jsonnet"],
    "output_path": "out",
}
PLACE = ["dependencies/web/class/web.yml:4", "target web, parameters.kapitan.compile[0]"]


def _refused(fleet: Fleet) -> tuple[CommodoreError, ...]:
    with pytest.raises(CommodoreError) as caught:
        compile_catalog(fleet.config(push=True), CLUSTER, lambda _: True)
    assert not git_succeeds(fleet.catalog, "rev-parse", "--verify", "HEAD")
    return errors_in(caught.value)


def _fleet(root: Path, *entries: dict[str, Any], main: str = "{ out: {} }") -> Fleet:
    class_file = yaml.safe_dump({"parameters": {"kapitan": {"compile": list(entries)}}})
    return make_fleet(root, web={"class/web.yml": class_file, "component/main.jsonnet": main})


def test_wrong_keys_types_and_gaps_are_reported_with_their_lines(tmp_path: Path) -> None:
    gap = {"input_type": "jsonnet", "output_path": "out"}
    fleet = _fleet(tmp_path, {**ENTRY, "output_pth": "x"}, {**ENTRY, "prune": []}, gap)

    errors = {str(error): error for error in _refused(fleet)}

    assert list(errors) == [
        "web: input type jsonnet has no key output_pth",
        "web: prune of input type jsonnet must be true or false, or null, not []",
        "web: input type jsonnet needs input_paths",
    ]
    places = [error.where.splitlines() for error in errors.values()]
    assert all(place.startswith("dependencies/web/class/web.yml:") for place, _ in places)
    assert places[0][1] == "target web, parameters.kapitan.compile[0].output_pth"


def test_missing_input_reports_searched_folders(tmp_path: Path) -> None:
    fleet = _fleet(tmp_path, {**ENTRY, "input_paths": ["web/gone.jsonnet"]})

    (error,) = _refused(fleet)

    assert str(error) == "input web/gone.jsonnet does not exist"
    assert error.where.splitlines() == PLACE
    assert f"{fleet.work}/vendor/web/gone.jsonnet, {fleet.work}/web/gone.jsonnet" in error.hint


def test_failing_code_is_reported_with_its_frames(tmp_path: Path) -> None:
    main = "local f(x) = error 'no ' + x;\n{ out: { a: f('way') } }\n"

    (error,) = _refused(_fleet(tmp_path, ENTRY, main=main))

    source = tmp_path / "work/dependencies/web/component/main.jsonnet"
    assert str(error) == "no way"
    assert error.where.splitlines() == [
        f"{source}:1:14-29",
        f"{source}:2:13-21",
        *PLACE,
    ]


@pytest.mark.parametrize(
    ("value", "kind"),
    [("5", "a number"), ("{}", "an object"), ("[]", "an array"), ("null", "null")],
)
def test_plain_output_must_be_text(tmp_path: Path, value: str, kind: str) -> None:
    main = f"{{ 'a.sh': {value} }}"

    (error,) = _refused(_fleet(tmp_path, {**ENTRY, "output_type": "plain"}, main=main))

    assert str(error) == f"output_type plain needs a string, not {kind}"
    assert error.where.splitlines() == [
        "a.sh",
        str(tmp_path / "work/dependencies/web/component/main.jsonnet"),
        *PLACE,
    ]


@pytest.mark.parametrize("entries", [[], [{**ENTRY, "output_path": "${_base_directory}/made"}]])
def test_component_without_output_is_refused(tmp_path: Path, entries: list[dict[str, Any]]) -> None:
    (error,) = _refused(_fleet(tmp_path, *entries))

    assert str(error) == "web: compiling it gives no file"
    assert "inventory/classes/components/web.yml" in error.where


def test_output_without_any_file_is_no_mistake(tmp_path: Path) -> None:
    fleet = _fleet(tmp_path, ENTRY, main="{}")

    compile_catalog(fleet.config(push=True), CLUSTER, lambda _: True)

    assert (fleet.work / "compiled/web/out").is_dir()


@pytest.mark.parametrize("key", ["../../x", "/elsewhere/x", "a/../../../x"])
def test_output_key_outside_of_target_is_refused(tmp_path: Path, key: str) -> None:
    (error,) = _refused(_fleet(tmp_path, ENTRY, main=f"{{ '{key}': {{ a: 1 }} }}"))

    assert "outside of compiled/web" in str(error)


def test_output_path_as_file_and_folder_is_refused(tmp_path: Path) -> None:
    main = "{ a: { b: 1 }, 'a.yaml/c': { d: 1 } }"

    (error,) = _refused(_fleet(tmp_path, ENTRY, main=main))

    assert str(error) == "out/a.yaml is a file and a folder at the same time"


def test_instance_with_dot_in_name_is_in_catalog(tmp_path: Path) -> None:
    multi = "parameters:\n  web:\n    =_metadata: {multi_instance: true}\n    data: {}\n"
    fleet = make_fleet(tmp_path, web={"class/defaults.yml": multi})
    fleet.configure({"applications": ["web as web.two"]})

    compile_catalog(fleet.config(push=True), CLUSTER, lambda _: True)

    assert list(fleet.catalog_files()) == ["manifests/web.two/out.yaml"]


def test_failing_program_reports_output_and_command_line(tmp_path: Path) -> None:
    program: dict[str, Any] = {
        "input_type": "external",
        "input_paths": ["web/run.sh"],
        "output_path": "out",
        "env_vars": {"WHO": "me"},
        "args": ["'a  b'"],
    }
    script = '#!/bin/sh\necho "$WHO: no $1" >&2; exit 3\n'

    class_file = yaml.safe_dump({"parameters": {"kapitan": {"compile": [program]}}})
    fleet = make_fleet(tmp_path, web={"class/web.yml": class_file, "run.sh": script})
    (error,) = _refused(fleet)

    line = f"WHO=*** {tmp_path}/work/vendor/web/run.sh 'a  b'"
    assert line in str(error) or line.replace("/vendor/web", "/dependencies/web") in str(error)
    assert "ended with status 3, it failed: me: no a  b" in str(error)
    assert error.where.splitlines() == PLACE
