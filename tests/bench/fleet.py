"""A fleet of generated clusters that share three configurations: what a cluster costs in one run.

`make bench-fleet`. Figures of one call may be compared, and no others.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml

from tests.support.builders import git, url_of
from tests.support.commodore import clean_environment, find_commodore

from .generated import _api, generator
from .measuring import Measured, measure

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_CONFIGURATIONS = 3
_BY_PEER = 10
_COMMODORE = Path(sys.executable).with_name("commodore")
_DASK = Path(sys.executable).with_name("dask")


@dataclass(frozen=True, slots=True)
class Fleet:
    """Facts of many clusters, and where they are compiled."""

    root: Path
    size: int

    @property
    def first(self) -> str:
        """The id of one of the clusters."""
        return "c-0000"

    def compile(self, home: str, *words: str) -> Measured:
        """Compile with the caches and the working directory of that name."""
        folder = self.root / home
        folder.mkdir(exist_ok=True)
        facts = ("--api-url", str(self.root / "facts"), "--diff", "none")
        command = (str(_COMMODORE), "-d", str(folder / "work"), "catalog", "compile")
        return measure((*command, *words, *facts), folder, self.environment(home))

    def environment(self, home: str) -> dict[str, str]:
        """Variables of a user with an empty home directory."""
        environment = clean_environment(self.root / home / "home")
        return environment | {"PATH": f"{self.root}/bin:{environment['PATH']}"}


def main() -> None:
    """Measure, and print each figure when it is there."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clusters", type=int, default=100)
    parser.add_argument("--root", type=Path, help="keep everything here")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        _measure(_generate((options.root or Path(temporary)).resolve(), options.clusters))


def _measure(fleet: Fleet) -> None:
    single = fleet.compile("single", fleet.first)
    _print("one cluster, cold", single, 1)
    one = fleet.compile("one", "--all", "--jobs", "1")
    _print("all, one process", one, fleet.size, single)
    two = fleet.compile("two", "--all", "--jobs", "2")
    _print("all, two processes", two, fleet.size, single)
    print(f"{'':24} wall, of one process: {two.wall / one.wall:.2f}")
    _print("nothing changed", fleet.compile("two", "--all", "--jobs", "2"), fleet.size, single)
    with _dask(fleet) as address:
        began = time.monotonic()
        dask = fleet.compile("dask", "--all", "--scheduler", address)
        wall = time.monotonic() - began
        more = (wall - two.wall) / fleet.size
        print(f"{'all, two Dask workers':24} wall {dask.wall:6.1f} s, {more:+.3f} s a cluster")
    try:
        peer = find_commodore()
    except pytest.skip.Exception as reason:
        sys.exit(f"nothing to compare with: {reason}")
    theirs = _compile_by_peer(fleet, peer)
    ratio = theirs / (two.cpu / fleet.size)
    print(f"{'Commodore, in a loop':24} CPU {theirs:5.2f} s a cluster: {ratio:.1f} times ours")


def _print(what: str, measured: Measured, clusters: int, single: Measured | None = None) -> None:
    cpu = measured.cpu / clusters
    share = f" ({cpu / single.cpu:.2f} of one alone)" if single else ""
    print(
        f"{what:24} CPU {cpu:5.2f} s a cluster{share}, wall {measured.wall:6.1f} s,"
        f" {measured.peak_mib:.0f} MiB the largest process",
        flush=True,
    )


