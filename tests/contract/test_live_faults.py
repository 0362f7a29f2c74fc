"""A cache of a real cluster: through an unreliable proxy, and a restart of the server."""

from __future__ import annotations

import random
import signal
import subprocess
import time
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from commodore_py.errors import CommodoreError
from commodore_py.live.access.client import Client
from commodore_py.live.cache.cluster import ClusterCache
from commodore_py.live.cache.settings import Settings
from tests.support.servers.real_kubernetes import Server
from tests.support.servers.unreliable import unreliable

from .test_cluster import eventually
from .test_live_commands import access, folder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.live.access.kubeconfig import Access
    from commodore_py.manifests.objects import ObjectId

__all__ = ["access", "folder"]  # fixtures

pytestmark = [
    pytest.mark.long,
    # A connection of a server that is killed may end by garbage collection only.
    pytest.mark.filterwarnings("ignore:Exception ignored in. <ssl.SSLSocket"),
]

NAMESPACE = "faults"
ROOT = f"/api/v1/namespaces/{NAMESPACE}/configmaps"
ROUNDS = 300


@pytest.fixture
def server(access: Access) -> Server:
    made = Server(access)
    content = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}
    made.send("POST", "/api/v1/namespaces", content)
    return made


def _configmap(name: str) -> dict[str, object]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {}}


def _held(cache: ClusterCache) -> dict[ObjectId, str]:
    """Versions of the ConfigMaps; leases and events of controllers change all the time."""
    return {
        id_: record.version
        for id_ in cache.list(namespaces=(NAMESPACE,))
        if id_.kind == "ConfigMap" and (record := cache.get(id_)) is not None
    }


def _fresh(access: Access) -> dict[ObjectId, str]:
    cache = ClusterCache(Client(access, timeout=10))
    try:
        cache.load()
        return _held(cache)
    finally:
        cache.close()


@contextmanager
def _following(access: Access) -> Iterator[ClusterCache]:
    cache = ClusterCache(Client(access, timeout=5), Settings(namespaces=(NAMESPACE,)))
    try:
        cache.follow()
        yield cache
    finally:
        cache.close()


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_cache_equals_a_fresh_list_after_all_faults(
    access: Access,
    server: Server,
    seed: int,
) -> None:
    chosen = random.Random(seed)  # noqa: S311 - the same each time
    events: list[tuple[str, str]] = []
    with unreliable(access, seed) as proxy, _following(replace(access, server=proxy.url)) as cache:
        cache.on_created(lambda record: events.append(("created", record.id.name)))
        cache.on_deleted(lambda id_: events.append(("deleted", id_.name)))
        proxy.harm = 0.3
        there: set[str] = set()
        for _ in range(ROUNDS):
            name = f"seed-{seed}-{chosen.randrange(20)}"
            if name not in there:
                server.send("POST", ROOT, _configmap(name))
                there.add(name)
            elif chosen.random() < 0.5:
                server.send("DELETE", f"{ROOT}/{name}", {})
                there.remove(name)
            else:
                change = {"data": {"a": str(chosen.random())}}
                server.send("PATCH", f"{ROOT}/{name}", change, "application/merge-patch+json")
            if chosen.random() < 0.1:
                proxy.cut()
            if chosen.random() < 0.2:
                time.sleep(0.1)
        proxy.harm = 0.0
        wanted = _fresh(access)
        assert eventually(lambda: _held(cache) == wanted)
        assert set(proxy.done) == {"slow", "busy", "failing", "half", "forgotten"}
    seen: dict[str, str] = {}
    for what, name in events:
        # No object is created twice, or deleted twice, in between.
        assert seen.get(name, "deleted") != what or name not in seen, (name, events)
        seen[name] = what


def _restarted(folder: Path) -> None:
    """End the API server, be without it for a moment, and start it again as it was."""
    pid = int((folder / "kube-apiserver.pid").read_text().split()[0])
    words = Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")[:-1]
    subprocess.run(["kill", f"-{signal.SIGKILL.value}", str(pid)], check=True)
    assert eventually(lambda: not Path(f"/proc/{pid}/cmdline").is_file() or _is_gone(pid))
    time.sleep(2)
    script = '"$@" >>"$LOG" 2>&1 & echo $!'
    log = {"LOG": str(folder / "kube-apiserver.log")}
    began = subprocess.run(
        ["setsid", "sh", "-c", script, "sh", *words], env=log, check=True, stdout=subprocess.PIPE
    )
    again = int(began.stdout)
    start = Path(f"/proc/{again}/stat").read_text().rpartition(")")[2].split()[19]
    (folder / "kube-apiserver.pid").write_text(f"{again} {start}\n")


def _is_gone(pid: int) -> bool:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"


def test_a_server_that_is_restarted_is_followed_again(
    access: Access,
    folder: Path,
    server: Server,
) -> None:
    server.send("POST", ROOT, _configmap("before"))
    deleted: list[str] = []
    with _following(access) as cache:
        cache.on_deleted(lambda id_: deleted.append(id_.name))
        before = _held(cache)

        _restarted(folder)
        assert eventually(lambda: _answers(access))
        Server(access).send("POST", ROOT, _configmap("after"))

        assert eventually(lambda: "after" in {one.name for one in _held(cache)})
        assert before.items() <= _held(cache).items()
        assert "before" not in deleted
        assert _held(cache) == _fresh(access)


def _answers(access: Access) -> bool:
    client = Client(access, timeout=1)
    try:
        return bool(client.get(ROOT))
    except CommodoreError:
        return False
    finally:
        client.close()
