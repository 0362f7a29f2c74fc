"""Charts that give something else at every compile are told with file and line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import yaml

from commodore_py import compiler
from commodore_py.dependencies.protection.run_lock import exclusive_run
from commodore_py.pipeline import gather
from tests.support.fleet import CLUSTER, make_fleet

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.model.problem import Problem


def problems_of(root: Path, entry: dict[str, Any], **settings: Any) -> tuple[Problem, ...]:  # noqa: ANN401 - Config checks them
    """What is told about a component with a chart that makes up a password."""
    fields = {"input_type": "helm", "input_paths": ["web/chart"], "output_path": "out", **entry}
    files = {
        "class/web.yml": yaml.safe_dump({"parameters": {"kapitan": {"compile": [fields]}}}),
        "chart/Chart.yaml": "apiVersion: v2\nname: c\nversion: 1.0.0\n",
        "chart/templates/a.yaml": "kind: A\nx: {{ randAlphaNum 5 }}\n"
        'y: {{ lookup "v1" "S" "" "" }}\nz: {{ now }}\n',
    }
    fleet = make_fleet(root, web=files)
    config = fleet.config(**settings)
    with exclusive_run(config.paths):
        return compiler.find_chart_problems(gather(config, CLUSTER))


def test_nondeterministic_chart_functions_are_reported(tmp_path: Path) -> None:
    random, clock, workspace = problems_of(tmp_path, {"helm_params": {"name": "x"}})

    assert (
        random.message
        == "web: chart c 1.0.0 may generate new values in every compile (randAlphaNum)"
    )
    assert random.where.splitlines()[0].endswith("/chart/templates/a.yaml:2")
    assert random.where.splitlines()[1] == "target web, parameters.kapitan.compile[0]"
    assert "may look at the clock (now)" in clock.message
    assert clock.where.splitlines()[0].endswith(":4")
    assert "may ask for what is not there while compiling (lookup)" in workspace.message
    assert not random.strict


def test_unnamed_helm_release_is_reported(tmp_path: Path) -> None:
    assert "named after the clock" in problems_of(tmp_path, {})[0].message


@pytest.mark.parametrize(("template", "problems"), [("fixed", 3), ("x-{{ randAlpha 5 }}", 4)])
def test_name_template_counts_as_release_name(tmp_path: Path, template: str, problems: int) -> None:
    found = problems_of(tmp_path, {"helm_params": {"name_template": template}})

    assert len(found) == problems


def test_programs_run_by_helm_are_strict_problem(tmp_path: Path) -> None:
    params = {"name": "x", "post_renderer": "/x"}

    first, *_ = problems_of(tmp_path, {"helm_params": params})

    assert "helm_params.post_renderer has helm run programs" in first.message
    assert first.strict
