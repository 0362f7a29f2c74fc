"""A compiled folder (`before`), filter definitions (`filters`), and the folder `after` them.

`component` (if there) is the component's checkout. It is called like the case, with dashes.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters import files, yaml
from commodore_py.model.inventory import Instance, Inventory
from commodore_py.postprocess import apply_filters
from tests.support.builders import make_config, make_dependency, make_node, make_sources
from tests.support.golden import golden_cases

if TYPE_CHECKING:
    from tests.support.golden import Golden, GoldenCase

CASES = golden_cases(Path(__file__).parent)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_filters_match_case(case: GoldenCase, golden: Golden, tmp_path: Path) -> None:
    name = case.name.replace("_", "-")
    filters = yaml.load(case.content["filters"], name="filters")
    node = make_node(name, parameters={"commodore": {"postprocess": {"filters": filters}}})
    component = make_dependency(name, case.write_files(tmp_path / "component", "component"))
    inventory = Inventory({name: node}, (Instance(name, name),))
    sources = make_sources(tmp_path, inventory, [component])
    before = files.read_tree(case.write_files(tmp_path / "before", "before"))

    filtered, notices = apply_filters(make_config(tmp_path), {name: before}, sources)

    golden.check(case, after={str(p): e.content.decode() for p, e in filtered[name].items()})
    assert not notices
