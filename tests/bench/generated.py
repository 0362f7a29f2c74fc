"""Generated clusters of several sizes, with values to edit.

X is what is too large for the peer: 600 components, which 40 clusters share. `M-http` is M with its
repositories on a server that answers after 20 ms.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from tests.support.builders import commit_to, git
from tests.support.servers import git_http

from .cluster import Cluster, Edit

if TYPE_CHECKING:
    from collections.abc import Iterator

SIZES = ("S", "M", "L", "X")
HTTP = "M-http"
ALONE = ("X",)
"""Sizes that the peer is not measured at."""

_HERE = Path(__file__).resolve()
_GENERATOR = _HERE.parents[3] / "shared" / "bench" / "gen_cluster.py"
_EDITED, _ONE = "alpha-operator", "argocd"
_COMPONENTS = {"X": ("--components", "600")}
_CLASSES, _CLUSTERS, _INSTANCES = 5000, 40, 800
_CLASSES_OF_A_FILE = 100
_DELAY = 0.02
_REPOSITORIES = r"file://[^\s\"]*/repos/|http://127\.0\.0\.1:\d+/git/"


def generator() -> Path:
    """The program that makes clusters, which may be missing."""
    variable = os.environ.get("COMMODORE_GENERATOR")
    return Path(variable) if variable else _GENERATOR


@contextmanager
def generated(root: Path, size: str) -> Iterator[Cluster]:
    """The cluster of that size, made unless it is there already, and served."""
    if not generator().is_file():
        sys.exit(f"there is no generator {generator()}: name one in COMMODORE_GENERATOR")
    generate = [sys.executable, str(generator())]
    if not (root / "cluster.json").is_file():
        like = _COMPONENTS.get(size, ("--size", size.removesuffix("-http")))
        subprocess.run([*generate, "gen", "--root", str(root), *like], check=True)
        _prepare_edits(root)
        if size == "X":
            _share(root)
    with ExitStack() as stack:
        if size == HTTP:
            server = stack.enter_context(git_http.serve(root / "repos"))
            server.behaviour.delay = _DELAY
            _move(root, server.url(""))
        facts = json.loads((root / "cluster.json").read_text("utf-8"))
        yield Cluster(
            name=size,
            id=facts["cluster"],
            api_url=stack.enter_context(_api([*generate, "serve", "--root", str(root)])),
            programs=root / "bin",
            instances=len(facts["instances"]),
            edits=_edits(root / "repos", facts["tenant"]),
        )


@contextmanager
def _api(serve: list[str]) -> Iterator[str]:
    server = subprocess.Popen([*serve, "--port", "0"], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
    finally:
        server.terminate()
        server.communicate()


def _move(root: Path, base: str) -> None:
    """Have URLs name repositories on a server; that of the catalog stays, as pushes need SSH."""
    facts = json.loads((root / "cluster.json").read_text("utf-8"))
    facts["urls"] |= {name: f"{base}{name}.git" for name in ("global", "tenant")}
    (root / "cluster.json").write_text(json.dumps(facts), encoding="utf-8")
    configuration = root / "repos" / "global.git"
    text = git(configuration, "show", "master:params.yml") + "\n"
    commit_to(configuration, {"params.yml": re.sub(_REPOSITORIES, base, text)})


def _share(root: Path) -> None:
    """Have 5,000 classes and 800 instances in all, and 40 clusters that include them."""
    facts = json.loads((root / "cluster.json").read_text("utf-8"))
    tenant, repository = facts["tenant"], root / "repos" / "tenant.git"
    others = _CLASSES - 2 * len(facts["components"])
    names = [f"shared.c{number // _CLASSES_OF_A_FILE}.n{number}" for number in range(others)]
    files = {
        f"{name.replace('.', '/')}.yml": f"parameters:\n  shared_{number % 50}:\n"
        f"    n{number}: '${{cluster:name}} {number}'\n"
        for number, name in enumerate(names)
    }
    files["shared/all.yml"] = yaml.safe_dump({"classes": [f"{tenant}.{name}" for name in names]})
    own = yaml.safe_load(git(repository, "show", f"master:{facts['cluster']}.yml"))
    own["classes"] = [f"{tenant}.shared.all", *own["classes"]]
    several = [name for name, kind in facts["components"].items() if kind == "multi"]
    more = {f"{name}-more": name for name in several[: _INSTANCES - len(facts["instances"])]}
    own["applications"] = [
        *own["applications"],
        *(f"{name} as {one}" for one, name in more.items()),
    ]
    facts["instances"] |= more
    (root / "cluster.json").write_text(json.dumps(facts), encoding="utf-8")
    clusters = [facts["cluster"], *(f"c-shared-{number:04}" for number in range(1, _CLUSTERS))]
    files |= {f"{cluster}.yml": yaml.safe_dump(own) for cluster in clusters}
    commit_to(repository, files)


def _prepare_edits(root: Path) -> None:
    """Give the tenant a class with a value that one instance uses, and one that all use."""
    facts = json.loads((root / "cluster.json").read_text("utf-8"))
    tenant, repository = facts["tenant"], root / "repos" / "tenant.git"
    keys = {*facts["components"], *facts["instances"]}
    parameters: dict[str, object] = {key.replace("-", "_"): {"replicas": "@"} for key in keys}
    parameters = {"bench_all": 1, **parameters}
    parameters[_ONE.replace("-", "_")] = {"motd": "bench 1", "replicas": "@"}
    text = yaml.safe_dump({"parameters": parameters}).replace("'@'", "${bench_all}")
    file = f"{facts['cluster']}.yml"
    content = yaml.safe_load(git(repository, "show", f"master:{file}"))
    content["classes"] = [*content["classes"], f"{tenant}.bench"]
    commit_to(repository, {file: yaml.safe_dump(content), "bench.yml": text})


def _edits(repositories: Path, tenant: str) -> dict[str, Edit]:
    bench = (repositories / "tenant.git", "bench.yml", f"inventory/classes/{tenant}/bench.yml")
    code = "component/main.jsonnet"
    return {
        "jsonnet": Edit(
            repositories / f"component-{_EDITED}.git",
            code,
            f"dependencies/{_EDITED}/{code}",
            r"params\.motd( \+ '\d+')?",
            "params.motd + '#'",
        ),
        "value of one": Edit(*bench, r"motd: bench \d+", "motd: bench #"),
        "value of all": Edit(*bench, r"bench_all: \d+", "bench_all: #"),
    }
