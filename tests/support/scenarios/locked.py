"""A cluster with inputs of every kind, and compiles of it with a lock."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import yaml

from commodore_py import pipeline
from commodore_py.dependencies.lock.file import LockFile
from commodore_py.errors import CommodoreError
from tests.support.builders import commit_to, errors_in, git, make_repository, url_of
from tests.support.fleet import CLUSTER, Fleet, component_entries, make_fleet
from tests.support.servers.charts import chart_repository, tar_archive

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import pytest

    from commodore_py.config import Config
    from commodore_py.dependencies.lock.document import Lock
    from commodore_py.model.published import Published
    from tests.support.servers.web import Web

LIBRARY_URL = "https://git.example.com/me/library.git"
MAIN = """
local kap = import 'lib/kapitan.libjsonnet';
local library = import 'library/main.libsonnet';
local read(path) = std.parseJson(kap.yaml_load(path));
{ out: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: {
  library: library.is,
  file: read('vendor/lib/fetched/data.yaml').is,
  repository: read('vendor/lib/repository/in/data.yaml').is,
  chart: read('vendor/lib/chart/Chart.yaml').description,
  fact: kap.inventory().parameters.facts.cloud,
} } }
"""


@dataclass(frozen=True)
class LockedCluster:
    """Everything that one cluster is made of; any of it may move."""

    fleet: Fleet
    web: Web

    @classmethod
    def make(cls, root: Path, web: Web, monkeypatch: pytest.MonkeyPatch) -> LockedCluster:
        """A cluster with a library, an archive, a repository and a chart."""
        (root / "gitconfig").write_text(
            f'[url "file://{root}/git.example.com/"]\n insteadOf = https://git.example.com/\n'
            "[user]\n name = me\n email = me@example.com\n"
        )
        made = cls.opened(root, web, monkeypatch)
        make_repository(root / "git.example.com/me/library.git", {"main.libsonnet": _library("1")})
        make_repository(root / "remotes/r.git", {"in/data.yaml": "is: '1'\n"})
        make_fleet(root, app=_app(root, web), web={})
        made.request()
        made.put_file("1")
        made.put_chart("1.0.0", "1")
        return made

    @classmethod
    def opened(cls, root: Path, web: Web, monkeypatch: pytest.MonkeyPatch) -> LockedCluster:
        """A cluster that was made before."""
        monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(root / "gitconfig"))
        return cls(Fleet(root), web)

    @property
    def file(self) -> Path:
        """The lock file."""
        return self.fleet.root / "it.lock"

    @property
    def lock(self) -> Lock:
        """What it says."""
        return LockFile.read(self.file).lock

    def put_file(self, content: str) -> None:
        """Replace the archive of the web server."""
        archive = tar_archive({"data.yaml": f"is: '{content}'\n"})
        self.web.put("/a.tgz", archive, content_type="application/gzip")

    def put_chart(self, version: str, content: str) -> None:
        """Replace the only version of the chart."""
        about = f"apiVersion: v2\nname: own\nversion: {version}\ndescription: '{content}'\n"
        described = tar_archive({"own/Chart.yaml": about})
        chart_repository(self.web, {("own", version): described})

    def move(self, what: str, content: str) -> None:
        """Give an input other content, under the same name."""
        match what:
            case "library":
                place = self.fleet.root / "git.example.com/me/library.git"
                commit_to(place, {"main.libsonnet": _library(content)})
            case "repository":
                place = self.fleet.root / "remotes/r.git"
                commit_to(place, {"in/data.yaml": f"is: '{content}'\n"})
            case "file":
                self.put_file(content)
            case "chart":
                self.put_chart(f"1.0.{content}", content)
            case "component":
                place = self.fleet.repository("component-web")
                defaults = {"parameters": {"web": {"data": {"of": content}}}}
                commit_to(place, {"class/defaults.yml": yaml.safe_dump(defaults)})
            case "tenant":
                self.configure(parameters={"app": {"x": content}, "web": {"data": {"t": content}}})
            case _:
                raise ValueError(what)

    def unpin_tenant(self) -> None:
        """Leave the commit of the tenant open, as a lock that is part of its repository does."""
        text = self.file.read_text()
        url = self.lock.blocks["config", "tenant"].text("url") if "tenant" in text else ""
        part = re.compile(r'\[config\."tenant"\]\n(?:.+\n)+\n')
        own = f'[config."tenant"]\nurl = "{url}"\nrequested = ""\npinned = false\n\n'
        self.file.write_text(part.sub(own, text) if part.search(text) else f"{text}\n{own}")

    def request(self) -> None:
        """Let the global configuration come before the tenant's."""
        entries = component_entries(self.fleet, ["app", "web"])
        commit_to(
            self.fleet.repository("global"),
            {
                "commodore.yml": "classes: [global.components, '${cluster:tenant}.common']\n",
                "components.yml": yaml.safe_dump({"parameters": {"components": entries}}),
            },
        )

    def request_chart(self, version: str) -> None:
        """Request this version of the chart, and no other."""
        place = self.fleet.repository("component-app")
        values = yaml.safe_load(git(place, "show", "master:class/app.yml"))
        values["parameters"]["kapitan"]["dependencies"][2]["version"] = version
        commit_to(place, {"class/app.yml": yaml.safe_dump(values)})

    def configure(self, *applications: str, **values: object) -> None:
        """Replace the tenant's configuration."""
        self.fleet.configure({"applications": list(applications or ("app", "web")), **values})

    def compile(self, **settings: Any) -> dict[str, str]:  # noqa: ANN401 - Config checks them by name
        """What a compile makes, with the lock."""
        self.run(**settings)
        return files_below(settings["paths"].compiled) if "paths" in settings else self.made()

    def made(self) -> dict[str, str]:
        """What the last compile made."""
        return files_below(self.fleet.work / "compiled")

    def run(self, **settings: Any) -> Published:  # noqa: ANN401 - as above
        """Compile with the lock."""
        config = self.fleet.config(
            **{"download_cache": self.fleet.root / "cache", "lock_file": self.file, **settings}
        )
        return pipeline.compile_catalog(config, CLUSTER, lambda _: False)

    def refused(self, **settings: Any) -> tuple[CommodoreError, ...]:  # noqa: ANN401 - as above
        """The errors of a compile that ends with one."""
        try:
            self.run(**settings)
        except CommodoreError as error:
            return errors_in(error)
        raise AssertionError("it compiled")

    def forget(self, *names: str) -> None:
        """Put folders away that a run leaves behind."""
        for name in names or ("work", "cache"):
            place = self.fleet.root / name
            if place.exists():
                place.rename(place.with_name(f"{name}-{len(list(self.fleet.root.iterdir()))}"))


