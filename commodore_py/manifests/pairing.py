"""Pair the objects of the old and the new catalog (pure)."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, TypeAlias

from .values import Canonical, canonical, leaves, similarity

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from .objects import KubeObject, ObjectId

    Elsewhere: TypeAlias = Callable[[Collection[ObjectId]], Collection[ObjectId]]

Pair: TypeAlias = tuple["KubeObject | None", "KubeObject | None"]

# Objects of different names are one renamed object from this similarity on, if they have at least
# so many fields besides the common ones: two empty service accounts are not similar.
_SIMILAR = 0.8
_MIN_LEAVES = 3
_MAX_PAIRS = 2500
_BOILERPLATE = ("apiVersion", "kind", "metadata")


@dataclass(frozen=True, slots=True)
class Pairs:
    """The objects of both sides, paired."""

    same: tuple[tuple[KubeObject, KubeObject], ...]
    renamed: tuple[tuple[KubeObject, KubeObject], ...]
    deleted: tuple[KubeObject, ...]
    created: tuple[KubeObject, ...]
    copies_removed: tuple[KubeObject, ...]
    """Copies of objects that still have another copy."""
    copies_added: tuple[KubeObject, ...]


def nowhere(_wanted: Collection[ObjectId]) -> Collection[ObjectId]:
    """There are no other copies."""
    return ()


def pair(
    old: Iterable[KubeObject], new: Iterable[KubeObject], elsewhere: Elsewhere = nowhere
) -> Pairs:
    """Pair by name first; the rest may have been renamed.

    `elsewhere` finds the objects that unchanged files contain as well.
    """
    olds, news = _by_id(old), _by_id(new)
    same: list[tuple[KubeObject, KubeObject]] = []
    deleted: list[KubeObject] = []
    created: list[KubeObject] = []
    removed: list[KubeObject] = []
    added: list[KubeObject] = []
    for id_ in sorted({*olds, *news}):
        of_old, of_new = olds.get(id_, []), news.get(id_, [])
        is_single = len(of_old) <= 1 and len(of_new) <= 1
        pairs = zip_longest(of_old, of_new) if is_single else _copies(of_old, of_new)
        for before, after in pairs:
            if before and after:
                same.append((before, after))
            elif before:
                (removed if id_ in news else deleted).append(before)
            elif after:
                (added if id_ in olds else created).append(after)
    # Of several copies that were deleted, the first counts as the object.
    object_ids = {kube_object.id for kube_object in (*deleted, *created)}
    other_copies = set(elsewhere(object_ids)) if object_ids else set()
    deleted, more_removed = _first_of_each(deleted, other_copies)
    created, more_added = _first_of_each(created, other_copies)
    renamed = _renamed(deleted, created)
    before_names, after_names = {b.id for b, _ in renamed}, {a.id for _, a in renamed}
    return Pairs(
        same=tuple(same),
        renamed=tuple(renamed),
        deleted=tuple(kube_object for kube_object in deleted if kube_object.id not in before_names),
        created=tuple(kube_object for kube_object in created if kube_object.id not in after_names),
        copies_removed=(*removed, *more_removed),
        copies_added=(*added, *more_added),
    )


def _by_id(objects: Iterable[KubeObject]) -> dict[ObjectId, list[KubeObject]]:
    by_id: dict[ObjectId, list[KubeObject]] = defaultdict(list)
    for kube_object in objects:
        by_id[kube_object.id].append(kube_object)
    return by_id


def _copies(old: list[KubeObject], new: list[KubeObject]) -> Iterator[Pair]:
    """Pair equal copies, and the others in a stable order."""
    olds, news = sorted(map(_Keyed, old)), sorted(map(_Keyed, new))
    shared = Counter(old.key for old in olds) & Counter(keyed.key for keyed in news)
    rests: list[list[KubeObject]] = []
    for side in (olds, news):
        left, rest = Counter(shared), []
        for keyed in side:
            if left[keyed.key]:
                left[keyed.key] -= 1
            else:
                rest.append(keyed.object)
        rests.append(rest)
    yield from zip_longest(*rests)


class _Keyed:
    """An object with a sort key of its content."""

    def __init__(self, kube_object: KubeObject) -> None:
        self.object = kube_object
        self.key = canonical(dict(kube_object.content))

    def __lt__(self, other: _Keyed) -> bool:
        return (repr(self.key), self.object.file) < (repr(other.key), other.object.file)


def _first_of_each(
    objects: Collection[KubeObject], elsewhere: Collection[ObjectId]
) -> tuple[list[KubeObject], list[KubeObject]]:
    seen = set(elsewhere)
    first: list[KubeObject] = []
    more: list[KubeObject] = []
    for kube_object in objects:
        (more if kube_object.id in seen else first).append(kube_object)
        seen.add(kube_object.id)
    return first, more


def _renamed(
    deleted: Iterable[KubeObject], created: Iterable[KubeObject]
) -> list[tuple[KubeObject, KubeObject]]:
    removed, came = _by_kind(deleted), _by_kind(created)
    return [
        renamed
        for kind in sorted(removed.keys() & came.keys())
        for renamed in _renamed_in_kind(removed[kind], came[kind])
    ]


def _by_kind(
    objects: Iterable[KubeObject],
) -> Mapping[tuple[str, str, str], list[KubeObject]]:
    by_kind: dict[tuple[str, str, str], list[KubeObject]] = defaultdict(list)
    for kube_object in objects:
        by_kind[kube_object.id.group, kube_object.id.kind, kube_object.id.namespace].append(
            kube_object
        )
    return by_kind


def _renamed_in_kind(
    deleted: list[KubeObject], created: list[KubeObject]
) -> Iterator[tuple[KubeObject, KubeObject]]:
    if len(deleted) * len(created) > _MAX_PAIRS:
        return
    removed = [
        (kube_object, counts) for kube_object in deleted if (counts := _substance(kube_object))
    ]
    came = [(kube_object, counts) for kube_object in created if (counts := _substance(kube_object))]
    similar = [
        (before_object, after_object)
        for before_object, substance in removed
        for after_object, others in came
        if similarity(substance, others) >= _SIMILAR
    ]
    before = Counter(before_object.id for before_object, _ in similar)
    after = Counter(after_object.id for _, after_object in similar)
    # Only unambiguous pairs.
    yield from ((o, n) for o, n in similar if before[o.id] == after[n.id] == 1)


def _substance(kube_object: KubeObject) -> Counter[tuple[str, Canonical]] | None:
    content = {key: value for key, value in kube_object.content.items() if key not in _BOILERPLATE}
    counts = leaves(content, name=kube_object.id.name)
    return counts if counts.total() >= _MIN_LEAVES else None
