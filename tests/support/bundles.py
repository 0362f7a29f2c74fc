"""A small hierarchy whose global configuration has bundles."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.support.builders import commit_to, component_files, git, make_repository, url_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command_line import CommandLine, Ran

_JSONNET = """\
local com = import 'lib/commodore.libjsonnet';
local params = com.inventory().parameters.{key};
{{ deployment: {{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: {{ name: '{name}' }},
  spec: {{ replicas: {replicas}, selector: {{ matchLabels: {{ app: '{selector}' }} }} }} }} }}
"""
_CLASS = """\
parameters:
  kapitan:
    compile:
      - input_paths: [{name}/component/main.jsonnet]
        input_type: jsonnet
        output_path: {name}/
"""


@dataclass
class Place:
    """Facts, repositories, and commands that use them."""

    root: Path
    commodore: CommandLine
    entries: dict[str, str] = field(default_factory=dict)

    @property
    def configuration(self) -> Path:
        """The global configuration."""
        return self.root / "global.git"

    def component(self, name: str, version: str, replicas: int = 1, selector: str = "") -> str:
        """Release a component; returns the commit."""
        repository = self.root / f"{name}.git"
        if not repository.is_dir():
            make_repository(repository, {})
        main = _JSONNET.format(key=name, name=name, replicas=replicas, selector=selector or name)
        files = {
            **component_files(name),
            f"class/{name}.yml": _CLASS.format(name=name),
            "component/main.jsonnet": main,
        }
        commit = commit_to(repository, files)
        git(repository, "tag", "--force", version)
        return commit

    def url(self, name: str) -> str:
        """The URL of a repository."""
        return url_of(self.root / f"{name}.git")

    def bundle(self, version: str, **versions: str) -> str:
        """Write the class of a bundle; returns its text."""
        text = "parameters:\n  components:\n" + "".join(
            f"    {name}:\n      url: {self.url(name)}\n      version: {one}\n"
            for name, one in versions.items()
        )
        name = version.replace(".", "-")
        commit_to(self.configuration, {f"bundles/{name}.yml": text})
        digest = hashlib.sha256(text.encode()).hexdigest()
        self.entries[version] = f"version: '{version}', class: {name}, sha256: {digest}"
        return text

    def index(self, *, order: str = "calver", **more: str) -> None:
        """Write the index of all bundles; `more` is added to the entry of `v<version>`."""
        lines = [f"schema: bundle-index/v1\norder: {order}\nbundles:\n"]
        for version, entry in self.entries.items():
            added = more.get(f"v{version.replace('.', '_')}", "")
            lines.append(f"  - {{{entry}{', ' if added else ''}{added}}}\n")
        commit_to(self.configuration, {"bundles/index.yml": "".join(lines)})

    def include(self, *classes: str) -> None:
        """Let the global configuration include these classes first."""
        lines = "".join(f"  - {one}\n" for one in (*classes, "${cluster:tenant}.${cluster:name}"))
        commit_to(self.configuration, {"commodore.yml": f"classes:\n{lines}"})

    def tenant(self, text: str) -> None:
        """Write the class of the cluster."""
        commit_to(self.root / "tenant.git", {"c-one.yml": text})

    def compile(self, *options: str) -> Ran:
        """Compile the cluster."""
        return self.run("catalog", "compile", "c-one", *options)

    def run(self, *words: str) -> Ran:
        """Run a command with the API of the place."""
        return self.commodore(*words, COMMODORE_API_URL=str(self.root / "facts"))


def make_place(root: Path, commodore: CommandLine) -> Place:
    """Two components, and a bundle that the global configuration includes."""
    found = Place(root, commodore)
    make_repository(root / "global.git", {})
    make_repository(root / "tenant.git", {"c-one.yml": "applications: [web, db]\n"})
    make_repository(root / "catalog.git", {})
    for kind, name, text in (
        ("clusters", "c-one", _cluster(root)),
        ("tenants", "t-one", f"id: t-one\ndisplayName: One\n{_repositories(root)}"),
    ):
        (root / "facts" / kind).mkdir(parents=True)
        (root / "facts" / kind / f"{name}.yaml").write_text(text)
    for name in ("web", "db"):
        found.component(name, "v1.0.0")
    found.bundle("2026.11.1", web="v1.0.0", db="v1.0.0")
    found.index()
    found.include(".bundles.2026-11-1")
    return found


def _cluster(root: Path) -> str:
    return f"""\
id: c-one
displayName: One
tenant: t-one
gitRepo:
  url: {url_of(root / "catalog.git")}
facts:
  cloud: none
  distribution: k3s
  region: here
"""


def _repositories(root: Path) -> str:
    return f"""\
gitRepo:
  url: {url_of(root / "tenant.git")}
globalGitRepoURL: {url_of(root / "global.git")}
"""
