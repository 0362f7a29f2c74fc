"""The objects of a cluster and who owns what; guarded by its user against several threads."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from commodore_py.manifests.objects import ObjectId

    from .records import Key, Record


class Graph(NamedTuple):
    """Objects that can be reached from some roots, and what each of them owns."""

    roots: tuple[Record, ...]
    children: Mapping[str, tuple[Record, ...]]
    """By UID."""
    cycles: tuple[tuple[ObjectId, ...], ...] = ()


class Objects:
    """Records by id and UID; copies of one UID are one node, under the first of its ids."""

    def __init__(self) -> None:
        self._of_kind: dict[tuple[str, str], dict[ObjectId, Record]] = {}
        self._by_uid: dict[str, tuple[Record, ...]] = {}
        self._offered: dict[Key, set[str]] = {}
        self._wanted: dict[Key, set[str]] = {}

    def __len__(self) -> int:
        return sum(map(len, self._of_kind.values()))

    def get(self, id_: ObjectId) -> Record | None:
        """The object of an id, copies included."""
        return self._of_kind.get((id_.group, id_.kind), {}).get(id_)

    def of_kind(self, group: str, kind: str, namespace: str = "") -> tuple[Record, ...]:
        """All objects of a kind, or those in a namespace."""
        found = self._of_kind.get((group, kind), {}).values()
        return tuple(one for one in found if not namespace or one.id.namespace == namespace)

    def kinds(self) -> int:
        """How many kinds there are objects of."""
        return sum(1 for found in self._of_kind.values() if found)

    def of_uid(self, uid: str) -> Record | None:
        """The node of a UID."""
        found = self._by_uid.get(uid)
        return found[0] if found else None

    def copies(self, record: Record) -> tuple[Record, ...]:
        """All records of the same object."""
        return self._by_uid.get(record.uid, (record,))

    def put(self, record: Record) -> Record | None:
        """Add or replace an object; what was there before."""
        before = self.get(record.id)
        if before is not None:
            self.remove(before.id)
        self._of_kind.setdefault((record.id.group, record.id.kind), {})[record.id] = record
        copies = (*self._by_uid.get(record.uid, ()), record)
        self._by_uid[record.uid] = tuple(sorted(copies, key=lambda one: one.id))
        for key in record.wants:
            self._wanted.setdefault(key, set()).add(record.uid)
        for key in record.offers:
            self._offered.setdefault(key, set()).add(record.uid)
        return before

    def remove(self, id_: ObjectId) -> Record | None:
        """Remove an object."""
        record = self._of_kind.get((id_.group, id_.kind), {}).pop(id_, None)
        if record is None:
            return None
        left = tuple(one for one in self._by_uid[record.uid] if one is not record)
        if left:
            self._by_uid[record.uid] = left
        else:
            del self._by_uid[record.uid]
        for index, keys in ((self._wanted, record.wants), (self._offered, record.offers)):
            for key in keys:
                if not any(key in (*one.wants, *one.offers) for one in left):
                    _discard(index, key, record.uid)
        return record

    def nodes(self) -> Iterator[Record]:
        """Every object once."""
        for copies in self._by_uid.values():
            yield copies[0]

    def owners(self, record: Record) -> tuple[Record, ...]:
        """Its owners that are there."""
        found: dict[str, Record] = {}
        for key in record.wants:
            uids = (key,) if isinstance(key, str) else sorted(self._offered.get(key, ()))
            for uid in uids:
                owner = self.of_uid(uid)
                if owner is not None and _may_own(owner, record):
                    found.setdefault(owner.uid, owner)
        return tuple(found.values())

    def children(self, record: Record) -> tuple[Record, ...]:
        """What it owns, itself included if it says so, by id."""
        keys: list[Key] = [record.uid]
        for one in self.copies(record):
            keys += one.offers
        found = {}
        for key in keys:
            for uid in self._wanted.get(key, ()):
                child = self.of_uid(uid)
                if child is not None and _may_own(record, child):
                    found[uid] = child
        return tuple(sorted(found.values(), key=lambda one: one.id))

    def is_top_level(self, record: Record) -> bool:
        """Whether it names no owner and none is inferred."""
        return not record.owners and not self.owners(record)

    def is_dangling(self, record: Record) -> bool:
        """Whether it names owners, and none of them is there."""
        return bool(record.owners) and not self.owners(record)

    def below(self, roots: Iterable[Record]) -> Graph:
        """What the roots own, directly and indirectly."""
        first = tuple({one.uid: one for one in roots}.values())
        children: dict[str, tuple[Record, ...]] = {}
        left = deque(first)
        while left:
            one = left.popleft()
            if one.uid not in children:
                children[one.uid] = self.children(one)
                left += children[one.uid]
        return Graph(first, children)


def iterate(graph: Graph, action: Callable[[Record], bool]) -> tuple[tuple[ObjectId, ...], ...]:
    """Visit each object once, after those of its owners that are visited; the cycles found.

    Where the action returns false, what only that object owns is left out.
    """
    waits_for = dict.fromkeys(graph.children, 0)
    for owned in graph.children.values():
        for child in owned:
            waits_for[child.uid] += 1
    roots = {one.uid for one in graph.roots}
    records = {one.uid: one for one in graph.roots}
    records |= {child.uid: child for owned in graph.children.values() for child in owned}
    reached = set(roots)
    ready = deque(
        sorted((uid for uid, count in waits_for.items() if not count), key=_by_id(records))
    )
    done: set[str] = set()
    cycles: list[tuple[ObjectId, ...]] = []
    while len(done) < len(waits_for):
        if not ready:  # the rest waits for itself
            members = sorted(waits_for.keys() - done, key=_by_id(records))
            cycles.append(tuple(records[uid].id for uid in members))
            ready.append(next((uid for uid in members if uid in reached), members[0]))
        uid = ready.popleft()
        if uid in done:
            continue
        done.add(uid)
        goes_on = uid in reached and action(records[uid])
        for child in graph.children[uid]:
            waits_for[child.uid] -= 1
            if goes_on:
                reached.add(child.uid)
            if waits_for[child.uid] == 0:
                ready.append(child.uid)
    return tuple(cycles[:1])


def _by_id(records: Mapping[str, Record]) -> Callable[[str], ObjectId]:
    return lambda uid: records[uid].id


def _may_own(owner: Record, record: Record) -> bool:
    """An owner within a namespace counts in that namespace only."""
    return not owner.id.namespace or owner.id.namespace == record.id.namespace


def _discard(index: dict[Key, set[str]], key: Key, uid: str) -> None:
    uids = index.get(key)
    if uids is not None:
        uids.discard(uid)
        if not uids:
            del index[key]
