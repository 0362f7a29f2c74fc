"""Our cache of a cluster beside that of Argo CD's engine: CPU, time and memory, in one run.

`python -m tests.bench.cluster_cache KUBECONFIG ENGINE [--objects N]`: KUBECONFIG is that of a
server to fill (a real one: shared/real), ENGINE is the program in `engine_cache`, built with the
`go.mod` of shared/real's oracle. Each runs alone and in turn. CPU and memory are those of the
process, from before the first request on.
"""

from __future__ import annotations

import argparse
import json
import os
import ssl
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPSConnection
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from commodore_py.live.access import kubeconfig
from commodore_py.live.access.client import Client
from commodore_py.live.cache.cluster import ClusterCache

_NAMESPACES = 200
_EVENTS = 1_000
_STEP = 100
_TICKS = os.sysconf("SC_CLK_TCK")
_JSON, _MERGE = "application/json", "application/merge-patch+json"


class Server:
    """Requests as fast as they are answered, on one connection, or on one for each."""

    def __init__(self, access: kubeconfig.Access, *, keep: bool = True) -> None:
        self._keep = keep
        context = ssl.create_default_context(cadata=access.authority.decode())
        host = urlsplit(access.server)
        self._connection = HTTPSConnection(host.hostname or "", host.port, context=context)
        self._headers = {"Authorization": f"Bearer {access.user.token}"}

    def send(self, method: str, path: str, content: object, form: str = _JSON) -> dict[str, Any]:
        """The answer; an object that is there already is left as it is."""
        headers = {**self._headers, "Content-Type": form}
        self._connection.request(method, path, json.dumps(content), headers)
        response = self._connection.getresponse()
        found: dict[str, Any] = json.load(response)
        if not self._keep:
            self._connection.close()  # the next request opens it again
        if response.status >= 300 and response.status != 409:
            raise RuntimeError(f"{method} {path}: {found}")
        return found


def fill(access: kubeconfig.Access, objects: int) -> None:
    """So many objects: half of them ConfigMaps, else Deployments with a ReplicaSet each."""
    names = [f"load-{number:03}" for number in range(_NAMESPACES)]
    each = objects // _NAMESPACES

    def some(chosen: list[str]) -> None:
        server = Server(access)
        for name in chosen:
            metadata = {"name": name}
            namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}
            server.send("POST", "/api/v1/namespaces", namespace)
            for number in range(each // 2):
                server.send("POST", f"/api/v1/namespaces/{name}/configmaps", _configmap(number))
            for number in range(each // 4):
                root = f"/apis/apps/v1/namespaces/{name}"
                made = server.send("POST", f"{root}/deployments", _workload("Deployment", number))
                owner = {key: made[key] for key in ("apiVersion", "kind")} if "kind" in made else {}
                owner |= {key: made["metadata"].get(key) for key in ("name", "uid")}
                if owner["uid"]:
                    owned = _workload("ReplicaSet", number, ownerReferences=[owner])
                    server.send("POST", f"{root}/replicasets", owned)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(some, (names[at::40] for at in range(40))))


def _metadata(number: int, **more: object) -> dict[str, Any]:
    labels = {
        "app.kubernetes.io/name": f"web-{number}",
        "app.kubernetes.io/instance": "shop",
        "app.kubernetes.io/managed-by": "commodore",
    }
    return {"name": f"web-{number}", "labels": labels, **more}


def _configmap(number: int) -> dict[str, Any]:
    data = {f"key-{key}": "some value of a usual length " * 3 for key in range(8)}
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": _metadata(number),
        "data": data,
    }


def _workload(kind: str, number: int, **more: object) -> dict[str, Any]:
    labels = {"app.kubernetes.io/name": f"web-{number}"}
    container = {
        "name": "web",
        "image": "registry.example.com/web:1",
        "env": [{"name": f"NAME_{one}", "value": "some value"} for one in range(10)],
        "ports": [{"name": "http", "containerPort": 8080}],
    }
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": _metadata(number, **more),
        "spec": {
            "replicas": 2,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
        },
    }


