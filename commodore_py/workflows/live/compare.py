"""Compare a catalog with its cluster, and find changes by others since the last sync."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from commodore_py.adapters.http import HttpError
from commodore_py.catalog.diff.objects import ObjectDiff
from commodore_py.live import marks
from commodore_py.live.access.client import Writer
from commodore_py.manifests.desired import managed
from commodore_py.manifests.desired.ignoring import hidden_values, is_secret, settle
from commodore_py.manifests.desired.managed import DRIVER, applied_by_driver
from commodore_py.manifests.desired.predict import predict, predicted_by_server, recorded_in
from commodore_py.manifests.diff import object_changes
from commodore_py.manifests.folding import folded
from commodore_py.manifests.objects import KubeObject, mapping, mappings
from commodore_py.manifests.order.hooks import hook_facts
from commodore_py.manifests.secrets import may_be_sent
from commodore_py.manifests.values import same

from .history import is_checked_out, last_synced, synced_commits, targets_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from commodore_py.live.marks import Target
    from commodore_py.manifests.desired.ignoring import Reveal
    from commodore_py.manifests.desired.managed import Manager
    from commodore_py.manifests.desired.predict import Prediction
    from commodore_py.manifests.diff import ObjectChange
    from commodore_py.manifests.fields import FieldChange
    from commodore_py.manifests.objects import Content, ObjectId

    from .cluster import LiveCluster


_INVALID = 422
_IMMUTABLE = re.compile(r"immutable|for fields other than|may not (?:be )?change|cannot be changed")


@dataclass(frozen=True, slots=True)
class LiveDiff:
    """Differences, how objects were compared, and what was not."""

    diff: ObjectDiff
    compared: tuple[tuple[ObjectId, Prediction], ...]
    hidden: Mapping[str, int]
    """How many differences each rule has hidden."""
    refused: Mapping[ObjectId, str]
    """Errors of the server for objects that it could not predict; these are not compared."""
    unseen: Mapping[ObjectId, str]
    """What cannot be read, and why."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a server to the dry run of a target."""

    prediction: Prediction | None = None
    refused: str = ""
    immutable: str = ""
    """Its error about a field that cannot be changed: what differs is predicted here."""


def cluster_diff(
    cluster: LiveCluster,
    *,
    history: Iterable[Target] | None = None,
    server_side: bool = False,
    reveal: Reveal | None = None,
) -> LiveDiff:
    """Compare every target with its live object.

    With `history`, these are targets of earlier commits: their marks are not compared.
    With `server_side`, the server predicts what becomes of them; with `reveal`, the values of
    secret references are compared, too.
    """
    writer = Writer(cluster.client.access) if server_side else None
    pairs: list[tuple[Target, Content]] = []
    new: list[KubeObject] = []
    unseen: dict[ObjectId, str] = {}
    for target in cluster.targets if history is None else history:
        if target.application is None or hook_facts(target.object.content).is_hook:
            continue  # only syncs apply hooks
        if why := cluster.unseen(target):
            unseen[target.id] = why
        elif (live := cluster.live(target)) is None:
            new.append(_shown(target, target.object.content))
        else:
            pairs.append((target, live))
    silent = [
        target
        for target, live in pairs
        if recorded_in(live)[0] is None and applied_by_driver(live) is None
    ]
    synced = last_synced(cluster, silent) if silent and history is None else {}
    marking = marks.marked_as_before if history is None else marks.marked_alike
    old: list[KubeObject] = []
    compared: list[tuple[ObjectId, Prediction]] = []
    hidden: Counter[str] = Counter()
    answers: dict[ObjectId, Answer] = {}
    for target, live in pairs:
        answer = answers[target.id] = _asked(writer, target, live)
        if answer.refused:
            continue
        expected = answer.prediction or predict(
            marking(target.object.content, live, cluster.settings.tracking),
            live,
            synced.get(target.id),
        )
        compared.append((target.id, expected))
        settled = settle(
            *(target.id, expected.live, expected.predicted, cluster.settings.ignored),
            served=live,
            reveal=reveal,
        )
        hidden.update(settled.hidden)
        before, after = settled.live, settled.predicted
        if same(before, after):
            continue  # most are: they need not be paired again
        if is_secret(target.id.group, target.id.kind):
            after, before = hidden_values([after, before])
        old.append(KubeObject(target.id, before))
        new.append(KubeObject(target.id, after, target.object.file))
    changes = tuple(_graded(object_change, answers) for object_change in object_changes(old, new))
    alone, folds = folded(changes)
    diff = ObjectDiff(changes, alone, folds, files=(), hidden=(), quiet=0)
    refused = {id_: answer.refused for id_, answer in answers.items() if answer.refused}
    return LiveDiff(diff, tuple(compared), dict(hidden), refused, unseen)


