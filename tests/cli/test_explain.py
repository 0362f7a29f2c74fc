"""`commodore inventory explain`, in a working directory that was compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.config import WorkPaths
from commodore_py.pipeline import compile_catalog
from tests.support.fleet import CLUSTER, make_fleet

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command_line import CommandLine


def test_explain_wraps_at_eighty_columns(commodore: CommandLine, work: Path) -> None:
    for path in ("web_shop", "backup", "kapitan", "components", "monitoring.channels[1]"):
        ran = commodore("-d", str(work), "inventory", "explain", "backup-archive", path)

        assert ran.code == 0
        # Values that have no space cannot be broken.
        wide = [line for line in ran.out.splitlines() if len(line) > 80]
        assert all(len(line.strip().split()[-1]) > 40 for line in wide), wide


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
