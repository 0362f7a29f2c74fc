"""Public components as a cluster: exported with a lock, compiled again without a network.

The conformance runner calls it in place of `commodore`, with `--via export`; afterwards the
component is compiled as the runner asks for, so that its golden output is compared as well.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from commodore_py.lib import STAND_INS
from tests.support.builders import commit_to, git, make_repository, url_of
from tests.support.fleet import CLUSTER, configmap_component, make_fleet
from tests.support.scenarios.exported import ExportedCluster

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.support.fleet import Fleet

PROGRAM = Path(sys.executable).with_name("commodore")
_FOR_PROGRAMS = ("CONF_HELM_PYTHON", "CONF_KUSTOMIZE", "LD_LIBRARY_PATH", "KAPITAN_HELM_TIMEOUT")


@dataclass(frozen=True)
class Case:
    """What the runner asks for: `component compile . -n NAME --alias NAME -f FILE`."""

    component: str
    instance: str
    values: Path

    @classmethod
    def of(cls, words: Sequence[str]) -> Case:
        """The case of a command line."""

        def after(option: str, otherwise: str) -> str:
            return words[words.index(option) + 1] if option in words else otherwise

        component = after("-n", Path.cwd().name.removeprefix("component-"))
        return cls(component, after("--alias", component), Path(after("-f", "")))


def as_export(words: Sequence[str]) -> int:
    """Export the component as a cluster, compile that without a network, then what is asked for."""
    if words[0] == "component":
        exported = _exported(Case.of(words), Path.cwd())
        files = exported.differences(exported.export())
        if files:
            sys.stderr.write(f"differ without a network: {', '.join(files[:20])}\n")
            return 1
        shutil.rmtree(exported.root)
    return subprocess.run([str(PROGRAM), *words], check=False).returncode


def _exported(case: Case, checkout: Path) -> ExportedCluster:
    root = (checkout.parent / "exported").resolve()
    fleet = make_fleet(root)
    _deploy(fleet, case, checkout)
    kept = {name: one for name, one in os.environ.items() if name in _FOR_PROGRAMS}
    variables = {**os.environ, "COMMODORE_API_URL": str(root / "facts")}
    return ExportedCluster(CLUSTER, root, variables, kept)


def _deploy(fleet: Fleet, case: Case, checkout: Path) -> None:
    """The component, and the library that all of them import, in a cluster of their own."""
    repository = fleet.repository("component")
    git(checkout, "clone", "--quiet", "--bare", "--shared", ".", str(repository))
    git(repository, "update-ref", "refs/heads/master", git(checkout, "rev-parse", "HEAD"))
    git(repository, "symbolic-ref", "HEAD", "refs/heads/master")
    components: dict[str, Any] = {case.component: _entry(repository)}
    vault = {"VAULT_ADDR": "https://vault.example.com", "engine": "kv-v2", "mount": "kv"}
    common = {
        "components": components,
        "argocd": {"namespace": "test"},
        "kapitan": {"secrets": {"vaultkv": {**vault, "auth": "token"}}},
    }
    loaded = yaml.safe_load((checkout / case.values).read_text("utf-8")) or {}
    values = {name: one for name, one in loaded.items() if one is not None}
    stub = (STAND_INS / "lib/argocd.libjsonnet").read_text("utf-8")
    others = {one.partition(" as ")[0] for one in values.get("applications", ())} | {"argocd"}
    for name in others - {case.component}:
        files = {"lib/argocd.libjsonnet": stub} if name == "argocd" else {}
        make_repository(fleet.repository(name), {**configmap_component(name), **files})
        components[name] = _entry(fleet.repository(name))
    classes = {
        "classes": ["global.components", "${cluster:tenant}.common", "${cluster:tenant}.own"]
    }
    commit_to(
        fleet.repository("global"),
        {
            "commodore.yml": yaml.safe_dump(classes),
            "components.yml": yaml.safe_dump({"parameters": common}),
        },
    )
    own = case.component
    if case.instance != case.component:
        own = f"{case.component} as {case.instance}"
    commit_to(
        fleet.repository("tenant"),
        {
            "own.yml": yaml.safe_dump(
                {**values, "applications": sorted({own, *components} - {case.component} | {own})}
            ),
            "common.yml": "{}\n",
        },
    )


def _entry(repository: Path) -> dict[str, str]:
    return {"url": url_of(repository), "version": "master"}
