"""`inventory show` of a cluster: the same as after a compile, without one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
import yaml

from tests.support.builders import digest_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command_line import CommandLine


@pytest.mark.long
def test_show_of_cluster_leaves_working_directory_alone(
    commodore: CommandLine, facts: str, tmp_path: Path, work: Path
) -> None:
    before = digest_of(tmp_path)
    words = ("--cluster", "c-demo-1", "--api-url", facts)

    own = json.loads(commodore("inventory", "show", *words, "-o", "json").out)
    components = commodore("inventory", "components", *words)
    shown = commodore("inventory", "show", *words, "--target", "ingress", "-o", "json")
    other = commodore("inventory", "show", *words, "--target", "nothing")

    compiled = commodore("-d", str(work), "inventory", "show", "-o", "json")
    assert own == json.loads(compiled.out)
    assert own["components"] == yaml.safe_load(components.out)
    assert json.loads(shown.out)["_instance"] == "ingress"
    assert "target nothing not found\n  cluster c-demo-1" in other.err
    assert digest_of(tmp_path) == before
