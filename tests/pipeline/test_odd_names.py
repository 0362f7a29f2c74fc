"""Names that no file system takes, or no reader expects: errors where they enter, with places."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from commodore_py.config import WorkPaths
from commodore_py.errors import CommodoreError
from commodore_py.pipeline import compile_catalog
from tests.support.builders import errors_in
from tests.support.fleet import CLUSTER, Fleet, component_entries, make_fleet

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.sample(4)

NULL, CONTROL, LONG = "holds a null character", "holds a control character", "is longer than"
NAMES = [
    ("a\0b", NULL),
    ("a\nb", CONTROL),
    ("a\x1b[2Jb", CONTROL),
    ("a\x7fb", CONTROL),
    ("::error file=x::\rb", CONTROL),
    ("n" * 256, LONG),
    ("ü" * 200, LONG),
]
PATHS = [*NAMES, ("/".join(["d" * 200] * 25), LONG)]


def _refused(fleet: Fleet) -> str:
    with pytest.raises(CommodoreError) as caught:
        compile_catalog(fleet.config(push=True), CLUSTER, lambda _: True)
    errors = errors_in(caught.value)
    assert all(str(one).isprintable() for one in errors)
    return "\n".join(f"{one}\n{one.where}" for one in errors)


def _class(**kapitan: Any) -> str:  # noqa: ANN401 - as people write them
    return yaml.safe_dump({"parameters": {"kapitan": kapitan}})


def _entry(**fields: Any) -> dict[str, Any]:  # noqa: ANN401 - as above
    entry = {
        "input_type": "jsonnet",
        "input_paths": ["${_base_directory}/component/main.jsonnet"],
        "output_path": "out",
    }
    return {**entry, **fields}


@pytest.mark.parametrize(("name", "why"), PATHS)
def test_invalid_output_key_is_refused(tmp_path: Path, name: str, why: str) -> None:
    main = f"{{ [std.parseJson({json.dumps(json.dumps(name))})]: {{}} }}"
    fleet = make_fleet(tmp_path, web={"component/main.jsonnet": main})

    text = _refused(fleet)

    # Jsonnet ends texts at a null character, so that this one has another error.
    assert why in text or "\0" in name
    assert "dependencies/web/" in text


@pytest.mark.parametrize(("name", "_"), PATHS)
def test_invalid_output_path_is_refused(tmp_path: Path, name: str, _: str) -> None:
    fleet = make_fleet(tmp_path, web={"class/web.yml": _class(compile=[_entry(output_path=name)])})

    text = _refused(fleet)

    assert "output_path of input type jsonnet must be a path without control characters" in text
    assert "target web, parameters.kapitan.compile[0].output_path" in text


@pytest.mark.parametrize(("name", "_"), PATHS)
def test_download_to_odd_path_is_refused(tmp_path: Path, name: str, _: str) -> None:
    download = {"type": "https", "source": "https://localhost/x", "output_path": name}
    fleet = make_fleet(
        tmp_path, web={"class/web.yml": _class(compile=[_entry()], dependencies=[download])}
    )

    text = _refused(fleet)

    assert "output_path of dependency type https must be a path without control char" in text
    assert "kapitan.dependencies[0].output_path" in text


@pytest.mark.parametrize("field", ["source", "ref", "subdir"])
@pytest.mark.parametrize("value", ["a\0b", "a\nb", "a\x1bb"])
def test_invalid_field_of_git_download_is_refused(tmp_path: Path, field: str, value: str) -> None:
    download = {"type": "git", "source": "https://localhost/x", "output_path": "x", field: value}
    fleet = make_fleet(
        tmp_path, web={"class/web.yml": _class(compile=[_entry()], dependencies=[download])}
    )

    text = _refused(fleet)

    assert f"{field} of dependency type git must be a string without control characters" in text


@pytest.mark.parametrize(("name", "why"), NAMES)
def test_invalid_file_name_written_by_program_is_refused(
    tmp_path: Path, name: str, why: str
) -> None:
    if why != CONTROL:
        pytest.skip("no program can write it")
    program = _entry(input_type="external", input_paths=["${_base_directory}/run.sh"])
    program["args"] = [r"\${compiled_target_dir}"]
    octal = "".join(f"\\{ord(one):03o}" for one in name)
    script = f"#!/bin/sh\nprintf x > \"$1/$(printf '{octal}')\"\n"
    fleet = make_fleet(tmp_path, web={"class/web.yml": _class(compile=[program]), "run.sh": script})

    assert why in _refused(fleet)


@pytest.mark.parametrize(("name", "why"), NAMES)
@pytest.mark.parametrize("application", ["{}", "web as {}", "pkg.{}"])
def test_invalid_application_name_is_refused(
    tmp_path: Path, application: str, name: str, why: str
) -> None:
    fleet = make_fleet(tmp_path, web={})
    fleet.configure({"applications": [application.format(name)]})

    text = _refused(fleet)

    assert "cannot be the name of a " in text
    assert why in text


@pytest.mark.parametrize(("alias", "why"), NAMES)
def test_invalid_library_alias_is_refused(tmp_path: Path, alias: str, why: str) -> None:
    metadata = {"_metadata": {"library_aliases": {alias: "web.libsonnet"}}}
    fleet = make_fleet(
        tmp_path,
        web={
            "lib/web.libsonnet": "{}",
            "class/defaults.yml": yaml.safe_dump({"parameters": {"web": metadata}}),
        },
    )

    text = _refused(fleet)

    assert f"is not a valid file name: it {why}" in text
    assert "parameters.web._metadata.library_aliases" in text


def _set(fleet: Fleet, **fields: str) -> None:
    web = component_entries(fleet, ["web"])["web"]
    parameters = {"components": {"web": {**web, **fields}}}
    classes = ["${cluster:tenant}.common"]
    fleet.configure({"classes": classes, "parameters": parameters}, repository="global")


@pytest.mark.parametrize("field", ["url", "version", "path"])
@pytest.mark.parametrize("value", ["a\0b", "a\nb", "a\x1b[0mb"])
def test_invalid_field_of_component_is_refused(tmp_path: Path, field: str, value: str) -> None:
    fleet = make_fleet(tmp_path, web={})
    _set(fleet, **{field: value})

    text = _refused(fleet)

    assert "character" in text
    assert f"parameters.components.web.{field}" in text


@pytest.mark.parametrize(
    "url", ["x" * 300, f"https://localhost/{'x' * 300}", f"file:///{'é' * 200}"]
)
def test_overlong_component_url_is_refused(tmp_path: Path, url: str) -> None:
    fleet = make_fleet(tmp_path, web={})
    _set(fleet, url=url)

    assert LONG in _refused(fleet)


@pytest.mark.parametrize("field", ["globalGitRepoRevision", "globalGitRepoURL"])
@pytest.mark.parametrize("value", ["a\0b", "a\nb"])
def test_invalid_repository_field_of_tenant_is_refused(
    tmp_path: Path, field: str, value: str
) -> None:
    fleet = make_fleet(tmp_path, web={})
    file = tmp_path / "facts/tenants/t-acme.yaml"
    file.write_text(yaml.safe_dump({**yaml.safe_load(file.read_text()), field: value}))

    assert "character" in _refused(fleet)


def test_unicode_names_are_accepted(tmp_path: Path) -> None:
    name = "ä日本 \u200d'x"
    main = f"{{ [std.parseJson({json.dumps(json.dumps(name))})]: {{}} }}"
    fleet = make_fleet(tmp_path, web={"component/main.jsonnet": main})

    published = compile_catalog(fleet.config(push=True), CLUSTER, lambda _: True)

    assert f"manifests/web/{name}.yaml" in {file.path for file in published.change.files}


def test_long_output_path_in_long_working_directory_is_written(tmp_path: Path) -> None:
    main = f"{{ ['{'/'.join(['d' * 100] * 36)}']: {{}} }}"
    fleet = make_fleet(tmp_path, web={"component/main.jsonnet": main})
    deep = tmp_path / "/".join(["w" * 200] * 6)
    deep.mkdir(parents=True)

    published = compile_catalog(fleet.config(paths=WorkPaths(deep)), CLUSTER, lambda _: True)

    assert len(published.change.files) == 1
