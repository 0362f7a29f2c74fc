"""What applying targets would change in live objects."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from commodore_py.catalog.diff.objects import ObjectDiff
from commodore_py.live.jq_rules import JqRules
from commodore_py.manifests.desired import masks
from commodore_py.manifests.desired.ignoring import settle
from commodore_py.manifests.desired.predict import SYNCED, predict, recorded_in
from commodore_py.manifests.diff import object_changes
from commodore_py.manifests.folding import folded
from commodore_py.manifests.objects import KubeObject
from commodore_py.manifests.values import same

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import TypeAlias

    from commodore_py.manifests.desired.ignoring import Reveal, Settled
    from commodore_py.manifests.desired.predict import Mode, Prediction
    from commodore_py.manifests.objects import Content, ObjectId
    from commodore_py.manifests.settings import Ignored

    Ask: TypeAlias = Callable[[KubeObject, KubeObject], "Answer"]


class Compared(NamedTuple):
    """How an object was compared."""

    id: ObjectId
    mode: Mode
    has_schema: bool
    notice: str


class LiveDiff(NamedTuple):
    """What differs, how objects were compared, and what was not shown."""

    diff: ObjectDiff
    compared: tuple[Compared, ...]
    hidden: Mapping[str, int]
    """How many differences each rule has hidden."""
    refused: Mapping[ObjectId, str] = MappingProxyType({})
    """What the server says of objects that it could not predict; these are not compared."""


def difference(
    paired: Paired,
    rules: Sequence[Ignored],
    *,
    synced: Mapping[ObjectId, Content] = MappingProxyType({}),
    ask: Ask | None = None,
    reveal: Reveal | None = None,
) -> LiveDiff:
    """What applying targets changes; `ask` predicts it.

    With `reveal`, the values of secret references are compared, too.
    """
    pairs, created = paired
    old: list[KubeObject] = []
    new = [_hidden(one) for one in created]
    compared: list[Compared] = []
    hidden: Counter[str] = Counter()
    refused: dict[ObjectId, str] = {}
    immutable: dict[ObjectId, str] = {}
    with closing(JqRules()) as delete:
        for target, current in pairs:
            record = None
            known, notice = recorded_in(current.content)
            if known is None and target.id in synced:
                record = synced[target.id]
                notice = f"{notice}: {SYNCED}" if notice else SYNCED
            answer = ask(target, current) if ask is not None else Answer()
            if answer.refused:
                refused[current.id] = answer.refused
                continue
            if answer.immutable:
                immutable[current.id] = answer.immutable
            found = answer.prediction or predict(target.content, current.content, record)
            compared.append(
                Compared(current.id, found.mode, found.has_schema, found.notice or notice)
            )
            settled = settle(
                *(current.id, found.live, found.predicted, rules),
                served=current.content,
                delete=delete,
                reveal=reveal,
            )
            before, after = _shown(current.id, settled)
            hidden.update(settled.hidden)
            if same(before, after):
                continue  # most are: they need not be paired again
            old.append(KubeObject(current.id, before, current.file))
            new.append(KubeObject(current.id, after, target.file))
    changes = tuple(
        replace(one, grade="recreate", reason=immutable[one.id]) if one.id in immutable else one
        for one in object_changes(old, new)
    )
    alone, folds = folded(changes)
    diff = ObjectDiff(changes, alone, folds, files=(), hidden=(), quiet=0)
    return LiveDiff(diff, tuple(compared), dict(hidden), refused)


class Answer(NamedTuple):
    """What a server says of applying a target."""

    prediction: Prediction | None = None
    refused: str = ""
    immutable: str = ""
    """Its words about a field that cannot be changed: what differs is predicted here."""


class Paired(NamedTuple):
    """Targets with their live objects, and those without one."""

    pairs: Sequence[tuple[KubeObject, KubeObject]]
    created: Sequence[KubeObject] = ()


def _shown(id_: ObjectId, settled: Settled) -> tuple[Content, Content]:
    if not masks.is_secret(id_.group, id_.kind):
        return settled.live, settled.predicted
    after, before = masks.hidden_values([settled.predicted, settled.live])
    return before or {}, after or {}


def _hidden(one: KubeObject) -> KubeObject:
    if not masks.is_secret(one.id.group, one.id.kind):
        return one
    (shown,) = masks.hidden_values([dict(one.content)])
    return KubeObject(one.id, shown or {}, one.file)
