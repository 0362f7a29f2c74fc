"""Components and packages, compiled by us and by Commodore: same files, same codes."""

from __future__ import annotations

import os
import re
import shutil
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from tests.support.authoring import files_below, make_component_clone, make_package_clone
from tests.support.builders import component_files, make_repository, url_of
from tests.support.commodore import clean_environment, find_commodore, outcome_of, write_jb

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

pytestmark = pytest.mark.e2e

_LAST_WORDS = 600
# Paths of an installation and of scratch folders, not of a configuration.
_OF_THE_TOOL = re.compile(rb"^( *_(?:python3|kustomize_wrapper): ).*$", re.MULTILINE)
_SCRATCH = re.compile(rb"/[^ \n]*/(?:component|package)-[a-z0-9_]{8}/")

SEEN = """\
local kap = import 'lib/kapitan.libjsonnet';
local com = import 'lib/commodore.libjsonnet';
local argocd = import 'lib/argocd.libjsonnet';
local inv = kap.inventory();
{
  seen: inv,
  targets: std.objectFields(kap.inventory_global()),
  secrets: {
    whole: '?{vaultkv:t/c/one}', within: 'a?{vaultkv:t/c/two}b?{vaultkv:x/y}', none: '?{vaultkv:}',
    made: '?{vaultkv:t/c/three||random:str}', '?{vaultkv:key}': 1,
  },
  'apps/one': argocd.App('one', 'ns', project='p', secrets=false, base='b'),
  'apps/more': argocd.App('one', 'ns') { spec+: { a: 1 } },
  project: argocd.Project('p'),
  several: [{ b: 1, a: null }, {}, { kind: 'A' }],
  empty: {},
}
"""

ENTRIES = """\
parameters:
  kapitan:
    compile:
      - {input_type: jsonnet, input_paths: ['${_base_directory}/component/main.jsonnet'],
         output_path: out}
      - {input_type: jsonnet, input_paths: [one/component/more.jsonnet], output_path: more,
         output_type: auto, prune: true}
      - {input_type: copy, input_paths: ['${_base_directory}/files'], output_path: copied}
      - {input_type: jsonnet, input_paths: ['${_base_directory}/component/more.jsonnet'],
         output_path: '${_base_directory}/written', output_type: json}
      - {input_type: copy, input_paths: ['${_base_directory}/written'], output_path: again}
      - {input_type: remove, input_paths: ['${_base_directory}/written'], output_path: .}
      - {input_type: jinja2, input_paths: ['${_base_directory}/templates'], output_path: made}
  commodore:
    postprocess:
      filters:
        - {type: jsonnet, path: out, filter: postprocess/f.jsonnet, filterargs: {x: given}}
        - {type: builtin, path: more, filter: helm_namespace, filterargs: {namespace: ns}}
        - {type: jsonnet, path: out, filter: missing.jsonnet}
"""

FILES = {
    "class/one.yml": ENTRIES,
    "class/defaults.yml": """\
parameters:
  one:
    =_metadata:
      multi_instance: true
      library_aliases: {other.libsonnet: one.libsonnet}
    list: [a, b]
    reference: ${cluster:name}-${facts:region}
""",
    "component/more.jsonnet": "local lib = import 'lib/other.libsonnet';"
    " { 'a.json': lib, 'b.yml': { kind: 'B', n: null }, 'sub/c': { kind: 'C', l: [1, [2]] } }",
    "lib/one.libsonnet": "{ from: 'lib', number: 1e15, text: 'a\\nb\\n' }",
    "files/plain.txt": "as it is",
    "files/deep/.hidden": "hidden",
    "templates/t.txt": "{{ inventory.parameters._instance }}\n"
    "{{ inventory.parameters.one.list }}\n\n",
    "postprocess/f.jsonnet": """\
local com = import 'lib/commodore.libjsonnet';
local path = std.extVar('output_path');
{
  several: [
    std.prune(one) { x: std.extVar('x') }
    for one in com.yaml_load_all(path + '/several.yaml')
  ],
  'new/file': { component: std.extVar('component'), target: std.extVar('target'),
    own: com.inventory().parameters._instance, at: std.split(path, '/')[-3:] },
}
""",
    "tests/values.yml": "applications: [a, pkg.b]\n"
    "parameters:\n  one:\n    list: [c]\n    own: v\n",
    "tests/last.yml": "parameters:\n  one:\n    own: last\n  facts:\n    region: there\n",
    "tests/list.yml": "- a\n",
    "tests/removed.yml": "parameters:\n  x: ${cluster:dist}\n",
    "tests/neighbour.yml": "classes: [.values]\n",
}


@dataclass(frozen=True)
class Ended:
    """An exit code, and the files that are there then."""

    code: int
    files: Mapping[str, bytes]
    log: str


