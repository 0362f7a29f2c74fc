"""The objects of a cluster at one moment, and who owns what."""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from commodore_py.manifests.objects import ObjectId

    from .records import Key, Record


@dataclass(frozen=True, slots=True)
class Graph:
    """Objects that can be reached from some roots, and what each of them owns, by UID."""

    roots: tuple[Record, ...]
    children: Mapping[str, tuple[Record, ...]]


class Objects:
    """Records by id and UID; copies of one UID are one node, under the first of its ids."""

    def __init__(self, records: Iterable[Record] = ()) -> None:
        self._by_id = {record.id: record for record in records}
        self._by_uid: dict[str, tuple[Record, ...]] = {}
        for record in sorted(self._by_id.values(), key=lambda record: record.id):
            self._by_uid[record.uid] = (*self._by_uid.get(record.uid, ()), record)

    def get(self, id_: ObjectId) -> Record | None:
        """The object of an id, copies included."""
        return self._by_id.get(id_)

    def copies(self, uid: str) -> tuple[Record, ...]:
        """All records of an object, that of its node first."""
        return self._by_uid.get(uid, ())

    def nodes(self) -> Iterator[Record]:
        """Every object once, by id."""
        return (copies[0] for copies in self._by_uid.values())

    def is_top_level(self, record: Record) -> bool:
        """Return whether it names no owner and none is inferred."""
        return not record.owners and record.uid not in self._have_owners

    def below(self, roots: Iterable[Record]) -> Graph:
        """Objects that the roots own, directly and indirectly."""
        first = tuple({root.uid: root for root in roots}.values())
        children: dict[str, tuple[Record, ...]] = {}
        left = deque(first)
        while left:
            record = left.popleft()
            if record.uid not in children:
                children[record.uid] = self._owned.get(record.uid, ())
                left += children[record.uid]
        return Graph(first, children)

    @cached_property
    def _owned(self) -> Mapping[str, tuple[Record, ...]]:
        """Owned objects by the UID of their owner."""
        offered: dict[Key, list[Record]] = defaultdict(list)
        for uid, copies in self._by_uid.items():
            for key in {uid, *(key for copy in copies for key in copy.offers)}:
                offered[key].append(copies[0])
        owned: dict[str, list[Record]] = defaultdict(list)
        for record in self.nodes():
            owners = {
                owner.uid
                for key in record.wants
                for owner in offered.get(key, ())
                # An owner within a namespace counts in that namespace only.
                if owner.id.namespace in ("", record.id.namespace)
            }
            for uid in owners:
                owned[uid].append(record)
        return {uid: tuple(records) for uid, records in owned.items()}

    @cached_property
    def _have_owners(self) -> frozenset[str]:
        return frozenset(record.uid for records in self._owned.values() for record in records)


def cycle_in(graph: Graph) -> tuple[ObjectId, ...]:
    """Objects that own themselves, in the end, and what they own; sorted."""
    records = {root.uid: root for root in graph.roots}
    records |= {child.uid: child for owned in graph.children.values() for child in owned}
    waits_for = dict.fromkeys(graph.children, 0)
    for owned in graph.children.values():
        for child in owned:
            waits_for[child.uid] += 1
    ready = [uid for uid, count in waits_for.items() if not count]
    while ready:
        uid = ready.pop()
        del waits_for[uid]
        for child in graph.children[uid]:
            waits_for[child.uid] -= 1
            if not waits_for[child.uid]:
                ready.append(child.uid)
    return tuple(sorted(records[uid].id for uid in waits_for))