def files_below(folder: Path) -> dict[str, str]:
    """The files of a folder with their content."""
    return {
        str(path.relative_to(folder)): path.read_text()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def _library(content: str) -> str:
    return f"{{ is: '{content}' }}"


def _app(root: Path, web: Web) -> Mapping[str, str]:
    wanted = [
        {
            "type": "https",
            "source": web.put("/a.tgz"),
            "output_path": "vendor/lib/fetched",
            "unpack": True,
        },
        {
            "type": "git",
            "source": url_of(root / "remotes/r.git"),
            "ref": "master",
            "output_path": "vendor/lib/repository",
        },
        {
            "type": "helm",
            "source": web.put("/charts"),
            "chart_name": "own",
            "output_path": "vendor/lib/chart",
        },
    ]
    entry = {
        "input_paths": ["${_base_directory}/component/main.jsonnet"],
        "input_type": "jsonnet",
        "output_path": "${_instance}",
    }
    source = {"git": {"remote": LIBRARY_URL, "subdir": ""}}
    libraries = {"dependencies": [{"source": source, "version": "master"}], "legacyImports": True}
    return {
        "class/app.yml": yaml.safe_dump(
            {"parameters": {"kapitan": {"dependencies": wanted, "compile": [entry]}}}
        ),
        "component/main.jsonnet": MAIN,
        "jsonnetfile.json": json.dumps(libraries),
    }


def replace_history(repository: Path) -> None:
    """Give the branch another history with the same files."""
    tree = git(repository, "rev-parse", "HEAD^{tree}")
    old = git(repository, "rev-parse", "HEAD")
    commit = git(repository, "commit-tree", tree, "-m", f"another history after {old}")
    git(repository, "update-ref", "refs/heads/master", commit)


def tag(repository: Path, name: str, commit: str) -> None:
    """Put a tag at a commit."""
    git(repository, "tag", "--force", name, commit)


def settings_of(config: Config) -> dict[str, Any]:
    """All settings by name."""
    return {one.name: getattr(config, one.name) for one in fields(config)}
