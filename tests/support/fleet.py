"""A small cluster with everything behind it: facts, configuration, components, catalog."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import yaml

from commodore_py.config import Config, WorkPaths

from .builders import commit_to, git, make_repository, url_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

CLUSTER, TENANT = "c-one", "t-acme"

MAIN = """
local kap = import 'lib/kapitan.libjsonnet';
local inv = kap.inventory();
local instance = inv.parameters._instance;
local data = inv.parameters.@KEY@.data;
{ out: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: instance }, data: data } }
"""


@dataclass(frozen=True)
class Fleet:
    """Where everything is; changing it is one commit away."""

    root: Path

    @property
    def work(self) -> Path:
        """The working directory of compiles."""
        return self.root / "work"

    @property
    def catalog(self) -> Path:
        """The bare catalog repository."""
        return self.repository("catalog")

    def repository(self, name: str) -> Path:
        """A bare repository by name."""
        return self.root / "repos" / f"{name}.git"

    def config(self, **changes: Any) -> Config:  # noqa: ANN401 - Config checks them by name
        """Settings of a compile of this cluster."""
        return Config(
            **{"paths": WorkPaths(self.work), "api_url": str(self.root / "facts"), **changes}
        )

    def configure(self, values: Mapping[str, Any], *, repository: str = "tenant") -> str:
        """Replace the content of the tenant's (or the global) configuration."""
        file = "common.yml" if repository == "tenant" else "commodore.yml"
        return commit_to(self.repository(repository), {file: yaml.safe_dump(dict(values))})

    def change_data(self, value: str = "new") -> None:
        """Make component web compile to something else."""
        self.configure({"applications": ["web"], "parameters": {"web": {"data": {"of": value}}}})

    def catalog_files(self) -> dict[str, str]:
        """The files of the pushed catalog."""
        names = git(self.catalog, "ls-tree", "-r", "--name-only", "HEAD").splitlines()
        return {name: git(self.catalog, "show", f"HEAD:{name}") for name in names}


def make_fleet(root: Path, **components: Mapping[str, str]) -> Fleet:
    """A cluster that deploys these components; each maps file names to more or other content."""
    fleet = Fleet(root)
    for name, files in components.items():
        make_repository(
            fleet.repository(f"component-{dashed(name)}"),
            {**configmap_component(dashed(name)), **files},
        )
    names = [dashed(name) for name in components]
    make_repository(fleet.repository("catalog"), {})
    make_repository(fleet.repository("global"), {"commodore.yml": _global_classes(fleet, names)})
    make_repository(
        fleet.repository("tenant"), {"common.yml": yaml.safe_dump({"applications": names})}
    )
    facts = root / "facts"
    (facts / "clusters").mkdir(parents=True)
    (facts / "tenants").mkdir()
    cluster = {
        "id": CLUSTER,
        "tenant": TENANT,
        "displayName": "Cluster One",
        "facts": {"cloud": "cloud-a", "distribution": "dist-b"},
        "gitRepo": {"url": url_of(fleet.catalog)},
    }
    tenant = {
        "id": TENANT,
        "displayName": "Acme",
        "gitRepo": {"url": url_of(fleet.repository("tenant"))},
        "globalGitRepoURL": url_of(fleet.repository("global")),
    }
    (facts / "clusters" / f"{CLUSTER}.yaml").write_text(yaml.safe_dump(cluster))
    (facts / "tenants" / f"{TENANT}.yaml").write_text(yaml.safe_dump(tenant))
    return fleet


def configmap_component(name: str, main: str = MAIN) -> dict[str, str]:
    """The files of a component that makes one ConfigMap of its parameters."""
    key = name.replace("-", "_")
    defaults = {"parameters": {key: {"data": {"of": name}}}}
    compile_ = {
        "input_paths": ["${_base_directory}/component/main.jsonnet"],
        "input_type": "jsonnet",
        "output_path": "${_instance}",
    }
    return {
        "class/defaults.yml": yaml.safe_dump(defaults),
        f"class/{name}.yml": yaml.safe_dump({"parameters": {"kapitan": {"compile": [compile_]}}}),
        "component/main.jsonnet": main.replace("@KEY@", key),
    }


def component_entries(fleet: Fleet, names: list[str]) -> dict[str, dict[str, str]]:
    """`parameters.components` for these components."""
    return {
        name: {"url": url_of(fleet.repository(f"component-{name}")), "version": "master"}
        for name in names
    }


def dashed(name: str) -> str:
    """Component names carry dashes, Python's keywords cannot."""
    return name.replace("_", "-")


def _global_classes(fleet: Fleet, names: list[str]) -> str:
    return yaml.safe_dump(
        {
            "classes": ["${cluster:tenant}.common"],
            "parameters": {"components": component_entries(fleet, names)},
        }
    )
