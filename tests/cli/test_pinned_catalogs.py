"""Catalogs whose Applications name the commit of their content, pushed to a real repository."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from commodore_py.adapters.git.program import git
from commodore_py.catalog.sinks.git import GitCatalog
from commodore_py.delivery.drivers.argocd.health_rule import RULE
from commodore_py.workflows.demo import write_demo
from tests.support.plan_catalogs import application, owner

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command_line import CommandLine, Ran

NAMES = ("one", "two", "three", "four")
PLAN: dict[str, Any] = {
    "serial": ["one", {"concurrent": ["two", {"serial": ["three", "four"], "name": "last"}]}]
}
DEFAULTS = """\
parameters:
  planned:
    =_metadata: {multi_instance: true}
    size: '1'
"""
CLASS = """\
parameters:
  kapitan:
    compile:
      - input_paths: ['${_base_directory}/component/main.jsonnet']
        input_type: jsonnet
        output_path: '.'
"""
MAIN = """\
local kap = import 'lib/kapitan.libjsonnet';
local params = kap.inventory().parameters;
local name = params._instance;
local at(value) = std.parseJson(std.strReplace(std.manifestJson(value), 'NAME', name));
if name == 'argo' then {
  'apps/root': %(root)s,
  'argo/settings': %(settings)s,
  'argo/limits': %(limits)s,
} else {
  ['apps/' + name]: at(%(application)s),
  [name + '/settings']: {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: name, namespace: name },
    data: { size: params.planned.size },
  },
}
"""
KEY = "resource.customizations.health.argoproj.io_Application"


def config_map(name: str, data: dict[str, str]) -> dict[str, Any]:
    metadata = {"name": name, "namespace": "syn"}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


class Planned:
    """A cluster with Argo CD whose instances come from one component."""

    def __init__(self, folder: Path, commodore: CommandLine) -> None:
        self.folder, self._commodore = folder, commodore
        write_demo(folder)
        component, self.tenant = folder / "planned", folder / "tenant"
        root = owner()
        root["metadata"]["name"] = "root-apps"
        values = {
            "root": root,
            "settings": config_map("argocd-cm", {KEY: RULE}),
            "limits": config_map("argocd-cmd-params-cm", {"controller.sync.timeout.seconds": "60"}),
            "application": application("NAME", "manifests/NAME"),
        }
        files = {
            "class/defaults.yml": DEFAULTS,
            "class/planned.yml": CLASS,
            # JSON is Jsonnet.
            "component/main.jsonnet": MAIN % {key: json.dumps(one) for key, one in values.items()},
        }
        for name, text in files.items():
            (component / name).parent.mkdir(parents=True, exist_ok=True)
            (component / name).write_text(text)
        git(folder, "init", "--quiet", "-b", "master", str(component))
        committed(component)
        git(folder, "clone", "--quiet", str(folder / "repos" / "t-demo.git"), str(self.tenant))
        self.set()

    def set(self, size: str = "1", **argocd: str) -> None:
        """Change the configuration of the tenant, and publish it."""
        source = {"url": f"file://{self.folder / 'planned'}", "version": "master"}
        delivery = {"unlisted": "last", "argocd": {"gate": "update", **argocd}}
        content = {
            "applications": ["~argocd", *(f"planned as {name}" for name in ("argo", *NAMES))],
            "parameters": {
                "components": {"planned": source},
                "commodore": {"plan": PLAN, "delivery": delivery},
                "three": {"size": size},
            },
        }
        (self.tenant / "common.yml").write_text(yaml.safe_dump(content))
        committed(self.tenant)
        git(self.tenant, "push", "--quiet", "origin", "HEAD")

    def compile(self, *words: str) -> Ran:
        """Compile the cluster; the catalog may be pushed."""
        facts = str(self.folder / "facts")
        given = ("-d", str(self.folder), "catalog", "compile", "c-demo-1", "--api-url", facts)
        return self._commodore(*given, *words)

    @property
    def remote(self) -> Path:
        return self.folder / "repos" / "catalog-c-demo-1.git"

    def head(self) -> str:
        """The commit of the catalog."""
        return git(self.remote, "rev-parse", "HEAD").strip()

    def pins(self) -> dict[str, str]:
        """The commits that the published Applications name."""
        found = {}
        for path in git(self.remote, "ls-tree", "-r", "--name-only", "HEAD", "manifests").split():
            if path.startswith(("manifests/apps/", "manifests/plan/")):
                content = yaml.safe_load(git(self.remote, "show", f"HEAD:{path}"))
                found[content["metadata"]["name"]] = content["spec"]["source"]["targetRevision"]
        return found

    def at(self, commit: str, path: str) -> str:
        """A file of the catalog."""
        return git(self.remote, "show", f"{commit}:manifests/{path}")


def committed(folder: Path) -> None:
    """Commit all files."""
    git(folder, "add", ".")
    who = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    git(folder, *who, "commit", "--quiet", "--allow-empty", "-m", "changed")


@pytest.fixture
def planned(tmp_path: Path, commodore: CommandLine, monkeypatch: pytest.MonkeyPatch) -> Planned:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    return Planned(tmp_path / "demo", commodore)


def test_push_pins_applications_to_commits_of_content(planned: Planned) -> None:
    ran = planned.compile("--push")

    assert ran.code == 0, ran.err
    pins = planned.pins()
    assert pins.pop("root-apps") == "HEAD"
    assert pins.keys() == {*NAMES, "plan-last"}
    assert {len(one) for one in pins.values()} == {40}
    for name in NAMES:
        assert "size: '1'" in planned.at(pins[name], f"{name}/settings.yaml")
    assert pins["three"] in planned.at(pins["plan-last"], "plan/last/three.yaml")

    again = planned.compile("--push")
    assert (again.code, planned.pins() | {"root-apps": ""}) == (0, pins | {"root-apps": ""})

    planned.set(size="2")
    before = planned.head()
    local = planned.compile()
    assert "pinned by the next push: three" in " ".join(local.err.split())
    assert planned.head() == before
    assert planned.compile("--push").code == 0
    after = planned.pins()
    assert {name for name, pin in pins.items() if after[name] != pin} == {"three", "plan-last"}
    assert "size: '2'" in planned.at(after["three"], "three/settings.yaml")

    forget_history(planned)
    rewritten = planned.compile("--push")
    assert rewritten.code == 0, rewritten.err
    assert "not in the branch" in " ".join(rewritten.err.split())
    commits = git(planned.remote, "rev-list", "HEAD").split()
    assert {pin for name, pin in planned.pins().items() if name != "root-apps"} <= set(commits)


def forget_history(planned: Planned) -> None:
    """Replace all commits by a single one with the same files, as a squash does."""
    who = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    made = git(planned.remote, *who, "commit-tree", "HEAD^{tree}", "-m", "squashed").strip()
    git(planned.remote, "update-ref", "HEAD", made)


@pytest.mark.long
def test_overtaken_push_pins_to_recreated_commits(
    planned: Planned, monkeypatch: pytest.MonkeyPatch
) -> None:
    pushed = GitCatalog.push

    def overtaken(sink: GitCatalog) -> None:
        monkeypatch.setattr(GitCatalog, "push", pushed)
        forget_history(planned)
        pushed(sink)

    assert planned.compile("--push").code == 0
    planned.set(size="2")
    monkeypatch.setattr(GitCatalog, "push", overtaken)

    ran = planned.compile("--push")

    assert ran.code == 0, ran.err
    commits = git(planned.remote, "rev-list", "HEAD").split()
    assert {pin for name, pin in planned.pins().items() if name != "root-apps"} <= set(commits)


def test_output_dir_is_not_pinned(planned: Planned, tmp_path: Path) -> None:
    ran = planned.compile("--output-dir", str(tmp_path / "out"))

    assert ran.code == 0, ran.err
    content = yaml.safe_load((tmp_path / "out" / "manifests" / "apps" / "one.yaml").read_text())
    assert content["spec"]["source"]["targetRevision"] == "HEAD"
    assert "pinned by the next push" in " ".join(ran.err.split())
