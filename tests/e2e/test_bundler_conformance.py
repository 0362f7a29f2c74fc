"""The Jsonnet libraries of real components, brought by us and by `jb`: the same `vendor/` and lock.

Needs CONF_MIRRORS, a folder with copies of public repositories as `OWNER+NAME/repo`, and a `jb`
(see `jb.py`; COMMODORE_JB=<Project Syn's fork> compares links, too). Nothing is fetched from
elsewhere: what is not mirrored is skipped with its name.
"""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml

from commodore_py.dependencies.jsonnet.cluster_libraries import jsonnetfile
from commodore_py.dependencies.jsonnet.component_libraries import PartialClones
from commodore_py.dependencies.jsonnet.fetch import Clones
from commodore_py.dependencies.jsonnet.install import install, render_jsonnetfiles
from tests.support.builders import git, git_succeeds, make_dependency
from tests.support.jb import find_jb
from tests.support.vendored import links, lock, reachable

if TYPE_CHECKING:
    from tests.support.jb import Jb

pytestmark = pytest.mark.e2e

_AT_MOST = 4
_SPELLINGS = (
    "https://github.com/{}.git",
    "https://github.com/{}",
    "ssh://git@github.com/{}.git",
    "git@github.com:{}.git",
)


@dataclass(frozen=True)
class Library:
    """A component that computes its list of libraries from a version."""

    repository: str
    commit: str
    variable: str
    """The external variable that its list is computed with."""
    versions: str
    """The parameter with the versions that it knows."""
    also: tuple[str, ...] = ()
    """More of them."""
    needs: tuple[str, ...] = ()
    """Repositories without which there is nothing to compare."""

    @property
    def name(self) -> str:
        """The component's name."""
        return self.repository.split("/component-")[1]


CASES = (
    Library(
        "projectsyn/component-prometheus",
        "b8d7a085ab5abe55574c4322e3d042d980215d72",
        "kube_prometheus_version",
        "_kube_prometheus_version",
        needs=("prometheus-operator/kube-prometheus", "grafana/jsonnet-libs"),
    ),
    Library(
        "appuio/component-openshift4-monitoring",
        "acaeb94fe0f564ade7cbb8a2bbaf3935b0ba116e",
        "cmo_version",
        "_cmo_version",
        also=("release-4.18",),
        needs=("projectsyn/jsonnet-libs", "openshift/cluster-monitoring-operator"),
    ),
)


@pytest.fixture(scope="module")
def jb() -> Jb:
    """Before a test has its empty home."""
    return find_jb()


@pytest.fixture(scope="module")
def mirrors() -> Path:
    """The folder with the copies."""
    folder_name = os.environ.get("CONF_MIRRORS")
    if not folder_name:
        pytest.skip("needs CONF_MIRRORS: a folder with mirrors as OWNER+NAME/repo")
    return Path(folder_name)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_same_libraries(
    jb: Jb, mirrors: Path, case: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for repository in (case.repository, *case.needs):
        if _mirror(mirrors, repository) is None:
            pytest.skip(f"there is no mirror of {repository}")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(_redirect(mirrors, tmp_path)))
    # A mirror without its largest files cannot be cloned as a whole.
    kinds = [PartialClones, *([Clones] if _are_complete(mirrors) else [])]
    compared = 0

    for number, version in enumerate(_versions(mirrors, case)):
        root = tmp_path / str(number)
        theirs = _write_work(mirrors, case, version, root / "theirs")
        done = jb.install(theirs)
        if "possible repository corruption" in done.stderr:
            continue  # the mirror lacks a file that jb wanted, and was not asked for by us
        if done.returncode and not jb.is_fork:
            continue  # upstream gives up where the fork goes on without a library
        assert done.returncode == 0, done.stderr
        for kind in kinds:
            ours = _write_work(mirrors, case, version, root / kind.__name__)
            install(ours, kind(ours / "dependencies/.repos"))

            assert lock(ours) == lock(theirs), version
            assert reachable(ours) == reachable(theirs), version
            if jb.is_fork:
                assert links(ours) == links(theirs), version
        compared += 1

    if not compared:
        pytest.skip("jb could bring no version: a mirror is missing, or it is not the fork")


def _mirror(mirrors: Path, repository: str) -> Path | None:
    base = mirrors / repository.replace("/", "+") / "repo"
    return next((one for one in (base / ".git", base) if (one / "objects").is_dir()), None)


def _are_complete(mirrors: Path) -> bool:
    """Whether every object of the mirrors is there."""
    every = [_mirror(mirrors, folder.name.replace("+", "/", 1)) for folder in mirrors.iterdir()]
    listing = ("rev-list", "--objects", "--all", "--missing=print")
    return not any("\n?" in git(mirror, *listing) for mirror in every if mirror is not None)


def _redirect(mirrors: Path, root: Path) -> Path:
    """Let Git find the mirrors where the lists say that libraries are."""
    lines = [
        "[safe]\n\tdirectory = *\n[uploadpack]\n\tallowAnySHA1InWant = true\n\tallowFilter = true\n"
    ]
    for folder in sorted(mirrors.iterdir()):
        repository = folder.name.replace("+", "/", 1)
        mirror = _mirror(mirrors, repository) if "+" in folder.name else None
        if mirror is not None:
            lines.append(f'[url "file://{mirror}"]\n')
            lines += [f"\tinsteadOf = {one.format(repository)}\n" for one in _SPELLINGS]
    config = root / "gitconfig"
    config.write_text("".join(lines))
    return config


def _versions(mirrors: Path, case: Library) -> list[str]:
    """The newest versions of its libraries that a component knows, each once."""
    parameters = yaml.safe_load(_read(mirrors, case, "class/defaults.yml"))["parameters"]
    known = parameters[case.name.replace("-", "_")][f"={case.versions}"].values()
    plain = (str(value) for value in known if "${" not in str(value))
    return list(dict.fromkeys((*plain, *case.also)))[-_AT_MOST:]


def _write_work(mirrors: Path, case: Library, version: str, work: Path) -> Path:
    component = work / "dependencies" / case.name
    (work / "dependencies/lib").mkdir(parents=True)
    (work / "dependencies/.repos").mkdir()
    component.mkdir()
    git(component, "init", "--quiet")
    (component / "jsonnetfile.jsonnet").write_bytes(_read(mirrors, case, "jsonnetfile.jsonnet"))
    parameters = {case.name.replace("-", "_"): {"jsonnetfile_parameters": {case.variable: version}}}
    render_jsonnetfiles([make_dependency(case.name, component)], parameters)
    (work / "jsonnetfile.json").write_bytes(jsonnetfile([case.name]))
    return work


def _read(mirrors: Path, case: Library, path: str) -> bytes:
    mirror = _mirror(mirrors, case.repository)
    assert mirror is not None
    revision = case.commit if git_succeeds(mirror, "cat-file", "-e", case.commit) else "HEAD"
    return subprocess.run(
        ["git", "show", f"{revision}:{path}"], cwd=mirror, capture_output=True, check=True
    ).stdout
