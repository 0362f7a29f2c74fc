"""`commodore inventory explain`, in a working directory that was compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.config import WorkPaths
from commodore_py.pipeline import compile_catalog
from tests.support.fleet import CLUSTER, make_fleet

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command_line import CommandLine


def test_hierarchy_without_vault_settings_compiles_and_can_be_explained(
    commodore: CommandLine, tmp_path: Path
) -> None:
    fleet = make_fleet(tmp_path / "fleet", web={})
    compile_catalog(fleet.config(), CLUSTER, approve=lambda _: False)

    ran = commodore("-d", str(fleet.work), "inventory", "explain", CLUSTER, "web.data.of")
    without = commodore("-d", str(fleet.work), "inventory", "explain", CLUSTER, "kapitan.secrets")

    assert WorkPaths(fleet.work).compiled.is_dir()
    assert ran.out.startswith("web.data.of of target cluster is web\n")
    assert without.code == 1
