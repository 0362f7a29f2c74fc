"""A component whose code sees the files and targets of `native_calls`."""

from __future__ import annotations

import pytest

from commodore_py.adapters.jsonnet.inventory import InventoryImports
from commodore_py.lib import KAPITAN_INVENTORY
from tests.support.builders import TargetsByName
from tests.support.calls import COMPILING
from tests.support.jsonnet_component import Component, lay_out


@pytest.fixture(scope="session")
def component(tmp_path_factory: pytest.TempPathFactory) -> Component:
    """A component with its files."""
    root = tmp_path_factory.mktemp("component")
    inventory = InventoryImports(TargetsByName(COMPILING["targets"]), KAPITAN_INVENTORY)
    return Component(root, lay_out(root), "web", inventory)