@pytest.fixture
def component(tmp_path: Path) -> Path:
    return make_component_clone(tmp_path, "one", FILES, code=SEEN)


def ours(engine: str = "native") -> list[str]:
    return ["env", f"COMMODORE_ENGINE={engine}", sys.executable, "-m", "commodore_py"]


@pytest.fixture(scope="module")
def commodore() -> list[str]:
    """Found before a test makes itself a stranger, as a variable may tell where."""
    return [str(find_commodore())]


def ended(command: list[str], *arguments: str, root: Path, output: Path) -> Ended:
    environment = clean_environment(root / "home")
    environment["PATH"] = f"{write_jb(root / 'bin')}{os.pathsep}{environment['PATH']}"
    shutil.rmtree(output, ignore_errors=True)
    code, log = outcome_of([*command, *arguments], root, environment)
    found = files_below(output) if output.is_dir() else {}
    files = {name: _told(text) for name, text in found.items()}
    return Ended(code, files, log[-_LAST_WORDS:])


def _told(content: bytes) -> bytes:
    return _SCRATCH.sub(b"(scratch)/", _OF_THE_TOOL.sub(rb"\1", content))


@pytest.mark.parametrize(
    "options",
    [
        pytest.param([], id="plain"),
        pytest.param(["-f", "<here>/tests/values.yml", "-f", "<here>/tests/last.yml"], id="values"),
        pytest.param(["-a", "two-b", "-f", "<here>/tests/last.yml"], id="alias"),
        pytest.param(["-n", "one", "-a", "one", "-J", "<here>"], id="name"),
    ],
)
def test_component_compile_matches_commodore(
    component: Path, tmp_path: Path, commodore: list[str], options: list[str]
) -> None:
    words = [word.replace("<here>", str(component)) for word in options]
    arguments = ("component", "compile", str(component), "-o", str(tmp_path / "there"), *words)
    output = tmp_path / "there/compiled"

    theirs = ended(commodore, *arguments, root=tmp_path, output=output)
    assert theirs.code == 0, theirs.log
    assert theirs.files

    for engine in ("native", "reference"):
        own = ended(ours(engine), *arguments, root=tmp_path, output=output)
        assert own.code == 0, own.log
        assert own.files == theirs.files, engine


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["-f", "<here>/tests/list.yml"], 1),
        (["-f", "<here>/tests/removed.yml"], 1),
        (["-f", "<here>/tests/neighbour.yml"], 1),
        (["-f", "<here>/tests/none.yml"], 2),
        (["-n", "two"], 1),
    ],
)
def test_invalid_options_exit_with_same_code(
    component: Path, tmp_path: Path, commodore: list[str], options: list[str], code: int
) -> None:
    words = [word.replace("<here>", str(component)) for word in options]
    arguments = ("component", "compile", str(component), "-o", str(tmp_path / "there"), *words)

    theirs = ended(commodore, *arguments, root=tmp_path, output=tmp_path / "there")
    own = ended(ours(), *arguments, root=tmp_path, output=tmp_path / "there")

    assert (theirs.code, own.code) == (code, code), f"{theirs.log}\n{own.log}"
    assert "Traceback" not in own.log


MAIN = """\
applications: [one, one as two]
parameters:
  components:
    one: {{url: '{url}', version: master}}
  one:
    from_package: main
"""


def test_package_compile_matches_commodore(tmp_path: Path, commodore: list[str]) -> None:
    code = SEEN.replace(", base='b'", "").replace(
        "    made: '?{vaultkv:t/c/three||random:str}', ", "    "
    )
    inventory = "    secrets: ['?{vaultkv:t/c/one}', '?{vaultkv:t/c/two}', '?{vaultkv:x/y}']\n"
    files = {
        **component_files("one"),
        **FILES,
        "class/defaults.yml": FILES["class/defaults.yml"] + inventory,
        "component/main.jsonnet": code,
    }
    url = url_of(make_repository(tmp_path / "remotes/one.git", files))
    classes = {
        "main.yml": MAIN.format(url=url),
        "tests/case.yml": "classes: [..main]\nparameters:\n  one: {case: 1, from_package: test}\n",
        "values.yml": "parameters:\n  one: {from_package: values, from_values: 1}\n",
    }
    package = make_package_clone(tmp_path, "it", classes)
    values = str(package / "values.yml")
    arguments = ("package", "compile", str(package), "tests/case.yml", "-f", values)

    theirs = ended(commodore, *arguments, root=tmp_path, output=package / "compiled")
    assert theirs.code == 0, theirs.log
    assert theirs.files

    for engine in ("native", "reference"):
        own = ended(ours(engine), *arguments, root=tmp_path, output=package / "compiled")
        assert own.code == 0, own.log
        assert own.files == theirs.files, engine
