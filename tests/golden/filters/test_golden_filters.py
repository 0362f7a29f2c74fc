"""Golden cases: a compiled folder, filter definitions, and the folder afterwards.

`<case>/before` is what the instance compiled to, `<case>/filters.yml` the list of definitions,
`<case>/component` (if there) the component's checkout, `<case>/after` the result. The component
is called like the case, with dashes.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from commodore_py.adapters import files, yaml
from commodore_py.model.inventory import Instance, Inventory
from commodore_py.postprocess import apply_filters
from tests.support.builders import make_config, make_dependency, make_node, make_sources

HERE = Path(__file__).parent
CASES = sorted(folder.name for folder in HERE.iterdir() if (folder / "filters.yml").exists())


@pytest.mark.parametrize("case", CASES)
def test_filters_leave_what_the_case_expects(case: str, tmp_path: Path) -> None:
    folder, name = HERE / case, case.replace("_", "-")
    filters = yaml.load_file(folder / "filters.yml")
    node = make_node(name, parameters={"commodore": {"postprocess": {"filters": filters}}})
    inventory = Inventory({name: node}, (Instance(name, name),))
    sources = make_sources(tmp_path, inventory, [make_dependency(name, folder / "component")])

    filtered, notices = apply_filters(
        make_config(tmp_path), {name: files.read_tree(folder / "before")}, sources
    )

    expected = {str(p): e.content.decode() for p, e in files.read_tree(folder / "after").items()}
    assert {str(p): e.content.decode() for p, e in filtered[name].items()} == expected
    assert not notices
