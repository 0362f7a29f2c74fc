"""Repositories that a small cluster is made of, and what happens to them meanwhile."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import yaml

from tests.support.builders import commit_to, git, git_succeeds, make_repository, url_of

if TYPE_CHECKING:
    from pathlib import Path

CLUSTER, TENANT = "c-one", "t-acme"
# Names that people and remotes both like to give to files; `new` is also a folder.
FILES = ("a.txt", "docs/b.txt", "new", "new/one.txt", "new/two.txt", "x.log", "z.txt")
VERSIONS = ("master", "feat", "v1", "commit")

_IGNORE = {".gitignore": "*.log\n"}
_META = "{multi_instance: true, multi_version: true}"
_GLOBAL = """
classes: ["${cluster:tenant}.common"]
parameters:
  components:
    alpha: {url: "${facts:alpha-url}", version: "${facts:alpha-version}"}
    alpha-2: {url: "${facts:alpha-2-url}", version: "${facts:alpha-2-version}"}
    beta: {url: "${facts:beta-url}", version: "${facts:beta-version}"}
    gamma:
      url: "${facts:gamma-url}"
      version: "${facts:gamma-version}"
      path: comps/gamma
  packages:
    pack: {url: "${facts:pack-url}", version: "${facts:pack-version}", path: pkgs/pack}
