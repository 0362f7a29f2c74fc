"""Compare a catalog with its cluster."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from commodore_py.adapters.http import HttpError
from commodore_py.catalog.diff.objects import ObjectDiff
from commodore_py.live import marks
from commodore_py.live.access.client import Writer
from commodore_py.manifests.desired.ignoring import hidden_values, is_secret, settle
from commodore_py.manifests.desired.managed import DRIVER, applied_by_driver
from commodore_py.manifests.desired.predict import predict, predicted_by_server, recorded_in
from commodore_py.manifests.diff import object_changes
from commodore_py.manifests.folding import folded
from commodore_py.manifests.objects import KubeObject
from commodore_py.manifests.order.hooks import hook_facts
from commodore_py.manifests.secrets import may_be_sent
from commodore_py.manifests.values import same

from .history import last_synced

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import TypeAlias

    from commodore_py.live.pairing import Target
    from commodore_py.manifests.desired.ignoring import Reveal
    from commodore_py.manifests.desired.predict import Mode, Prediction
    from commodore_py.manifests.diff import ObjectChange
    from commodore_py.manifests.objects import Content, ObjectId
    from commodore_py.manifests.settings import Tracking

    from .cluster import LiveCluster

    Ask: TypeAlias = Callable[[Target, KubeObject], "Answer"]
    Marking: TypeAlias = Callable[[Content, Content, Tracking], Content]

_INVALID = 422
_IMMUTABLE = re.compile(r"immutable|for fields other than|may not (?:be )?change|cannot be changed")


@dataclass(frozen=True, slots=True)
class Compared:
    """How an object was compared."""

    id: ObjectId
    mode: Mode
    has_schema: bool
    notice: str


@dataclass(frozen=True, slots=True)
class LiveDiff:
    """Differences, how objects were compared, and what was not."""

    diff: ObjectDiff
    compared: tuple[Compared, ...]
    hidden: Mapping[str, int]
    """How many differences each rule has hidden."""
    refused: Mapping[ObjectId, str]
    """Errors of the server for objects that it could not predict; these are not compared."""
    unseen: tuple[tuple[Target, str], ...]
    """What cannot be read, and why."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a server to the dry run of a target."""

    prediction: Prediction | None = None
    refused: str = ""
    immutable: str = ""
    """Its error about a field that cannot be changed: what differs is predicted here."""


@dataclass(slots=True)
class _Pairs:
    """Targets with their live objects, those without one, and what cannot be read."""

    pairs: list[tuple[Target, KubeObject]] = field(default_factory=list)
    created: list[KubeObject] = field(default_factory=list)
    unseen: list[tuple[Target, str]] = field(default_factory=list)


def cluster_diff(
    cluster: LiveCluster, *, server_side: bool = False, reveal: Reveal | None = None
) -> LiveDiff:
    """Compare every target with its live object.

    With `server_side`, the server predicts what becomes of them; with `reveal`, the values of
    secret references are compared, too.
    """
    pairs = _paired(cluster, cluster.targets)
    silent = [
        target
        for target, live in pairs.pairs
        if recorded_in(live.content)[0] is None and applied_by_driver(live.content) is None
    ]
    synced = last_synced(cluster, silent) if silent else {}
    ask = _asking(cluster) if server_side else None
    return _difference(cluster, pairs, synced=synced, ask=ask, reveal=reveal)


def diff_of(cluster: LiveCluster, targets: Iterable[Target]) -> LiveDiff:
    """Compare some targets, of any commit, with their live objects, but not their marks."""
    return _difference(cluster, _paired(cluster, targets), marking=marks.marked_alike)


def _paired(cluster: LiveCluster, targets: Iterable[Target]) -> _Pairs:
    """The live object of every target; hooks are left out, as only syncs apply them."""
    pairs = _Pairs()
    for target in targets:
        if target.application is None or hook_facts(target.object.content).is_hook:
            continue
        if why := cluster.unseen(target):
            pairs.unseen.append((target, why))
        elif (live := cluster.live(target)) is None:
            shown = KubeObject(target.id, target.object.content, target.object.file)
            pairs.created.append(_hidden(shown))
        else:
            pairs.pairs.append((target, KubeObject(target.id, live)))
    return pairs


def _difference(
    cluster: LiveCluster,
    pairs: _Pairs,
    *,
    synced: Mapping[ObjectId, Content] | None = None,
    ask: Ask | None = None,
    reveal: Reveal | None = None,
    marking: Marking = marks.marked_as_before,
) -> LiveDiff:
    old: list[KubeObject] = []
    new = [*pairs.created]
    compared: list[Compared] = []
    hidden: Counter[str] = Counter()
    answers: dict[ObjectId, Answer] = {}
    for target, current in pairs.pairs:
        answer = ask(target, current) if ask is not None else Answer()
        answers[current.id] = answer
        if answer.refused:
            continue
        expected = answer.prediction or predict(
            marking(target.object.content, current.content, cluster.settings.tracking),
            current.content,
            (synced or {}).get(target.id),
        )
        compared.append(Compared(current.id, expected.mode, expected.has_schema, expected.notice))
        settled = settle(
            *(current.id, expected.live, expected.predicted, cluster.settings.ignored),
            served=current.content,
            reveal=reveal,
        )
        hidden.update(settled.hidden)
        before, after = settled.live, settled.predicted
        if same(before, after):
            continue  # most are: they need not be paired again
        if is_secret(current.id.group, current.id.kind):
            after, before = hidden_values([after, before])
        old.append(KubeObject(current.id, before))
        new.append(KubeObject(current.id, after, target.object.file))
    changes = tuple(_graded(object_change, answers) for object_change in object_changes(old, new))
    alone, folds = folded(changes)
    diff = ObjectDiff(changes, alone, folds, files=(), hidden=(), quiet=0)
    refused = {id_: answer.refused for id_, answer in answers.items() if answer.refused}
    return LiveDiff(diff, tuple(compared), dict(hidden), refused, tuple(pairs.unseen))


def _graded(change: ObjectChange, answers: Mapping[ObjectId, Answer]) -> ObjectChange:
    answer = answers.get(change.id)
    if answer is None or not answer.immutable:
        return change
    return replace(change, grade="recreate", reason=answer.immutable)


def _hidden(kube_object: KubeObject) -> KubeObject:
    if not is_secret(kube_object.id.group, kube_object.id.kind):
        return kube_object
    (shown,) = hidden_values([kube_object.content])
    return KubeObject(kube_object.id, shown, kube_object.file)


def _asking(cluster: LiveCluster) -> Ask:
    """Ask a cluster by dry runs; Secrets and secret references are predicted without."""
    writer = Writer(cluster.client.access)

    def ask(target: Target, current: KubeObject) -> Answer:
        content = target.object.content
        if not may_be_sent(content):
            return Answer()
        try:
            outcome = writer.apply(target.path, content, manager=DRIVER, force=True, dry_run=True)
        except HttpError as error:
            if not error.status:
                raise
            if error.status == _INVALID and _IMMUTABLE.search(str(error)):
                return Answer(immutable=str(error))
            return Answer(refused=str(error))
        return Answer(predicted_by_server(current.content, outcome))

    return ask
