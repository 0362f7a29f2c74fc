"""What comes from other users, from the environment or from content is not trusted."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.fleet import CLUSTER, make_fleet

if TYPE_CHECKING:
    from tests.support.command_line import CommandLine

NOBODY = 65534
PLANTED = "#!/bin/sh\necho ran >> {log}\nexit 1\n"


@pytest.fixture
def tools() -> Path:
    """The directory of managed tools."""
    folder = Path(os.environ["XDG_CACHE_HOME"], "commodore", "tools")
    folder.mkdir(parents=True)
    return folder


def plant(folder: Path, log: Path) -> None:
    for name in ("git", "helm", "kustomize", "jb"):
        file = folder / name
        file.write_text(PLANTED.format(log=log))
        file.chmod(0o755)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to another user")
@pytest.mark.parametrize("what", ["directory", "file"])
def test_managed_tools_of_another_user_are_not_run(
    commodore: CommandLine, tmp_path: Path, tools: Path, what: str
) -> None:
    log = tmp_path / "log"
    plant(tools, log)
    os.chown(tools if what == "directory" else tools / "git", NOBODY, NOBODY)
    fleet = make_fleet(tmp_path / "fleet", web={})
    facts = str(fleet.root / "facts")

    ran = commodore("-d", str(fleet.work), "catalog", "compile", CLUSTER, "--api-url", facts)
    others = [commodore("version"), commodore("doctor"), commodore("tool", "list")]
    upgrade = commodore("tool", "upgrade", "helm")

    assert ran.code == 0, ran.err
    assert not log.exists()
    assert all("managed tools are not used" in one.err for one in (ran, *others))
    assert "can be changed by another user" in upgrade.err
