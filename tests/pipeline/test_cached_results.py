"""Whole compiles with results of before: what they load, and what they leave in the catalog."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from commodore_py.pipeline import gather, render
from tests.support.builders import commit_to
from tests.support.fleet import CLUSTER, Fleet, make_fleet

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.model.stages import Rendered

DRIVER = """
import json, sys
from commodore_py.cli import run
code = run(sys.argv[1:])
print(json.dumps({"code": code, "modules": sorted(sys.modules)}))
"""
HEAVY = {"_gojsonnet", "jinja2", "kapitan", "multiprocessing", "pydantic"}
FILTERS = """\
applications: [web, shop]
parameters:
  commodore:
    postprocess:
      filters:
        - {type: builtin, filter: helm_namespace, path: "$$", filterargs: {namespace: here}}
        - {type: jsonnet, filter: filter.jsonnet, path: "$$"}
""".replace("$$", "${_instance}")
FILTER = """
local com = import 'lib/commodore.libjsonnet';
local found = com.yaml_load(std.extVar('output_path') + '/out.yaml');
{ out: found { more: com.inventory().parameters.cluster.name } }
"""


def _loaded_by_a_run(fleet: Fleet) -> set[str]:
    words = ("catalog", "compile", CLUSTER, "--api-url", str(fleet.root / "facts"))
    done = subprocess.run(
        [sys.executable, "-c", DRIVER, "-d", str(fleet.work), *words],
        capture_output=True,
        check=True,
        text=True,
    )
    outcome = json.loads(done.stdout.splitlines()[-1])
    assert outcome["code"] == 0
    return set(outcome["modules"])


def test_fully_cached_run_loads_no_engine(tmp_path: Path) -> None:
    fleet = make_fleet(tmp_path, web={}, shop={})
    first = _loaded_by_a_run(fleet)

    second = _loaded_by_a_run(fleet)

    assert "_gojsonnet" in first
    assert HEAVY & second == set()


def _rendered(fleet: Fleet, store: Path) -> Rendered:
    """With results of before; without them, the same must come out."""
    sources = gather(fleet.config(), CLUSTER)
    fresh = render(fleet.config(), sources)
    found = render(fleet.config(result_cache=store), sources)
    assert {str(path): entry for path, entry in found.catalog.items()} == {
        str(path): entry for path, entry in fresh.catalog.items()
    }
    assert found.notices == fresh.notices
    return found


@pytest.mark.long
def test_commits_reach_the_catalog(tmp_path: Path) -> None:
    fleet = make_fleet(tmp_path, web={"filter.jsonnet": FILTER}, shop={"filter.jsonnet": FILTER})
    commit_to(fleet.repository("tenant"), {"common.yml": FILTERS})
    trees = [_rendered(fleet, tmp_path / "store").catalog]

    for repository, files in (
        ("component-web", {"filter.jsonnet": FILTER.replace("more", "less")}),
        ("component-shop", {"component/main.jsonnet": "{ out: { of: 'shop' } }"}),
        ("tenant", {"common.yml": FILTERS.replace("here", "there")}),
        ("tenant", {"common.yml": FILTERS}),
        ("component-shop", {"component/main.jsonnet": "{ out: { of: 'other' } }"}),
    ):
        commit_to(fleet.repository(repository), files)
        trees.append(_rendered(fleet, tmp_path / "store").catalog)

    assert all(one != other for one, other in pairwise(trees))
