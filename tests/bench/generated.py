"""Generated clusters of several sizes, with values to edit."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from tests.support.builders import commit_to, git

from .cluster import Cluster, Edit

if TYPE_CHECKING:
    from collections.abc import Iterator

SIZES = ("S", "M", "L")

_HERE = Path(__file__).resolve()
_GENERATOR = _HERE.parents[3] / "shared" / "bench" / "gen_cluster.py"
_EDITED, _ONE = "alpha-operator", "argocd"


@contextmanager
def generated(root: Path, size: str) -> Iterator[Cluster]:
    """The cluster of that size, made unless it is there already, and served."""
    variable = os.environ.get("COMMODORE_GENERATOR")
    generator = Path(variable) if variable else _GENERATOR
    if not generator.is_file():
        sys.exit(f"there is no generator {generator}: name one in COMMODORE_GENERATOR")
    generate = [sys.executable, str(generator)]
    if not (root / "cluster.json").is_file():
        subprocess.run([*generate, "gen", "--root", str(root), "--size", size], check=True)
        _prepare_edits(root)
    facts = json.loads((root / "cluster.json").read_text("utf-8"))
    command = [*generate, "serve", "--root", str(root), "--port", "0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        yield Cluster(
            name=size,
            id=facts["cluster"],
            api_url=server.stdout.readline().strip(),
            programs=root / "bin",
            instances=len(facts["instances"]),
            edits=_edits(root / "repos", facts["tenant"]),
            component=root / "repos" / f"component-{_EDITED}.git",
        )
    finally:
        server.terminate()
        server.wait()


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
