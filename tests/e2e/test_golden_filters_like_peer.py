"""The golden cases of filters, compiled by the peer: it leaves what we say it leaves."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from commodore_py.adapters.files import read_tree
from tests.support.fleet import CLUSTER, a_fleet
from tests.support.peer import find_peer, run_peer, serve_facts

pytestmark = pytest.mark.e2e

GOLDEN = Path(__file__).parents[1] / "golden" / "filters"
CASES = sorted(folder.name for folder in GOLDEN.iterdir() if (folder / "filters.yml").exists())


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Each case as a component that copies the files from before its filters."""
    root = tmp_path_factory.mktemp("golden")
    fleet = a_fleet(root, **{case: _component(case) for case in CASES})
    # The peer wants settings of Vault, although there is no reference.
    fleet.configure(
        {
            "applications": [case.replace("_", "-") for case in CASES],
            "parameters": {"kapitan": {"secrets": {"vaultkv": {}}}},
        }
    )
    with serve_facts(fleet.root / "facts") as server:
        run_peer(find_peer(), root / "peer", server.url, "catalog", "compile", CLUSTER)
    return root / "peer" / "compiled"


@pytest.mark.parametrize("case", CASES)
def test_peer_leaves_what_the_case_expects(compiled: Path, case: str) -> None:
    found = read_tree(compiled / case.replace("_", "-"))

    expected = read_tree(GOLDEN / case / "after")
    assert {str(path): entry.content.decode() for path, entry in found.items()} == {
        str(path): entry.content.decode() for path, entry in expected.items()
    }


def _component(case: str) -> dict[str, str]:
    folder = GOLDEN / case
    copied = {
        "input_paths": ["${_base_directory}/static"],
        "input_type": "copy",
        "output_path": ".",
    }
    filters = yaml.safe_load((folder / "filters.yml").read_text())
    parameters = {
        "kapitan": {"compile": [copied]},
        "commodore": {"postprocess": {"filters": filters}},
    }
    files = {f"class/{case.replace('_', '-')}.yml": yaml.safe_dump({"parameters": parameters})}
    for source, prefix in ((folder / "before", "static/"), (folder / "component", "")):
        if source.is_dir():
            files |= {f"{prefix}{p}": e.content.decode() for p, e in read_tree(source).items()}
    return files
