"""`catalog compile --local --no-fetch-dependencies`, ours and the peer's in turn, on one cluster.

FOLDER is what `gen_cluster.py gen` made. Both compile it once in full, in a folder of their own,
which is not counted; then they take turns. Figures count only if both wrote the same bytes.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
from pathlib import Path
from typing import Any

import yaml

from tests.e2e.peer import clean_environment, find_peer, serve_facts

from .measuring import Measured, measure, report

_LOCAL = ("--local", "--no-fetch-dependencies")
_OURS = (sys.executable, "-m", "commodore_py")


def main() -> None:
    """Measure each cluster, and print medians and their ratios."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.local", description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER")
    parser.add_argument("--runs", type=int, default=3, help="runs of each (default: 3)")
    options = parser.parse_args()
    peer = (str(find_peer()),)
    print(f"{platform.platform()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    for folder in options.folders:
        with tempfile.TemporaryDirectory(prefix="commodore-bench-") as scratch:
            _compare(folder.resolve(), Path(scratch).resolve(), peer, options.runs)


def _compare(cluster: Path, root: Path, peer: tuple[str, ...], runs: int) -> None:
    facts = json.loads((cluster / "cluster.json").read_text("utf-8"))
    _write_facts(root / "facts", facts)
    compile_ = ("catalog", "compile", facts["cluster"])
    commands = {
        "peer": (*peer, *compile_),
        "ours": (*_OURS, *compile_, "--processes", "1"),
        "ours, workers": (*_OURS, *compile_),
    }
    places = {name: root / name.partition(",")[0] for name in commands}
    taken: dict[str, list[Measured]] = {name: [] for name in commands}
    with serve_facts(root / "facts") as server:
        environment = _environment(root / "home", cluster / "bin", server.url)
        for name in ("peer", "ours"):
            places[name].mkdir()
            measure(commands[name], places[name], environment)
        for _ in range(runs):
            for name, command in commands.items():
                taken[name].append(measure((*command, *_LOCAL), places[name], environment))
    files = _differing(places["ours"] / "compiled", places["peer"] / "compiled")
    if files:
        sys.exit(f"{cluster}: not the same bytes: {', '.join(files[:5])}")
    report(f"{cluster.name}, one process", taken["ours"], taken["peer"])
    report(f"{cluster.name}, as many as there are cores", taken["ours, workers"], taken["peer"])


def _environment(home: Path, tools: Path, api_url: str) -> dict[str, str]:
    environment = clean_environment(home)
    return environment | {
        "COMMODORE_API_TOKEN": "made-up",
        "COMMODORE_API_URL": api_url,
        "GIT_AUTHOR_EMAIL": "bench@example.com",
        "GIT_AUTHOR_NAME": "Bench",
        "PATH": f"{tools}{os.pathsep}{environment['PATH']}",
    }


def _write_facts(folder: Path, generated: dict[str, Any]) -> None:
    """The cluster and its tenant, as a Lieutenant server would tell them."""
    urls, cluster, tenant = generated["urls"], generated["cluster"], generated["tenant"]
    told = {
        f"clusters/{cluster}": {
            "id": cluster,
            "tenant": tenant,
            "displayName": "Generated cluster",
            "facts": {"cloud": "cloudscale", "distribution": "openshift4", "region": "rma1"},
            "dynamicFacts": {"kubernetes_version": {"major": "1", "minor": "30"}},
            "gitRepo": {"url": urls["catalog"]},
        },
        f"tenants/{tenant}": {
            "id": tenant,
            "displayName": "Generated tenant",
            "gitRepo": {"url": urls["tenant"]},
            "globalGitRepoURL": urls["global"],
            "globalGitRepoRevision": "master",
        },
    }
    for name, content in told.items():
        path = folder / f"{name}.yaml"
        path.parent.mkdir(parents=True)
        path.write_text(yaml.safe_dump(content), encoding="utf-8")


def _differing(one: Path, other: Path) -> list[str]:
    contents = [
        {str(file.relative_to(folder)): file.read_bytes() for file in _files_in(folder)}
        for folder in (one, other)
    ]
    names = contents[0].keys() | contents[1].keys()
    return sorted(name for name in names if contents[0].get(name) != contents[1].get(name))


def _files_in(folder: Path) -> list[Path]:
    found = [path for path in folder.rglob("*") if path.is_file()]
    if not found:
        sys.exit(f"nothing was compiled to {folder}")
    return found


if __name__ == "__main__":
    main()