"""
_TENANT = "applications: [alpha, alpha as alpha-2, beta, gamma, pkg.pack]\n"


_COMPILE = "[{input_type: jsonnet, input_paths: [main.jsonnet], output_path: x}]"


def _component(name: str, folder: str = "") -> dict[str, str]:
    return {
        f"{folder}class/{name}.yml": f"parameters: {{kapitan: {{compile: {_COMPILE}}}}}\n",
        f"{folder}class/defaults.yml": f"parameters: {{{name}: {{_metadata: {_META}}}}}\n",
    }


_CONTENT: dict[str, dict[str, str]] = {
    "global": {"commodore.yml": _GLOBAL},
    "tenant": {"common.yml": _TENANT},
    "catalog": {"manifests/old/cm.yaml": "a: 1\n"},
    "alpha": _component("alpha"),
    "beta": _component("beta"),
    "mono": {**_component("gamma", "comps/gamma/"), "pkgs/pack/main.yml": "parameters: {}\n"},
}
_FORKED = ("tenant", "catalog", "alpha", "mono")

# What is wanted, by name: the repository that it comes from.
SOURCES = {
    "global": "global",
    "tenant": "tenant",
    "catalog": "catalog",
    "alpha": "alpha",
    "alpha-2": "alpha",
    "beta": "beta",
    "gamma": "mono",
    "pack": "mono",
}


@dataclass
class Remotes:
    """Bare repositories, and which of them a cluster wants in which version."""

    root: Path
    wanted: dict[str, tuple[str, str]] = field(default_factory=dict)
    """By name, a repository and a version; of a configuration, "" is the default branch."""
    ever: set[str] = field(default_factory=set)
    """Every object that was in a remote at some time."""

    def make(self) -> None:
        """Make the repositories; each has a branch `feat` and a tag `v1`, too."""
        for name, content in _CONTENT.items():
            repository = make_repository(self.path(name), {**content, **_IGNORE})
            commit_to(repository, {"a.txt": f"{name} a\n", "docs/b.txt": f"{name} b\n"})
            git(repository, "branch", "feat", "master")
            commit_to(repository, {"z.txt": f"{name} z\n"}, branch="feat")
            self._tag(repository)
        for name in _FORKED:
            fork = self.path(f"{name}-fork")
            shutil.copytree(self.path(name), fork)
            commit_to(fork, {"fork.txt": f"fork of {name}\n"})

    def begin(self) -> None:
        """What is wanted at first, of repositories that were made before."""
        for name, source in SOURCES.items():
            version = "" if name in ("global", "tenant", "catalog") else "master"
            self.wanted[name] = (source, version)
        self.publish()

    def path(self, name: str) -> Path:
        """A repository by name."""
        return self.root / "remotes" / f"{name}.git"

    def names(self) -> list[str]:
        """All repositories."""
        return sorted(path.stem for path in (self.root / "remotes").iterdir())

    def commit_of(self, name: str) -> str | None:
        """What a fresh checkout would have, or None if its version is not there any more."""
        source, version = self.wanted[name]
        repository = self.path(source)
        revision = f"{version or 'HEAD'}^{{commit}}"
        if not git_succeeds(repository, "rev-parse", "--quiet", "--verify", revision):
            return None
        commit = git(repository, "rev-parse", revision)
        held = ("for-each-ref", "--contains", commit, "refs/heads", "refs/tags")
        return commit if git(repository, *held) else None

    def incomplete(self) -> list[str]:
        """Names whose version lacks a file without which nothing compiles: somebody deleted it."""
        found = []
        for name, (source, version) in self.wanted.items():
            needed = {file for file in _CONTENT[source.removesuffix("-fork")] if "class" in file}
            tree = ("ls-tree", "-r", "--name-only", version or "HEAD")
            if needed - set(git(self.path(source), *tree).splitlines()):
                found.append(name)
        return found

    def change(self, repository: str, branch: str, file: str, text: str) -> None:
        """Somebody pushes a commit."""
        if git_succeeds(self.path(repository), "rev-parse", "--verify", f"refs/heads/{branch}"):
            commit_to(self.path(repository), {file: text}, branch=branch)

    def rewrite(self, repository: str, branch: str, file: str, text: str) -> None:
        """Somebody pushes another history by force."""
        path, content = self.path(repository), _CONTENT[repository.removesuffix("-fork")]
        self.note()
        git(path, "update-ref", "-d", f"refs/heads/{branch}")
        commit_to(path, {**content, **_IGNORE, file: text}, branch=branch)

    def move_tag(self, repository: str, *, annotated: bool) -> None:
        """Somebody gives the tag to another commit."""
        self.note()
        self._tag(self.path(repository), annotated=annotated)

    def toggle_branch(self, repository: str) -> None:
        """Somebody deletes the branch `feat`, or makes it again."""
        self.note()
        path = self.path(repository)
        if not git_succeeds(path, "branch", "-D", "feat"):
            git(path, "branch", "feat", "master")

    def want(self, name: str, version: str) -> None:
        """The cluster wants another version of something."""
        source, _ = self.wanted[name]
        if version == "commit":
            version = git(self.path(source), "rev-parse", "master")
        if name == "catalog":  # it has no version
            return
        if version == "master" and name in ("global", "tenant"):
            version = ""
        self.wanted[name] = (source, version)
        self.publish()

    def turn(self, name: str) -> bool:
        """The cluster wants something from the fork, or back; says whether there is one."""
        source, version = self.wanted[name]
        plain = source.removesuffix("-fork")
        if plain not in _FORKED:
            return False
        self.wanted[name] = (plain if source != plain else f"{plain}-fork", version)
        self.publish()
        return True

    def publish(self) -> None:
        """Write what is known about the cluster."""
        self.note()
        facts = {"cloud": "cloud-a", "distribution": "dist-b"}
        for name in ("alpha", "alpha-2", "beta", "gamma", "pack"):
            source, version = self.wanted[name]
            facts |= {f"{name}-url": url_of(self.path(source)), f"{name}-version": version}
        cluster = {
            "id": CLUSTER,
            "tenant": TENANT,
            "displayName": "Cluster One",
            "facts": facts,
            "gitRepo": {"url": self._url("catalog")},
        }
        tenant = {
            "id": TENANT,
            "displayName": "Acme",
            "gitRepo": {"url": self._url("tenant")},
            "globalGitRepoURL": self._url("global"),
            "tenantGitRepoRevision": self.wanted["tenant"][1],
            "globalGitRepoRevision": self.wanted["global"][1],
        }
        for kind, value in (("clusters", cluster), ("tenants", tenant)):
            folder = self.root / "facts" / kind
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{value['id']}.yaml").write_text(yaml.safe_dump(value))

    def note(self) -> None:
        """Take note of all that is in the remotes now."""
        for name in self.names():
            listed = git(self.path(name), "rev-list", "--objects", "--all")
            self.ever |= {line.split(" ", 1)[0] for line in listed.splitlines()}

    def _url(self, name: str) -> str:
        return url_of(self.path(self.wanted[name][0]))

    @staticmethod
    def _tag(repository: Path, *, annotated: bool = False) -> None:
        who = ("-c", "user.name=User", "-c", "user.email=user@example.com")
        how = ("--annotate", "--message", "v1") if annotated else ()
        git(repository, *who, "tag", "--force", *how, "v1", "master")
