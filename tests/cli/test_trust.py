"""What comes from other users, from the environment or from content is not trusted."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.builders import make_repository
from tests.support.fleet import CLUSTER, make_fleet
from tests.support.servers import kubernetes
from tests.support.servers.kubernetes import Refusal

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


@pytest.mark.parametrize(
    ("path", "answer", "code"),
    [
        ("/", "[]", 1),
        ("/", "null", 1),
        ("/api", "[]", 1),
        ("/api/v1/configmaps", "null", 1),
        ("/api/v1/configmaps", '{"items": "x"}', 1),
        ("/api/v1/configmaps", '{"items": [null]}', 1),
        ("/api/v1/configmaps", '{"items": [{"metadata": 5}]}', 0),
        ("/apis/argoproj.io/v1alpha1/applications", '{"items": [{"spec": [], "metadata": {}}]}', 0),
    ],
)
def test_malformed_cluster_responses_are_errors(
    commodore: CommandLine, tmp_path: Path, path: str, answer: str, code: int
) -> None:
    content = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: b}\n"
    make_repository(tmp_path / "catalog", {"manifests/a/cm.yaml": content})
    kubeconfig = tmp_path / "kubeconfig"
    with kubernetes.serve() as cluster:
        kubeconfig.write_text(kubernetes.kubeconfig_of(cluster.url))
        cluster.before = lambda _, asked: (
            Refusal(200, "", "", body=answer.encode()) if asked.startswith(path) else None
        )
        words = ("c-one", "--kubeconfig", str(kubeconfig), "--catalog", str(tmp_path / "catalog"))

        ran = commodore("live", "status", *words)

    assert ran.code == code, ran.err
    assert code == 0 or "answered with" in ran.err
