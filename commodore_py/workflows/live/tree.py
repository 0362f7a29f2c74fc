"""The objects of a cluster by their owners, with their health."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError
from commodore_py.manifests.health.assess import missing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from commodore_py.live.objects import Record
    from commodore_py.manifests.health.status import Health
    from commodore_py.manifests.objects import ObjectId

    from .cluster import LiveCluster


@dataclass(frozen=True, slots=True)
class Node:
    """An object and what it owns."""

    id: ObjectId
    health: Health | None
    inferred: bool
    """Whether its owner is inferred: the object names none."""
    unseen: str = ""
    """Why it cannot be read."""
    children: tuple[Node, ...] = ()
    seen_above: bool = False
    """Whether what it owns stands at another place of the tree."""


@dataclass(frozen=True, slots=True)
class Tree:
    """The roots of an application, or one object."""

    name: str
    roots: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class TreeReport:
    """The trees that were asked for."""

    trees: tuple[Tree, ...]
    cycle: tuple[ObjectId, ...]
    """Objects that own themselves, in the end."""


def tree_of(cluster: LiveCluster, root: str = "") -> TreeReport:
    """The tree of an application or object, or those of all applications."""
    ids_by_application: dict[str, list[ObjectId]] = {}
    for target in cluster.targets:
        if target.application is not None and root in ("", target.application):
            ids_by_application.setdefault(target.application, []).append(target.id)
    if root and not ids_by_application:
        ids_by_application[root] = [_named(cluster, root)]
    objects = cluster.seen.objects
    trees = []
    for name, ids in sorted(ids_by_application.items()):
        done: set[str] = set()
        nodes = tuple(_node(cluster, id_, objects.children, done) for id_ in sorted(ids))
        trees.append(Tree(name, nodes))
    return TreeReport(tuple(trees), objects.cycle())


def _node(
    cluster: LiveCluster,
    id_: ObjectId,
    children: Mapping[str, tuple[Record, ...]],
    done: set[str],
    *,
    inferred: bool = False,
) -> Node:
    record = cluster.seen.get(id_)
    if record is None:
        why = cluster.seen.why_unseen(id_.group, id_.kind, id_.namespace)
        return Node(id_, None if why else missing(), inferred, why)
    owned = children.get(record.uid, ())
    if record.uid in done:
        return Node(id_, _health(cluster, record), inferred, seen_above=bool(owned))
    done.add(record.uid)
    nodes = tuple(
        _node(
            cluster,
            child.id,
            children,
            done,
            inferred=record.uid not in child.owners,
        )
        for child in owned
    )
    return Node(id_, _health(cluster, record), inferred, children=nodes)


def _health(cluster: LiveCluster, record: Record) -> Health | None:
    return None if record.manifest is None else cluster.health(record.manifest)


def _named(cluster: LiveCluster, root: str) -> ObjectId:
    """`Kind/namespace/name`, or `Kind/name`."""
    kind, _, rest = root.partition("/")
    namespace, _, name = rest.rpartition("/")
    object_ids = [
        record.id
        for record in cluster.seen.objects.all()
        if record.id.kind.lower() == kind.lower()
        and record.id.name == name
        and record.id.namespace == namespace
    ]
    if not object_ids or not name:
        names = sorted({target.application for target in cluster.targets if target.application})
        raise CommodoreError(
            f"there is no application and no object {root} in the cluster",
            hint="name an object as Kind/namespace/name;"
            f" applications: {', '.join(names) or 'none'}",
        )
    return object_ids[0]
