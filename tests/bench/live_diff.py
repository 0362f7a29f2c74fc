"""CPU of `live diff` with the cluster of a catalog: `python -m tests.bench.live_diff CATALOG`.

CATALOG is a checkout that was compiled; the cluster is our small server with all its objects, of
which each tenth was changed. The figure is the least of several runs, requests included.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from copy import deepcopy
from pathlib import Path
from typing import Any

from commodore_py.manifests.order.kinds import CLUSTER_SCOPED
from commodore_py.workflows.live.objects import read_objects
from tests.support.servers import kubernetes
from tests.support.servers.kubernetes import Cluster, Kind

_RUNS = 5
_CHANGED = 10


def fill(cluster: Cluster, catalog: Path) -> int:
    """Put all objects of a catalog there; how many they are."""
    objects = read_objects([str(catalog)]).objects
    count = 0
    for number, one in enumerate(objects):
        content: dict[str, Any] = deepcopy(dict(one.content))
        if not content["metadata"].get("name"):
            continue
        _serve(cluster, content)
        if number % _CHANGED == 0:
            content["metadata"].setdefault("labels", {})["changed"] = "yes"
        cluster.put(content)
        count += 1
    return count


def _serve(cluster: Cluster, content: dict[str, Any]) -> None:
    group, _, version = content["apiVersion"].rpartition("/")
    kind = content["kind"]
    if not any(
        (one.group, one.version, one.kind) == (group, version, kind) for one in cluster.kinds
    ):
        namespaced = (group, kind) not in CLUSTER_SCOPED
        made = Kind(group, version, kind, f"{kind.lower()}s", namespaced=namespaced)
        cluster.kinds.append(made)


def main(catalog: Path) -> None:
    """Measure, and print a line."""
    commodore = Path(sys.executable).parent / "commodore"
    with kubernetes.serve() as cluster, tempfile.TemporaryDirectory() as folder:
        objects = fill(cluster, catalog)
        place = Path(folder, "kubeconfig")
        place.write_text(kubernetes.kubeconfig_of(cluster.url))
        words: list[str | Path] = [
            commodore,
            "live",
            "diff",
            "c-demo-1",
            "--catalog",
            catalog.resolve(),
        ]
        words += ["--kubeconfig", place, "-o", "json"]
        figures = []
        for _ in range(_RUNS):
            before = _cpu()
            ran = subprocess.run(words, cwd=folder, capture_output=True, check=True, text=True)
            figures.append(_cpu() - before)
        requests = len(cluster.requests) // _RUNS
        found = len(json.loads(ran.stdout)["objects"])
        print(
            f"{objects} objects, {requests} requests, {found} changed:"
            f" {min(figures):.2f} s of CPU ({os.cpu_count()} cores)"
        )


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main(Path(sys.argv[1]))
