"""The golden cases of filters, compiled by Commodore: it leaves what we say it leaves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml

from commodore_py.adapters.files import read_tree
from tests.support.commodore import find_commodore, run_commodore, serve_facts
from tests.support.fleet import CLUSTER, make_fleet
from tests.support.golden import golden_cases

if TYPE_CHECKING:
    from tests.support.golden import GoldenCase

pytestmark = pytest.mark.e2e

CASES = golden_cases(Path(__file__).parents[1] / "golden" / "filters")


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Each case as a component that copies the files from before its filters."""
    root = tmp_path_factory.mktemp("golden")
    fleet = make_fleet(root, **{case.name: _component(case) for case in CASES})
    # Commodore wants settings of Vault, although there is no reference.
    fleet.configure(
        {
            "applications": [case.name.replace("_", "-") for case in CASES],
            "parameters": {"kapitan": {"secrets": {"vaultkv": {}}}},
        }
    )
    with serve_facts(fleet.root / "facts") as server:
        run_commodore(
            find_commodore(), root / "commodore", server.url, "catalog", "compile", CLUSTER
        )
    return root / "commodore" / "compiled"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_commodore_filters_match_golden_case(compiled: Path, case: GoldenCase) -> None:
    found = read_tree(compiled / case.name.replace("_", "-"))

    assert {str(path): entry.content.decode() for path, entry in found.items()} == case.content[
        "after"
    ]


def _component(case: GoldenCase) -> dict[str, str]:
    copied = {
        "input_paths": ["${_base_directory}/static"],
        "input_type": "copy",
        "output_path": ".",
    }
    parameters = {
        "kapitan": {"compile": [copied]},
        "commodore": {"postprocess": {"filters": yaml.safe_load(case.content["filters"])}},
    }
    name = case.name.replace("_", "-")
    return {
        f"class/{name}.yml": yaml.safe_dump({"parameters": parameters}),
        **{f"static/{file}": text for file, text in case.content.get("before", {}).items()},
        **case.content.get("component", {}),
    }
