"""The inventory commands, by us and by Commodore on the same files."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from commodore_py.workflows.demo import write_demo
from tests.support.commodore import clean_environment, find_commodore, outcome_of

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.e2e

_OURS = (sys.executable, "-m", "commodore_py")

_GLOBAL = r"""
classes: [.x, "global.f.${facts:cloud}", "${cluster:tenant}.${cluster:name}", .x.y.z]
parameters:
  several: "a\nb\n"
  trailing: "text  \nmore\n\n"
  letters: "Zürich — 漢"
  date: 2020-01-01
  word: yes
  numbers: [0o17, 017, 1_000, 12:30, 1e3, .inf, -.inf, 1.0, 1e-7, 12345678901234567890]
  none: null
  empty: {}
  list: [[1, [2]], [], {a: [b]}]
  8080: port
  true: flag
  ref: ${shared}
  ref2: ${shared}
  shared: {deep: [1, 2], secret: "?{vaultkv:${cluster:tenant}/x}"}
  anchor: &anchor {k: v}
  anchored: *anchor
  quoted: "'\"\\"
  colon: "a: b"
  long: "aaaaaaaaaaaaaaaaaaaaaaaaaaaa bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb cccccccccccccccccc ddd eee"
  components: {one: {url: u, version: v1}, "8": {version: v2}}
  also_none: ${none}
  text: "x-${none}-${word}"
"""
_HIERARCHY = {
    "global/commodore.yml": _GLOBAL,
    "global/x/init.yml": "parameters: {x: {l: [1]}, packages: null}\n",
    "global/x/y/z.yaml": "parameters: {x: {l: [2], ~m: [3]}}\n",
    "tenant/c-1.yml": "parameters: {who: '${cluster:name}', list: [9]}\n",
    "ids.yml": "parameters: {cluster: {name: c-1, tenant: t-1}, facts: {cloud: a}, m: {=k: 1}}\n",
    "later.yaml": "parameters: {cluster: {tenant: t-2}}\n",
    "empty/README.md": "no class\n",
}
_COMMANDS = (
    "show global",
    "show global tenant",
    "show global tenant -f ids.yml",
    "show global tenant -f ids.yml -f later.yaml",
    "show global tenant -f ids.yml -f later.yaml -o json",
    "show global -A",
    "show empty",
    "show empty -A -o json",
    "components global tenant -f ids.yml",
    "components global -A -o json",
    "components empty",
    "packages global tenant -f ids.yml",
    "packages global tenant -f ids.yml -f later.yaml -o json",
    "packages empty",
)
_DEMO_VALUES = """
parameters:
  cluster: {name: c-demo-1, tenant: t-demo}
  facts: {distribution: k3s, cloud: northwind, region: harbour}
"""

_ENTRIES = r"""
parameters:
  KEY:
    ok: {url: https://x.example.com, version: v1}
    only: {version: v1}
    sub: {url: https://x.example.com, version: v1, path: sub/dir}
    nover: {url: https://x.example.com}
    empty: {}
    typo: {url: https://x.example.com, version: v1, vesrion: v2, foo: bar}
    types: {url: 1, version: 2.0}
    types2: {url: [a], version: null}
    ref: {url: "${u}", version: "${v}"}
    yaml11: {url: yes, version: 2020-01-01}
"""
_LINT = {
    "a/components.yml": _ENTRIES.replace("KEY", "components"),
    "a/packages.yaml": _ENTRIES.replace("KEY", "packages"),
    "a/list.yml": "parameters: [1]\n",
    "a/null.yml": "parameters:\n",
    "a/broken.yml": "a: [\n",
    "a/several.yml": "parameters: 1\n---\n",
    "a/notes.txt": "parameters: {packages: {x: {}}}\n",
    "a/.hidden.yml": "parameters: 1\n",
    "a/refs.yml": r"""
classes: ["global.${cluster:dist}"]
parameters:
  a: ${customer:name}/${customer:name} ${cloud:provider}
  b: [{c: "${cluster:dist}"}, "${cloud:region}"]
  nested: ${foo:${cluster:dist}}
  ${cluster:dist}: key
  other: ${customer:other} ${customer:name:x}
  escaped: \${customer:name}
""",
    "b/x.yml": "parameters: {components: {x: {}}}\n",
    "b/sub/x.yml": "parameters: {components: {x: {}}}\n",
    "b/sub/deep/x.yml": "parameters: {components: {x: {}}}\n",
    "b/other/y.yml": "parameters: {components: {x: {}}}\n",
    "b/.commodoreignore": "/other/*.yml\n",
    "clean/x.yml": "parameters: {}\n",
}
_LINT_ARGUMENTS = (
    "a b clean",
    "clean",
    "b/sub",
    "b/other/y.yml",
    "a -l PACKAGES -l packages",
    "a -l deprecated-parameters",
    *(
        f"b --ignore-patterns {pattern}"
        for pattern in ("/sub/*.yml", "sub/", "sub/**/x.yml", "/[t-z]*", "!x")
    ),
)


@pytest.fixture(scope="module")
def commodore() -> Path:
    return find_commodore()


@pytest.fixture(scope="module")
def hierarchy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _written(tmp_path_factory.mktemp("hierarchy"), {**_HIERARCHY, **_LINT})


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("demo")
    repositories = write_demo(root / "demo").directory / "repos"
    for name in ("global", "t-demo"):
        clone = ["git", "clone", "--quiet", str(repositories / f"{name}.git"), name]
        subprocess.run(clone, cwd=root, check=True)
    return _written(root, {"demo.yml": _DEMO_VALUES})


@pytest.mark.parametrize("words", _COMMANDS)
def test_parameters_are_the_same_bytes(commodore: Path, hierarchy: Path, words: str) -> None:
    assert _run(_OURS, hierarchy, *words.split()) == _run(
        (str(commodore),), hierarchy, *words.split()
    )


@pytest.mark.parametrize("words", ["show global t-demo -f demo.yml", "show global -A -o json"])
def test_parameters_of_the_playground_are_the_same_bytes(
    commodore: Path, demo: Path, words: str
) -> None:
    ours = _run(_OURS, demo, *words.split())

    assert ours == _run((str(commodore),), demo, *words.split())
    assert _run(_OURS, demo, *words.split(), COMMODORE_ENGINE="reference") == ours


@pytest.mark.parametrize("words", _LINT_ARGUMENTS)
def test_lint_has_same_exit_code_and_error_count(
    commodore: Path, hierarchy: Path, words: str
) -> None:
    ours, theirs = (
        _run(tool, hierarchy, "lint", *words.split()) for tool in (_OURS, (str(commodore),))
    )

    assert ours[0] == theirs[0]
    assert _errors_by_file(ours[1]) == _errors_by_file(theirs[1])
    # We add warnings, and count them behind what Commodore says.
    assert ours[1].splitlines()[-1].partition(",")[0] == theirs[1].splitlines()[-1]


def _errors_by_file(output: str) -> list[str]:
    """The file that each error names, in any order: Commodore has that of the disk."""
    lines = [line for line in output.splitlines() if line.startswith(">") and "warning" not in line]
    return sorted(file for line in lines for file in _LINT if f"{file}" in line)


def _run(tool: tuple[str, ...], folder: Path, *words: str, **variables: str) -> tuple[int, str]:
    environment = clean_environment(folder.with_name(f"{folder.name}-home")) | variables
    return outcome_of([*tool, "inventory", *words], folder, environment, stderr=False)


def _written(root: Path, files: dict[str, str]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return root
