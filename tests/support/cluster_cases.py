"""A cluster for command cases: its objects, what it refuses, and what commands did to it.

put      objects; remove: KIND/NAMESPACE/NAME, deleted ones
kinds    more kinds that are served: "GROUP VERSION KIND RESOURCE"
silent   GROUP/VERSION of APIs whose server is away
forbid   patterns of "VERB RESOURCE" that the user has no right to
refuse   by a regular expression of "METHOD PATH": [code, reason, message] of the
         answer, and its body, if that is no status
mutate   what admission webhooks add to objects in a dry run

Expected of a command: wrote, all "METHOD NAME" but GET that it sent, those of an inner list in any
order; asked, whether a part is in any "METHOD PATH"; has, "NAMESPACE/NAME" of all objects by
RESOURCE, or fields of an object by RESOURCE/NAMESPACE/NAME.
"""

from __future__ import annotations

import contextlib
import re
from fnmatch import fnmatch
from typing import TYPE_CHECKING, Any

from tests.support.servers import kubernetes
from tests.support.servers.kubernetes import Cluster, Kind, Refusal
from tests.support.tables import check_subset

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path


@contextlib.contextmanager
def serve_cluster(folder: Path, given: Mapping[str, Any] | None) -> Iterator[Cluster]:
    """A cluster that the file `kubeconfig` of a directory names, if anything is given."""
    if given is None:
        yield Cluster()
        return
    with kubernetes.serve() as cluster:
        (folder / "kubeconfig").write_text(kubernetes.kubeconfig_of(cluster.url))
        change_cluster(cluster, given)
        yield cluster


def change_cluster(cluster: Cluster, change: Mapping[str, Any]) -> None:
    """Change objects and behaviour; what `forbid` and `refuse` said before counts no more."""
    for kind in change.get("kinds", ()):
        cluster.kinds.append(Kind(*kind.split()))
    for name in change.get("remove", ()):
        kind, namespace, name_in_it = name.split("/")
        cluster.remove(kind, name_in_it, namespace)
    for content in change.get("put", ()):
        cluster.put(content)
    cluster.silent.update(change.get("silent", ()))
    forbidden, refusals = change.get("forbid", ()), change.get("refuse", {})
    cluster.allowed = lambda verb, _, resource: (
        not any(fnmatch(f"{verb} {resource}", pattern) for pattern in forbidden)
    )
    cluster.before = lambda method, path: next(
        (
            Refusal(*answer[:3], body=answer[3].encode() if answer[3:] else None)
            for pattern, answer in refusals.items()
            if re.search(pattern, f"{method} {path}")
        ),
        None,
    )
    cluster.mutate = lambda content: kubernetes.merged(content, change.get("mutate", {}))


def check_cluster(cluster: Cluster, step: Mapping[str, Any]) -> None:
    """Compare the requests of a command, and the objects after it."""
    requests = [f"{method} {path}" for method, path in cluster.requests]
    if "wrote" in step:
        writes = [request for request in requests if not request.startswith("GET ")]
        for item in step["wrote"]:
            group = [item] if isinstance(item, str) else item
            heads = [re.sub(r" [^?]*/([^/?]*).*", r" \1", text) for text in writes[: len(group)]]
            assert sorted(heads) == sorted(group), writes
            del writes[: len(group)]
        assert not writes
    for part, wanted in step.get("asked", {}).items():
        assert any(part in request for request in requests) is wanted, (part, requests)
    for place, content in step.get("has", {}).items():
        check_subset(_objects_at(cluster, place), content, place)


def _objects_at(cluster: Cluster, place: str) -> Any:  # noqa: ANN401 - JSON
    objects = {
        (table.rpartition("/")[2], namespace, name): content
        for (table, namespace, name), content in cluster.objects.items()
    }
    if "/" in place:
        resource, namespace, name = place.split("/")
        return objects.get((resource, namespace, name))
    return sorted(f"{space}/{name}" for resource, space, name in objects if resource == place)
