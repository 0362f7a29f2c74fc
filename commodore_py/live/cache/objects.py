"""The objects of a cluster and who owns what; guarded by its user against several threads."""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from commodore_py.manifests.objects import ObjectId

    from .records import Key, Record


@dataclass(frozen=True, slots=True)
class Graph:
    """Objects that can be reached from some roots, and what each of them owns, by UID."""

    roots: tuple[Record, ...]
    children: Mapping[str, tuple[Record, ...]]


class Objects:
    """Records by id and UID; copies of one UID are one node, under the first of its ids."""

    def __init__(self) -> None:
        self._of_kind: dict[tuple[str, str], dict[ObjectId, Record]] = {}
        self._by_uid: dict[str, tuple[Record, ...]] = {}
        self._owned: dict[str, tuple[Record, ...]] | None = None
        self._have_owners: set[str] = set()

    def get(self, id_: ObjectId) -> Record | None:
        """The object of an id, copies included."""
        return self._of_kind.get((id_.group, id_.kind), {}).get(id_)

    def of_kind(self, group: str, kind: str, namespace: str = "") -> tuple[Record, ...]:
        """All objects of a kind, or those in a namespace."""
        records = self._of_kind.get((group, kind), {}).values()
        return tuple(one for one in records if not namespace or one.id.namespace == namespace)

    def copies(self, uid: str) -> tuple[Record, ...]:
        """All records of an object, that of its node first."""
        return self._by_uid.get(uid, ())

    def put(self, record: Record) -> None:
        """Add or replace an object."""
        self.remove(record.id)
        self._of_kind.setdefault((record.id.group, record.id.kind), {})[record.id] = record
        copies = (*self.copies(record.uid), record)
        self._by_uid[record.uid] = tuple(sorted(copies, key=lambda one: one.id))
        self._owned = None

    def remove(self, id_: ObjectId) -> None:
        """Remove an object."""
        record = self._of_kind.get((id_.group, id_.kind), {}).pop(id_, None)
        if record is None:
            return
        self._owned = None
        self._by_uid[record.uid] = tuple(one for one in self.copies(record.uid) if one.id != id_)
        if not self._by_uid[record.uid]:
            del self._by_uid[record.uid]

    def nodes(self) -> Iterator[Record]:
        """Every object once."""
        return (copies[0] for copies in self._by_uid.values())

    def is_top_level(self, record: Record) -> bool:
        """Whether it names no owner and none is inferred."""
        self._relate()
        return not record.owners and record.uid not in self._have_owners

    def below(self, roots: Iterable[Record]) -> Graph:
        """What the roots own, directly and indirectly."""
        owned = self._relate()
        first = tuple({one.uid: one for one in roots}.values())
        children: dict[str, tuple[Record, ...]] = {}
        left = deque(first)
        while left:
            record = left.popleft()
            if record.uid not in children:
                children[record.uid] = owned.get(record.uid, ())
                left += children[record.uid]
        return Graph(first, children)

    def _relate(self) -> Mapping[str, tuple[Record, ...]]:
        """What each object owns, by UID; related again after a change."""
        if self._owned is not None:
            return self._owned
        offered: dict[Key, list[Record]] = defaultdict(list)
        for uid, copies in self._by_uid.items():
            for key in {uid, *(key for one in copies for key in one.offers)}:
                offered[key].append(copies[0])
        owned: dict[str, list[Record]] = defaultdict(list)
        for record in sorted(self.nodes(), key=lambda one: one.id):
            owners = {
                owner.uid
                for key in record.wants
                for owner in offered.get(key, ())
                # An owner within a namespace counts in that namespace only.
                if owner.id.namespace in ("", record.id.namespace)
            }
            for uid in owners:
                owned[uid].append(record)
        self._owned = {uid: tuple(records) for uid, records in owned.items()}
        self._have_owners = {one.uid for records in owned.values() for one in records}
        return self._owned


def iterate(graph: Graph, action: Callable[[Record], bool]) -> tuple[tuple[ObjectId, ...], ...]:
    """Visit each object once, after those of its owners that are visited; the cycle found, if any.

    Where the action returns false, what only that object owns is left out.
    """
    records = {one.uid: one for one in graph.roots}
    records |= {child.uid: child for owned in graph.children.values() for child in owned}
    waits_for = dict.fromkeys(graph.children, 0)
    for owned in graph.children.values():
        for child in owned:
            waits_for[child.uid] += 1
    by_id = sorted(waits_for, key=lambda uid: records[uid].id)
    reached = {one.uid for one in graph.roots}
    ready = deque(uid for uid in by_id if not waits_for[uid])
    done: set[str] = set()
    cycles: list[tuple[ObjectId, ...]] = []
    while len(done) < len(waits_for):
        if not ready:  # the rest waits for itself
            members = [uid for uid in by_id if uid not in done]
            cycles.append(tuple(records[uid].id for uid in members))
            ready.append(next((uid for uid in members if uid in reached), members[0]))
        uid = ready.popleft()
        if uid in done:
            continue
        done.add(uid)
        is_followed = uid in reached and action(records[uid])
        for child in graph.children[uid]:
            waits_for[child.uid] -= 1
            if is_followed:
                reached.add(child.uid)
            if waits_for[child.uid] == 0:
                ready.append(child.uid)
    return tuple(cycles[:1])
