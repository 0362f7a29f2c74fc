"""`component test` in worker processes; see also cases/."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.authoring import make_component_clone

if TYPE_CHECKING:
    from tests.support.command_line import CommandLine

ROOT = Path(__file__).resolve().parents[2]
# The case of size 0 ends after the others.
CODE = """
local p = (import 'lib/kapitan.libjsonnet').inventory().parameters.one;
assert std.objectHas(p, 'size') : 'a size is needed';
assert p.size > 0 || std.sum(std.range(0, 500000)) > 0;
{ it: { is: p.size } }
"""


@pytest.mark.long
def test_workers_report_all_cases_in_order(commodore: CommandLine, tmp_path: Path) -> None:
    sizes = {f"tests/c{n}.yml": f"parameters: {{one: {{size: {n}}}}}\n" for n in range(5)}
    component = make_component_clone(tmp_path / "src", "one", sizes, code=CODE)
    assert commodore("component", "test", str(component), "--update").code == 0
    (component / "tests/bad.yml").write_text("{}\n")

    # In a process of its own, in which Go was never loaded: that is what workers need.
    ran = subprocess.run(
        [sys.executable, "-m", "commodore_py", "component", "test", component, "--processes", "3"],
        check=False,
        capture_output=True,
        text=True,
        cwd=component.parent,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )

    assert ran.returncode == 1
    assert "6 cases: 5 passed, 1 failed" in ran.stdout
    assert "a size is needed" in ran.stdout
    passed = [line.split()[1] for line in ran.stdout.splitlines() if line.startswith("passed")]
    assert passed == ["c0", "c1", "c2", "c3", "c4"]