def _graded(change: ObjectChange, answers: Mapping[ObjectId, Answer]) -> ObjectChange:
    answer = answers.get(change.id)
    if answer is None or not answer.immutable:
        return change
    return replace(change, grade="recreate", reason=answer.immutable)


def _shown(target: Target, content: Content) -> KubeObject:
    """An object that would be created."""
    if is_secret(target.id.group, target.id.kind):
        (content,) = hidden_values([content])
    return KubeObject(target.id, content, target.object.file)


def _asked(writer: Writer | None, target: Target, live: Content) -> Answer:
    """Ask a cluster by a dry run; Secrets and secret references are predicted without."""
    content = target.object.content
    if writer is None or not may_be_sent(content):
        return Answer()
    try:
        outcome = writer.apply(target.path, content, manager=DRIVER, force=True, dry_run=True)
    except HttpError as error:
        if not error.status:
            raise
        if error.status == _INVALID and _IMMUTABLE.search(str(error)):
            return Answer(immutable=str(error))
        return Answer(refused=str(error))
    return Answer(predicted_by_server(live, outcome))


_SCALER = ("autoscaling", "HorizontalPodAutoscaler")
_REPLICAS = ("spec", "replicas")


@dataclass(frozen=True, slots=True)
class FieldDrift:
    """A field of a live object that is not as in the commit; its old value is the live one."""

    field: FieldChange
    managers: tuple[Manager, ...]
    cause: str
    """The controller that is known to change such a field, if any."""


@dataclass(frozen=True, slots=True)
class ObjectDrift:
    """An object that is not as in the commit, or is not there."""

    id: ObjectId
    application: str
    is_missing: bool
    fields: tuple[FieldDrift, ...] = ()


@dataclass(frozen=True, slots=True)
class DriftReport:
    """Drift, and what could not be compared."""

    objects: tuple[ObjectDrift, ...]
    left_out: Mapping[str, str]
    """Applications that were not compared, and why."""


def drift_of(cluster: LiveCluster, compared: LiveDiff) -> DriftReport:
    """Compare each application with the commit that the driver synced last.

    Where that is the one here, only what differs from it needs to be looked at again.
    """
    commits, left_out = synced_commits(cluster)
    namespaces = {target.id.namespace for target in cluster.targets}
    object_drifts: list[ObjectDrift] = []
    changed = {object_change.id for object_change in compared.diff.objects}
    for commit in dict.fromkeys(commits.values()):
        is_here = is_checked_out(cluster.catalog, commit)
        targets = [
            target
            for target in targets_at(cluster, commit)
            if commits.get(target.application or "") == commit
            and target.id.namespace in namespaces
            and (not is_here or target.id in changed)
        ]
        object_drifts += _drifted(cluster, targets)
    return DriftReport(
        tuple(sorted(object_drifts, key=lambda object_drift: object_drift.id)), left_out
    )


def _drifted(cluster: LiveCluster, targets: Sequence[Target]) -> Iterator[ObjectDrift]:
    targets_by_id = {target.id: target for target in targets}
    for change in cluster_diff(cluster, history=targets).diff.objects:
        target = targets_by_id[change.id]
        application = target.application or ""
        if change.what == "created":
            yield ObjectDrift(change.id, application, is_missing=True)
        elif change.fields:
            live = cluster.live(target) or {}
            fields = tuple(
                FieldDrift(
                    field,
                    tuple(managed.managers_of(live, field.path)),
                    _scaler_of(cluster, change.id) if field.path == _REPLICAS else "",
                )
                for field in change.fields
            )
            yield ObjectDrift(change.id, application, is_missing=False, fields=fields)


def _scaler_of(cluster: LiveCluster, id_: ObjectId) -> str:
    """The autoscaler of a workload."""
    api = cluster.kinds.find(*_SCALER)
    if api is None:
        return ""
    answer = cluster.client.readable(api.path(id_.namespace))
    for autoscaler in mappings(answer.get("items")):
        spec, metadata = mapping(autoscaler.get("spec")), mapping(autoscaler.get("metadata"))
        scaled = mapping(spec.get("scaleTargetRef"))
        if (scaled.get("kind"), scaled.get("name")) == (id_.kind, id_.name):
            return f"{_SCALER[1]} {metadata.get('name')} scales it"
    return ""
