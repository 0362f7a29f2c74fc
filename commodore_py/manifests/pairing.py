"""Pair the objects of the old and the new catalog (pure)."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .values import Canonical, leaves, similarity

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from .objects import KubeObject

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


def pair(old: Iterable[KubeObject], new: Iterable[KubeObject]) -> Pairs:
    """Pair by name first; the rest may have been renamed.

    Of an object that is there twice, the last one counts.
    """
    olds = {kube_object.id: kube_object for kube_object in old}
    news = {kube_object.id: kube_object for kube_object in new}
    deleted = [olds[id_] for id_ in sorted(olds.keys() - news.keys())]
    created = [news[id_] for id_ in sorted(news.keys() - olds.keys())]
    removed, came = _by_kind(deleted), _by_kind(created)
    renamed = tuple(
        pair_
        for kind in sorted(removed.keys() & came.keys())
        for pair_ in _renamed_in_kind(removed[kind], came[kind])
    )
    before_names, after_names = {b.id for b, _ in renamed}, {a.id for _, a in renamed}
    return Pairs(
        same=tuple((olds[id_], news[id_]) for id_ in sorted(olds.keys() & news.keys())),
        renamed=renamed,
        deleted=tuple(kube_object for kube_object in deleted if kube_object.id not in before_names),
        created=tuple(kube_object for kube_object in created if kube_object.id not in after_names),
    )


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
