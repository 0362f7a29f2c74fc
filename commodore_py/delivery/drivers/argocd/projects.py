"""Whether projects allow the destinations that a plan sets (pure)."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from commodore_py.delivery.drivers.applications import value_in
from commodore_py.delivery.findings import Finding

from .registration import server_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from commodore_py.delivery.drivers.documents import Document
    from commodore_py.delivery.settings import Cluster

    from .checks import Planned


def project_findings(
    planned: Iterable[Planned], projects: Iterable[Document], clusters: Mapping[str, Cluster]
) -> Iterator[Finding]:
    """Projects that forbid a remote cluster, and those that are not in the catalog."""
    known = {one.name: _destinations(one) for one in projects}
    for leaf, found in planned:
        for one in found if leaf.cluster else ():
            project = str(value_in(one.content, "spec", "project") or "default")
            cluster = clusters[leaf.cluster]
            wanted = {
                "name": server_name(cluster),
                "namespace": str(value_in(one.content, "spec", "destination", "namespace") or ""),
                "server": cluster.server,
            }
            if project not in known:
                message = f"project {project} is not in the catalog: its destinations are unknown"
                yield Finding("plan/project-unknown", message, leaf.path)
            elif not _allows(known[project], wanted):
                message = f"project {project} does not allow {one.name} on cluster {leaf.cluster}"
                lines = f"{{name: {wanted['name']}, namespace: {wanted['namespace']}}}"
                yield Finding(
                    "plan/project", message, leaf.path, f"add to its destinations {lines}"
                )


def _destinations(project: Document) -> list[Mapping[str, Any]]:
    found = value_in(project.content, "spec", "destinations")
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _allows(destinations: Iterable[Mapping[str, Any]], wanted: Mapping[str, str]) -> bool:
    fitting = [one for one in destinations if _fits(one, wanted)]
    denied = any(str(value).startswith("!") for one in fitting for value in one.values())
    return bool(fitting) and not denied


def _fits(one: Mapping[str, Any], wanted: Mapping[str, str]) -> bool:
    """A destination is one of a server or of a name; a pattern with `!` denies what it matches."""
    matching = {
        key for key in wanted if fnmatchcase(wanted[key], str(one.get(key) or "").removeprefix("!"))
    }
    return "namespace" in matching and bool({"name", "server"} & matching)
