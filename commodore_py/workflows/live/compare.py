"""What applying the catalog would change in its cluster."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from commodore_py.adapters.http import HttpError
from commodore_py.live import marks
from commodore_py.live.access.writer import MANAGER, Writer
from commodore_py.live.plan import references_in
from commodore_py.manifests.desired.ignoring import applies
from commodore_py.manifests.desired.managed import applied_by, without_mutations
from commodore_py.manifests.desired.masks import is_secret
from commodore_py.manifests.desired.predict import predicted_by_server, recorded_in
from commodore_py.manifests.objects import KubeObject
from commodore_py.manifests.order.hooks import hook_facts
from commodore_py.workflows.live.diff import Answer

from .diff import LiveDiff, Paired, difference
from .history import last_synced

if TYPE_CHECKING:
    from collections.abc import Iterable

    from commodore_py.live.pairing import Target
    from commodore_py.manifests.desired.ignoring import Reveal
    from commodore_py.manifests.objects import Content, ObjectId
    from commodore_py.workflows.live.cluster import LiveCluster
    from commodore_py.workflows.live.diff import Ask


class ClusterDiff(NamedTuple):
    """What differs, and what could not be compared."""

    found: LiveDiff
    unseen: tuple[tuple[Target, str], ...]


class Compared(NamedTuple):
    """Targets with their live objects, and what cannot be read."""

    pairs: Paired
    unseen: tuple[tuple[Target, str], ...]


def cluster_diff(
    cluster: LiveCluster,
    *,
    server_side: bool = False,
    reveal: Reveal | None = None,
) -> ClusterDiff:
    """Compare every target with its live object."""
    compared = paired(cluster, cluster.targets)
    ask = None
    if server_side:
        ask = asking(cluster)
    found = difference(
        *(compared.pairs, cluster.settings.ignored),
        synced=_synced(cluster, compared.pairs),
        ask=ask,
        reveal=reveal,
    )
    return ClusterDiff(found, compared.unseen)


def _synced(cluster: LiveCluster, paired: Paired) -> dict[ObjectId, Content]:
    """What was synced last, of objects that do not say what was applied last."""
    silent = {wanted.id for wanted, live in paired.pairs if recorded_in(live.content)[0] is None}
    if not silent:
        return {}
    return last_synced(cluster, [one for one in cluster.targets if one.id in silent])


def paired(cluster: LiveCluster, targets: Iterable[Target]) -> Compared:
    """The live object of every target; hooks are left out, as only syncs apply them."""
    pairs: list[tuple[KubeObject, KubeObject]] = []
    created: list[KubeObject] = []
    unseen: list[tuple[Target, str]] = []
    managers = [one for one in cluster.settings.ignored if one.managers]
    for target in targets:
        if target.application is None or hook_facts(target.object.content).is_hook:
            continue
        if why := cluster.unseen(target):
            unseen.append((target, why))
            continue
        wanted = KubeObject(target.id, target.object.content, target.object.file)
        live = cluster.live(target)
        if live is not None and any(applies(rule, target.id) for rule in managers):
            live = cluster.served(target)
        if live is None:
            created.append(wanted)
        else:
            pairs.append((wanted, KubeObject(target.id, live)))
    return Compared(Paired(pairs, created), tuple(unseen))


_INVALID = 422
_IMMUTABLE = re.compile(r"immutable|for fields other than|may not (?:be )?change|cannot be changed")


def asking(cluster: LiveCluster) -> Ask:
    """Ask a cluster by dry runs; Secrets and secret references are predicted without."""
    writer = Writer(cluster.client.access)
    places = {one.id: one for one in cluster.targets}

    def ask(target: KubeObject, current: KubeObject) -> Answer:
        if is_secret(target.id.group, target.id.kind) or any(references_in(target.content)):
            return Answer()
        place = places[target.id]
        content = marks.marked(
            target.content, place.id, place.application or "", cluster.settings.tracking
        )
        try:
            outcome = writer.apply(place.path, content, manager=MANAGER, force=True, dry_run=True)
        except HttpError as error:
            if not error.status:
                raise
            if error.status == _INVALID and _IMMUTABLE.search(str(error)):
                return Answer(immutable=str(error))
            return Answer(refused=str(error))
        fields = applied_by(outcome, MANAGER)
        if fields is not None:
            outcome = without_mutations(fields, current.content, outcome)
        return Answer(predicted_by_server(target.content, current.content, outcome))

    return ask
