"""`component test`: which cases there are, what is thought of each, and what is written."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.authoring import files_below, make_component_clone
from tests.support.builders import git
from tests.support.servers.web import serve

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.support.command_line import CommandLine, Ran

pytestmark = pytest.mark.sample(2)

ROOT = Path(__file__).resolve().parents[2]
OBJECT = """\
local inv = (import 'lib/kapitan.libjsonnet').inventory();
local p = inv.parameters.one;
assert std.objectHas(p, 'size') : 'a size is needed';
{
  it: {
    apiVersion: 'apps/v1', kind: 'Deployment',
    metadata: { name: inv.parameters._instance, namespace: 'there' },
    spec: { replicas: p.size, template: { spec: { containers: [
      { name: 'main', image: 'x:1' }, { name: 'side', image: 'y:2' },
    ] } } },
  },
}
"""
IT = "one/out/it.yaml"


def sized(number: int, key: str = "one") -> str:
    return f"parameters:\n  {key}:\n    size: {number}\n"


def one(tmp_path: Path, files: Mapping[str, str] | None = None) -> Path:
    """A component with two cases."""
    cases = {"tests/small.yml": sized(1), "tests/large.yml": sized(9)}
    return make_component_clone(tmp_path / "src", "one", {**cases, **(files or {})}, code=OBJECT)


def accepted(commodore: CommandLine, component: Path) -> Path:
    """The component with the output that is expected of it."""
    assert cases_of(commodore, component, "--update").code == 0
    return component


def cases_of(commodore: CommandLine, component: Path, *options: str) -> Ran:
    return commodore("component", "test", str(component), *options)


def test_golden_output_equals_compile_output(commodore: CommandLine, tmp_path: Path) -> None:
    component = accepted(commodore, one(tmp_path))

    commodore("component", "compile", str(component), "-f", str(component / "tests/small.yml"))

    assert files_below(component / "tests/golden/small") == files_below(tmp_path / "compiled")


def test_golden_file_mode_difference_fails(commodore: CommandLine, tmp_path: Path) -> None:
    component = accepted(commodore, one(tmp_path))
    (component / "tests/golden/small" / IT).chmod(0o755)

    assert cases_of(commodore, component).code == 1


def test_update_writes_only_changed_files(commodore: CommandLine, tmp_path: Path) -> None:
    component = accepted(commodore, one(tmp_path))
    times = {
        case: (component / "tests/golden" / case / IT).stat().st_mtime_ns
        for case in ("small", "large")
    }
    (component / "tests/small.yml").write_text(sized(2))
    (component / "tests/golden/small/gone.yaml").write_text("a: 1\n")

    ran = cases_of(commodore, component, "--update")

    assert ran.code == 0
    assert "2 cases: 1 passed, 1 updated" in ran.out
    assert (component / "tests/golden/large" / IT).stat().st_mtime_ns == times["large"]
    assert (component / "tests/golden/small" / IT).stat().st_mtime_ns != times["small"]
    assert not (component / "tests/golden/small/gone.yaml").exists()


def test_shared_download_is_fetched_once_for_all_cases(
    commodore: CommandLine, tmp_path: Path
) -> None:
    with serve() as web:
        urls = {name: web.put(f"/{name}", f"{{ v: '{name}' }}") for name in ("a", "b", "c")}
        wish = "{{type: https, source: {url}, output_path: '${{_base_directory}}/vendor/{place}'}}"
        # Two want other files in one place; all want the third.
        files = {
            f"tests/{case}.yml": "parameters:\n  kapitan:\n    dependencies:\n"
            f"      - {wish.format(url=urls[case[0]], place='it.libsonnet')}\n"
            f"      - {wish.format(url=urls['c'], place='all.libsonnet')}\n"
            for case in ("a1", "b1", "a2")
        }
        code = "{ seen: [(import 'it.libsonnet').v, (import 'all.libsonnet').v] }"
        component = make_component_clone(tmp_path / "src", "one", files, code=code)

        ran = cases_of(commodore, component, "--update")

        requested = [path for path, _ in web.answers()]
    assert ran.code == 0, ran.out
    golden = files_below(component / "tests/golden")
    assert {name[:2]: content for name, content in golden.items()} == {
        case: f"{case[0]}\n--- c\n...\n".encode() for case in ("a1", "a2", "b1")
    }
    assert sorted(requested) == ["/a", "/b", "/c", "/c"]


def test_component_test_leaves_repository_unchanged(commodore: CommandLine, tmp_path: Path) -> None:
    component = one(tmp_path)
    git(component, "status", "--porcelain")

    cases_of(commodore, component)

    assert git(component, "status", "--porcelain") == ""


def as_installed(component: Path, *options: str) -> subprocess.CompletedProcess[str]:
    # In a process of its own, in which Go was never loaded: that is what workers need.
    return subprocess.run(
        [sys.executable, "-m", "commodore_py", "component", "test", str(component), *options],
        check=False,
        capture_output=True,
        text=True,
        cwd=component.parent,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


def test_workers_report_all_cases_in_order(commodore: CommandLine, tmp_path: Path) -> None:
    files = {f"tests/c{number}.yml": sized(number) for number in range(5)}
    component = accepted(commodore, one(tmp_path, files))
    code = component / "component/main.jsonnet"
    slow = "assert p.size > 0 || std.sum(std.range(0, 500000)) > 0;\n"  # c0 ends after the others
    code.write_text(code.read_text().replace("{\n  it:", f"{slow}{{\n  it:"))
    (component / "tests/bad.yml").write_text("{}\n")

    ran = as_installed(component, "--processes", "3")

    assert ran.returncode == 1
    assert "8 cases: 7 passed, 1 failed" in ran.stdout
    assert "a size is needed" in ran.stdout
    passed = [line.split()[1] for line in ran.stdout.splitlines() if line.startswith("passed")]
    assert passed == ["c0", "c1", "c2", "c3", "c4", "large", "small"]