class Figures(NamedTuple):
    """What one cache took."""

    objects: int
    seconds: float
    cpu: float
    """Of the first list."""
    memory: int
    """In KiB: what the process grew by until all was loaded."""
    most: int
    """In KiB: the largest the process was."""
    events_cpu: float
    """Of 1,000 updates."""


class Process:
    """A cache in a process of its own."""

    def __init__(self, words: list[str]) -> None:
        self._process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        self._folder = Path("/proc", str(self._process.pid))

    def said(self, word: str) -> int:
        """Wait for a line; the number in it."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            first, _, number = line.strip().partition(" ")
            if first == word:
                return int(number or 0)
        raise RuntimeError(f"the cache ended before it said {word}")

    def cpu(self) -> float:
        """Seconds until now."""
        fields = (self._folder / "stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS

    def memory(self, field: str = "VmRSS") -> int:
        """KiB now."""
        lines = (self._folder / "status").read_text().splitlines()
        (found,) = [line.split()[1] for line in lines if line.startswith(f"{field}:")]
        return int(found)

    def end(self) -> None:
        """Kill it."""
        self._process.kill()
        self._process.communicate()


def measured(words: list[str], access: kubeconfig.Access) -> Figures:
    """The figures of one program."""
    process = Process(words)
    try:
        process.said("begin")
        before, cpu, began = process.memory(), process.cpu(), time.monotonic()
        objects = process.said("ready")
        seconds, loaded = time.monotonic() - began, process.cpu()
        time.sleep(5)  # watches begin
        memory, idle = process.memory() - before, process.cpu()
        _update(access)
        while process.said("seen") < _EVENTS:
            pass
        took = process.cpu() - idle
        return Figures(objects, seconds, loaded - cpu, memory, process.memory("VmHWM"), took)
    finally:
        process.end()


def _update(access: kubeconfig.Access) -> None:
    server = Server(access)
    for number in range(_EVENTS):
        name = f"web-{number // _NAMESPACES}"
        path = f"/api/v1/namespaces/load-{number % _NAMESPACES:03}/configmaps/{name}"
        patch = {"metadata": {"labels": {"changed": str(time.monotonic_ns())}}}
        server.send("PATCH", path, patch, _MERGE)


def ours(access: kubeconfig.Access) -> None:
    """Our cache, as the engine's program is."""
    cache = ClusterCache(Client(access))
    seen = 0

    def count(_: object) -> None:
        nonlocal seen
        seen += 1
        if seen % _STEP == 0:
            print("seen", seen, flush=True)

    print("begin", flush=True)
    cache.follow()
    cache.on_updated(count)
    print("ready", cache.info().objects, flush=True)
    time.sleep(3600)


def main() -> None:
    """Fill the server, measure, and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kubeconfig")
    parser.add_argument("engine", help="the program; `-` to be our cache alone")
    parser.add_argument("--objects", type=int, default=50_000)
    parser.add_argument("--rounds", type=int, default=2)
    options = parser.parse_args()
    access = kubeconfig.find(options.kubeconfig, variables={}, home=Path("/nowhere"))
    if options.engine == "-":
        ours(access)
        return
    fill(access, options.objects)
    programs = {
        "ours": [sys.executable, "-m", "tests.bench.cluster_cache", options.kubeconfig, "-"],
        "engine": [options.engine, options.kubeconfig],
    }
    for _ in range(options.rounds):
        for name, words in programs.items():
            found = measured(words, access)
            print(
                f"{name}: {found.objects} objects, first list {found.seconds:.1f} s,"
                f" CPU {found.cpu:.2f} s, per {_EVENTS} events {found.events_cpu:.2f} s,"
                f" memory {found.memory / 1024:.0f} MiB"
                f" ({found.memory / found.objects:.2f} KiB an object),"
                f" at most {found.most / 1024:.0f} MiB",
                flush=True,
            )


if __name__ == "__main__":
    main()