def _generate(root: Path, size: int) -> Fleet:
    """Facts of clusters that take turns in using the generated configurations."""
    facts = root / "facts"
    for kind in ("clusters", "tenants"):
        (facts / kind).mkdir(parents=True, exist_ok=True)
    for number in range(_CONFIGURATIONS):
        folder = root / f"configuration-{number}"
        words = ("gen", "--root", str(folder), "--size", "S", "--seed", str(number + 1))
        subprocess.run([sys.executable, str(generator()), *words], check=True)
        made = json.loads((folder / "cluster.json").read_text("utf-8"))
        tenant = {
            "id": f"t-{number}",
            "displayName": made["tenant"],
            "gitRepo": {"url": made["urls"]["tenant"]},
            "globalGitRepoURL": made["urls"]["global"],
        }
        (facts / "tenants" / f"t-{number}.yaml").write_text(yaml.safe_dump(tenant))
        _include_for_all(folder / "repos", made)
    shutil.copytree(root / "configuration-0/bin", root / "bin", dirs_exist_ok=True)
    for number in range(size):
        catalog = root / "catalogs" / f"{number:04}.git"
        subprocess.run(["git", "init", "--quiet", "--bare", str(catalog)], check=True)
        cluster = {
            "id": f"c-{number:04}",
            "tenant": f"t-{number % _CONFIGURATIONS}",
            "displayName": f"Cluster {number}",
            "facts": {
                "distribution": "openshift4",
                "cloud": "cloudscale",
                "region": "rma1",
                "lieutenant-instance": "perf",
                "release_channel": "stable",
            },
            "gitRepo": {"url": url_of(catalog)},
        }
        (facts / "clusters" / f"c-{number:04}.yaml").write_text(yaml.safe_dump(cluster))
    return Fleet(root, size)


def _include_for_all(repositories: Path, made: Mapping[str, str]) -> None:
    """Have every cluster of any tenant include the classes of the generated one."""
    replacements = {
        "global": ("${cluster:name}", made["cluster"]),
        "tenant": (f"{made['tenant']}.", "${cluster:tenant}."),
    }
    with tempfile.TemporaryDirectory() as folder:
        for name, (old, new) in replacements.items():
            clone = Path(folder) / name
            git(Path(folder), "clone", "--quiet", str(repositories / f"{name}.git"), name)
            for file in clone.glob("*.yml"):
                file.write_text(file.read_text("utf-8").replace(old, new))
            git(clone, "commit", "--quiet", "--all", "--message", "Any cluster")
            git(clone, "push", "--quiet")


@contextmanager
def _dask(fleet: Fleet) -> Iterator[str]:
    """A scheduler and two workers, each with its own caches."""
    file = fleet.root / "scheduler.json"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    words = ("--no-dashboard", "--scheduler-file", str(file))
    with ExitStack() as stack:

        def start(home: str, *command: str) -> None:
            environment = fleet.environment(home)
            process = subprocess.Popen([_DASK, *command], env=environment, **quiet)  # type: ignore[call-overload]
            stack.callback(process.wait)
            stack.callback(process.terminate)

        start("scheduler", "scheduler", "--host", "127.0.0.1", "--port", "0", *words)
        while not file.is_file():
            time.sleep(0.1)
        for number in range(2):
            scratch = ("--local-directory", str(fleet.root / f"dask-{number}"))
            start(f"worker-{number}", "worker", "--nthreads", "1", *scratch, *words)
        time.sleep(5)
        yield str(json.loads(file.read_text("utf-8"))["address"])


def _compile_by_peer(fleet: Fleet, peer: Path) -> float:
    """The CPU seconds that Commodore takes for a cluster, one after the other."""
    seconds = 0.0
    folder = fleet.root / "configuration-0"
    with _api([sys.executable, str(generator()), "serve", "--root", str(folder)]) as url:
        cluster = json.loads((folder / "cluster.json").read_text("utf-8"))["cluster"]
        for number in range(_BY_PEER):
            work = fleet.root / "peer" / str(number)
            work.mkdir(parents=True)
            environment = fleet.environment("peer-home") | {
                "COMMODORE_API_TOKEN": "made-up",
                "COMMODORE_API_URL": url,
            }
            command = (str(peer), "-d", str(work), "catalog", "compile", cluster)
            seconds += measure(command, work, environment).cpu
    return seconds / _BY_PEER


if __name__ == "__main__":
    main()
