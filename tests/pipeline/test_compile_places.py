"""Where components read and write while they are compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml

from commodore_py.pipeline import compile_catalog
from tests.support.fleet import CLUSTER, Fleet, make_fleet

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

MADE = "${_base_directory}/made"


def _fleet(root: Path, entries: list[dict[str, Any]], **files: str) -> Fleet:
    class_file = yaml.safe_dump({"parameters": {"kapitan": {"compile": entries}}})
    return make_fleet(root, web={"class/web.yml": class_file, **files})


def _compile(fleet: Fleet) -> None:
    compile_catalog(fleet.config(push=True), CLUSTER, lambda _: True)


def _entry(kind: str, source: str, to: str) -> dict[str, Any]:
    return {"input_type": kind, "input_paths": [source], "output_path": to}


def test_output_in_the_checkout_is_seen_by_later_entries_and_never_on_disk(tmp_path: Path) -> None:
    fleet = _fleet(
        tmp_path,
        [
            _entry("jsonnet", "${_base_directory}/component/main.jsonnet", MADE),
            _entry("copy", MADE, "out"),
        ],
    )

    _compile(fleet)

    assert list(fleet.catalog_files()) == ["manifests/out/out.yaml"]
    assert not (fleet.work / "dependencies/web/made").exists()


def test_program_finds_output_of_earlier_entry_on_disk(tmp_path: Path) -> None:
    fleet = _fleet(
        tmp_path,
        [
            _entry("jsonnet", "${_base_directory}/component/main.jsonnet", MADE),
            {
                **_entry("external", "${_base_directory}/run.sh", "."),
                "args": [MADE, r"\${compiled_target_dir}/out"],
            },
        ],
        **{"run.sh": '#!/bin/sh\nset -e\ncp -r "$1" "$2"\necho x > "$1/more"\n'},
    )

    _compile(fleet)

    assert list(fleet.catalog_files()) == ["manifests/out/out.yaml"]
    assert not (fleet.work / "dependencies/web/made/out.yaml").exists()


def test_input_is_taken_from_first_search_path(tmp_path: Path) -> None:
    fleet = _fleet(tmp_path, [_entry("jsonnet", "main.jsonnet", "out")])
    fleet.work.mkdir()
    (fleet.work / "main.jsonnet").write_text("{ a: { from: 'the working directory' } }")
    vendored = "vendor/main.jsonnet"
    (fleet.work / "vendor").mkdir()
    (fleet.work / vendored).write_text("{ a: { from: 'vendor' } }")

    _compile(fleet)

    assert fleet.catalog_files()["manifests/out/a.yaml"] == "from: vendor"


def test_settings_of_the_shell_do_not_reach_component_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VAULT_ADDR", "https://of-the-shell.example.com")
    main = """
      local kap = import 'lib/kapitan.libjsonnet';
      { a: { addr: kap.inventory().parameters.kapitan.secrets.vaultkv.addr } }
    """
    entry = _entry("jsonnet", "${_base_directory}/component/main.jsonnet", "out")
    fleet = _fleet(tmp_path, [entry], **{"component/main.jsonnet": main})
    fleet.configure(
        {
            "applications": ["web"],
            "parameters": {"kapitan": {"secrets": {"vaultkv": {"auth": "token"}}}},
        }
    )

    _compile(fleet)

    assert fleet.catalog_files()["manifests/out/a.yaml"] == "addr: null"
