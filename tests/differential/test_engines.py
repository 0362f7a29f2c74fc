"""Whole compiles by our engine and by Kapitan: the same trees, or both refuse."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from commodore_py import compiler
from commodore_py.dependencies.protection.run_lock import exclusive_run
from commodore_py.errors import CommodoreError
from commodore_py.pipeline import gather
from tests.support.builders import errors_in
from tests.support.fleet import CLUSTER, Fleet, make_fleet

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from commodore_py.config import Engine
    from commodore_py.model.tree import Tree

Scenario = tuple[list[dict[str, Any]], dict[str, str]]

_MAIN = ["${_base_directory}/component/main.jsonnet"]


def _entry(kind: str = "jsonnet", to: str = "out", **more: Any) -> dict[str, Any]:  # noqa: ANN401 - as people write them
    return {"input_type": kind, "input_paths": _MAIN, "output_path": to, **more}


def _jsonnet(text: str, **more: Any) -> Scenario:  # noqa: ANN401 - as people write them
    return [_entry(**more)], {"component/main.jsonnet": text}


_FILES = {
    "m/a.txt": "a",
    "m/.hidden": "h",
    "m/run.sh": "#!/bin/sh\n",
    "m/deep/b.yaml": "b:   1\n",
    "m/deep/c.yaml": "c: 1\n",
}
_CHECKOUT = "${_base_directory}"
_KUSTOMIZATION = {
    "base/kustomization.yaml": "resources: [a.yaml, b.yaml]\n",
    "base/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata: {x: 'y'}\n",
    "base/b.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: b\n",
}

SCENARIOS: dict[str, Scenario] = {
    "fields": _jsonnet("{ a: {b: 1}, 'c/d': [{e: 1}, {f: 2}], g:: 1, 'h.yaml': {}, i: null }"),
    "an array": _jsonnet("[{a: 1}, {b: 2}]"),
    "a number": _jsonnet("{ a: 5 }"),
    "a number as json": _jsonnet("{ a: 5 }", output_type="json"),
    "a text": _jsonnet("{ a: 'abc' }"),
    "a text alone": _jsonnet("'abc'"),
    "plain": _jsonnet("{ 'a.sh': 'x\\n', e: '' }", output_type="plain"),
    "plain, no text": _jsonnet("{ a: {} }", output_type="plain"),
    "auto": _jsonnet(
        "{ 'a.json': {}, 'b.yml': {a: 1}, 'c.toml': {a: 1}, d: [1] }", output_type="auto"
    ),
    "toml": _jsonnet("{ a: {c: [1, 2], n: null, u: 'ü', m: {x: 1}} }", output_type="toml"),
    "prune": _jsonnet("{ a: {n: null, e: {}, l: [], d: [null, {}]}, b: {} }", prune=True),
    "numbers": _jsonnet("{ a: [3.0, 1e20, -0.0, 1e100, 0.1, 1e-7, 5e-324, 123456789.123] }"),
    "an error": _jsonnet("{ a: error 'no' }"),
    "an error that is skipped": (
        [
            _entry(continue_on_compile_error=True),
            _entry(to="two", input_paths=["${_base_directory}/two.jsonnet"]),
        ],
        {"component/main.jsonnet": "error 'no'", "two.jsonnet": "{a: {}}"},
    ),
    "an import that is nowhere": _jsonnet("import 'nowhere.libsonnet'"),
    "an import with carriage returns": (
        [_entry()],
        {"component/main.jsonnet": "{ a: {t: importstr 't.txt'} }", "component/t.txt": "a\r\nb\rc"},
    ),
    "the file's name": _jsonnet("{ a: {f: std.length(std.split(std.thisFile, '/')) > 2} }"),
    "the last write wins": (
        [_entry(), _entry(input_paths=["${_base_directory}/two.jsonnet"])],
        {"component/main.jsonnet": "{ a: {v: 1}, b: {} }", "two.jsonnet": "{ a: {v: 2} }"},
    ),
    "a glob": (
        [_entry(input_paths=["${_base_directory}/parts/*.jsonnet"])],
        {"parts/one.jsonnet": "{ a: {v: 1} }", "parts/two.jsonnet": "{ b: {v: 2} }"},
    ),
    "an input that is nowhere": ([_entry(input_paths=["nowhere.jsonnet"])], {}),
    "an input that may be nowhere": (
        [_entry(input_paths=["nowhere.jsonnet"], ignore_missing=True), _entry(to="b")],
        {},
    ),
    "an input by the component's name": (
        [_entry(input_paths=["@NAME@/component/main.jsonnet"])],
        {},
    ),
    "output of earlier entries": (
        [_entry(to="one"), _entry(to="two", input_paths=["${_base_directory}/two.jsonnet"])],
        {
            "component/main.jsonnet": "{ a: {v: 1} }",
            "two.jsonnet": """
              local kap = import 'lib/kapitan.libjsonnet';
              { b: {
                text: importstr 'compiled/@NAME@/one/a.yaml',
                read: kap.yaml_load('compiled/@NAME@/one/a.yaml'),
                list: kap.dir_files_list('compiled/@NAME@/one'),
                there: kap.file_exists('compiled/@NAME@/one/a.yaml').exists,
                gone: kap.file_exists('compiled/@NAME@/one/b.yaml').exists,
                other: kap.file_exists('compiled/elsewhere').exists,
              } }""",
        },
    ),
    "the inventory": _jsonnet(
        """local kap = import 'lib/kapitan.libjsonnet';
        local com = import 'lib/commodore.libjsonnet';
        local inv = kap.inventory();
        { a: {
          kapitan: inv.parameters.kapitan { secrets: null, compile: std.length(super.compile) },
          first: inv.parameters.kapitan.compile[0] { input_paths: null },
          keys: std.objectFields(inv),
          names: std.objectFields(inv.parameters),
          same: kap.inventory() == com.inventory(),
          others: std.objectFields(kap.inventory_global()),
          other: kap.inventory('cluster').parameters._instance,
          native: std.native('inventory')('@NAME@', null) == inv,
        } }"""
    ),
    "copy a file": ([_entry("copy", input_paths=[f"{_CHECKOUT}/m/a.txt"])], _FILES),
    "copy a folder": ([_entry("copy", input_paths=[f"{_CHECKOUT}/m"])], _FILES),
    "copy a pattern": ([_entry("copy", input_paths=[f"{_CHECKOUT}/m/*"])], _FILES),
    "copy by the component's name": ([_entry("copy", input_paths=["@NAME@/m"])], _FILES),
    "copy into a new file's place": (
        [_entry("copy", to="x.yaml", input_paths=["@NAME@/m/a.txt"])],
        _FILES,
    ),
    "copy what is nowhere": ([_entry("copy", input_paths=["@NAME@/nowhere"])], _FILES),
    "copy output": (
        [_entry(to="one"), _entry("copy", to="two", input_paths=["compiled/@NAME@/one"])],
        {},
    ),
    "remove a file": (
        [
            _entry(),
            _entry("copy", input_paths=["@NAME@/m"]),
            _entry("remove", input_paths=["compiled/@NAME@/out/a.txt"]),
        ],
        _FILES,
    ),
    "remove a folder": (
        [
            _entry("copy", input_paths=["@NAME@/m"]),
            _entry("remove", input_paths=["compiled/@NAME@/out/deep"]),
        ],
        _FILES,
    ),
    "remove a pattern": (
        [
            _entry("copy", input_paths=["@NAME@/m"]),
            _entry("remove", input_paths=["compiled/@NAME@/out/deep/*.yaml"]),
        ],
        _FILES,
    ),
    "remove what is nowhere": ([_entry(), _entry("remove", input_paths=["compiled/@NAME@/x"])], {}),
    "prepared in the checkout": (
        [
            _entry(to=f"{_CHECKOUT}/made"),
            _entry("copy", input_paths=[f"{_CHECKOUT}/made"]),
            _entry("copy", to="all", input_paths=[f"{_CHECKOUT}/made/*.yaml"]),
            _entry("remove", input_paths=[f"{_CHECKOUT}/made"]),
        ],
        {"component/main.jsonnet": "{ a: {v: 1}, b: {v: 2} }"},
    ),
    "a program": (
        [
            _entry(),
            _entry(
                "external",
                to=".",
                input_paths=[f"{_CHECKOUT}/run.sh"],
                env_vars={"FROM": _CHECKOUT, "TO": r"\${compiled_target_dir}"},
                args=[r"\${compiled_target_dir}/made.txt", '"a b"', "$FROM_NOTHING"],
            ),
        ],
        {
            "run.sh": '#!/bin/sh\nset -e\necho "$2 $(cat "$TO"/out/*.yaml | wc -c)" > "$1"\n'
            'test -f "$FROM/run.sh"\nmkdir "$TO/more"; echo x > "$TO/more/x.yaml"\n'
        },
    ),
    "a program that fails": (
        [_entry(), _entry("external", input_paths=[f"{_CHECKOUT}/run.sh"])],
        {"run.sh": "#!/bin/sh\necho no >&2; exit 3\n"},
    ),
    "a program that reads what was prepared": (
        [
            _entry(to=f"{_CHECKOUT}/made"),
            _entry(
                "external",
                to=".",
                input_paths=[f"{_CHECKOUT}/run.sh"],
                args=[f"{_CHECKOUT}/made", r"\${compiled_target_dir}/out"],
            ),
            _entry("remove", input_paths=[f"{_CHECKOUT}/made"]),
        ],
        {"run.sh": '#!/bin/sh\ncp -r "$1" "$2"\n'},
    ),
    "what a program sees": (
        [
            _entry(
                "external",
                to="deep/er",
                input_paths=["@NAME@/*.sh"],
                env_vars={"MINE": "a b", "HOME": "/nowhere"},
                args=[r"\${compiled_target_dir}/seen.txt", "$MINE", "'$MINE'", "'*'"],
            )
        ],
        {
            "run.sh": '#!/bin/sh\nto=$1; shift\n{ env | cut -d= -f1 | sort; echo "$HOME"; pwd;\n'
            'for word in "$@"; do echo "<$word>"; done; } > "$to"\n'
        },
    ),
    "a program that works in the checkout": (
        [
            _entry("external", to=".", input_paths=[f"{_CHECKOUT}/run.sh"], args=[_CHECKOUT]),
            _entry("copy", input_paths=[f"{_CHECKOUT}/m"]),
            _entry("copy", to="new", input_paths=[f"{_CHECKOUT}/new"]),
            _entry("external", to="x", input_paths=[f"{_CHECKOUT}/again.sh"], args=[_CHECKOUT]),
            _entry("copy", to="last", input_paths=[f"{_CHECKOUT}/new"]),
        ],
        {
            **_FILES,
            "run.sh": '#!/bin/sh\ncd "$1"; echo changed > m/a.txt; rm m/deep/b.yaml\n'
            "mkdir -p new/x; echo new > new/x/y; chmod 755 m/deep/c.yaml\n",
            "again.sh": '#!/bin/sh\ncd "$1/new/x"; cat y y > z; rm y\n',
        },
    ),
    "folders without files in the checkout": (
        [
            _entry(to=f"{_CHECKOUT}/prepared/deep"),
            _entry("external", to=".", input_paths=["/bin/mkdir"], args=[f"{_CHECKOUT}/by-hand"]),
            _entry("external", to=".", input_paths=[f"{_CHECKOUT}/run.sh"], args=[_CHECKOUT]),
            _entry("copy", input_paths=[f"{_CHECKOUT}/prepared"]),
            _entry("copy", to="all", input_paths=[f"{_CHECKOUT}/by-*"]),
            _entry("remove", input_paths=[f"{_CHECKOUT}/{one}" for one in ("prepared", "by-hand")]),
            _entry("copy", to="gone", input_paths=[f"{_CHECKOUT}/by-*"], ignore_missing=True),
            _entry("external", to=".", input_paths=[f"{_CHECKOUT}/gone.sh"], args=[_CHECKOUT]),
        ],
        {
            "component/main.jsonnet": "{}",
            "run.sh": '#!/bin/sh\nset -e\ncd "$1"\nrmdir prepared/deep; mkdir prepared/other\n'
            "mkdir by-hand/a by-hand/b; echo b > by-hand/b/b; rm by-hand/b/b\n",
            "gone.sh": '#!/bin/sh\ntest ! -e "$1/prepared" -a ! -e "$1/by-hand"\n',
        },
    ),
    "a program whose output is in the checkout": (
        [
            _entry(
                "external",
                to=f"{_CHECKOUT}/made",
                input_paths=[f"{_CHECKOUT}/run.sh"],
                args=[r"\${compiled_target_dir}"],
            ),
            _entry("copy", input_paths=[f"{_CHECKOUT}/made"]),
            _entry("remove", input_paths=[f"{_CHECKOUT}/made"]),
        ],
        {"run.sh": '#!/bin/sh\necho x > "$1/x.yaml"; mkdir "$1/y"; echo y > "$1/y/y.txt"\n'},
    ),
    "kustomize by the wrapper": (
        [
            _entry(to=f"{_CHECKOUT}/k"),
            _entry(
                "external",
                to=".",
                input_paths=["${_kustomize_wrapper}"],
                env_vars={"INPUT_DIR": f"{_CHECKOUT}/k"},
                args=[r"\${compiled_target_dir}/k", "--load-restrictor", "LoadRestrictionsNone"],
            ),
            _entry("remove", input_paths=[f"{_CHECKOUT}/k"]),
        ],
        {
            "component/main.jsonnet": "{ kustomization: {resources: ['../base'], namePrefix: 'x'}}",
            **_KUSTOMIZATION,
        },
    ),
    "kustomize": (
        [
            _entry(
                "kustomize",
                input_paths=["@NAME@/base"],
                namespace="ns",
                patches={
                    "p": {
                        "patch": {
                            "apiVersion": "v1",
                            "kind": "ConfigMap",
                            "metadata": {"name": "a"},
                            "data": {"more": "x: y"},
                        },
                        "target": {"kind": "ConfigMap"},
                    }
                },
            )
        ],
        _KUSTOMIZATION,
    ),
    "cue": (
        [_entry("cuelang", input_paths=["@NAME@/c"], input={"n": 5}, output_yield_path="out")],
        {"c/a.cue": 'package a\nn: int\nout: {n: n + 1, t: "x"}\n'.replace("{n: n", "{m: n")},
    ),
    "jinja2 with suffixes": (
        [
            _entry(
                "jinja2",
                to="t",
                input_paths=["@NAME@/t"],
                suffix_remove=True,
                suffix_stripped=".tpl",
            )
        ],
        {
            "t/a.txt.tpl": "{{ 'a' | sha256 }} {{ {'b': [1]} | yaml }} {{ 'x' | b64encode }}\n",
            "t/deep/c.conf": "{% for n in [1] %}\n  {{ n }}\n{% endfor %}\n{% do [].append(1) %}",
            "t/.hidden": "h",
        },
    ),
    "jinja2": (
        [_entry("jinja2", input_paths=["@NAME@/t"], input_params={"who": "world"})],
        {
            "t/a.txt": "hello {{ input_params.who }} {{ inventory.parameters._instance }}\n\n",
            "t/b.sh": "{{ inventory_global | length }} {{ target }}",
        },
    ),
    "kadet": (
        [_entry("kadet", input_paths=["@NAME@/k"])],
        {
            "k/__init__.py": "def main(input_params):\n"
            "    return {'a': {'b': [1, None, 'x']}, 'c': {'d': input_params.get('z', 1)}}\n"
        },
    ),
}


FAILING = {
    "a number",
    "plain, no text",
    "an error",
    "an import that is nowhere",
    "an input that is nowhere",
    "copy what is nowhere",
    "remove what is nowhere",
    "a program that fails",
}


NEEDED = {"kustomize by the wrapper": "kustomize", "kustomize": "kustomize", "cue": "cue"}
MISSING = {one: tool for one, tool in NEEDED.items() if shutil.which(tool) is None}


def _name_of(scenario: str) -> str:
    return "s-" + re.sub("[^a-z0-9]+", "-", scenario)


def _component(scenario: str) -> dict[str, str]:
    entries, files = SCENARIOS[scenario]
    class_file = yaml.safe_dump({"parameters": {"kapitan": {"compile": entries}}})
    name = _name_of(scenario)
    every = {f"class/{name}.yml": class_file, **files}
    return {path: text.replace("@NAME@", name) for path, text in every.items()}


def fleet_of(root: Path, scenarios: Iterable[str]) -> Fleet:
    return make_fleet(
        root, **{_name_of(one).replace("-", "_"): _component(one) for one in scenarios}
    )


def _compile(fleet: Fleet, engine: Engine) -> Mapping[str, Tree]:
    config = fleet.config(engine=engine, processes=1)
    with exclusive_run(config.paths):
        return compiler.compile_targets(config, gather(config, CLUSTER), ())


def _compiled(root: Path, scenarios: Iterable[str], engine: Engine) -> dict[str, Tree]:
    made = _compile(fleet_of(root, scenarios), engine)
    return {one: made[_name_of(one)] for one in scenarios}


def _failed(root: Path, scenarios: Iterable[str], engine: Engine) -> set[str]:
    fleet = fleet_of(root, scenarios)
    with pytest.raises(CommodoreError) as caught:
        _compile(fleet, engine)
    failures = [error.where.splitlines()[-1] for error in errors_in(caught.value)]
    return {one for one in scenarios if any(f"target {_name_of(one)}" in text for text in failures)}


def test_both_engines_make_the_same_trees(tmp_path: Path) -> None:
    """Of everything that compiles, at once: Kapitan takes long to start."""
    place = tmp_path / "same"  # the same paths for both: some get into the output
    names = [name for name in SCENARIOS if name not in {*FAILING, *MISSING}]
    ours = _compiled(place, names, "native")
    shutil.rmtree(place)
    theirs = _compiled(place, names, "reference")
    assert ours == theirs
    assert {name: tree.empty_folders for name, tree in ours.items()} == {
        name: tree.empty_folders for name, tree in theirs.items()
    }


@pytest.mark.parametrize("name", MISSING)
def test_a_program_is_there_to_compare(name: str) -> None:
    pytest.skip(f"no {MISSING[name]} in PATH: install it to compare {name}")


def test_what_one_engine_refuses_the_other_refuses(tmp_path: Path) -> None:
    names = sorted(FAILING)
    assert _failed(tmp_path / "ours", names, "native") == FAILING
    assert _failed(tmp_path / "theirs", names, "reference") == FAILING
