"""The steps of a sync of a catalog in its cluster."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import json_text, reading
from commodore_py.adapters.git.refs import commit_of
from commodore_py.adapters.git.repository import is_repository
from commodore_py.errors import CommodoreError
from commodore_py.live.plan import State, steps_of
from commodore_py.manifests.diff import object_changes
from commodore_py.manifests.objects import KubeObject
from commodore_py.manifests.order.applications import Application
from commodore_py.manifests.order.kinds import defined_kind

from .application_order import order_in, with_owners_last
from .orphans import orphans_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from commodore_py.live.pairing import Target
    from commodore_py.live.plan import Action, Step

    from .application_order import ApplicationOrder
    from .cluster import LiveCluster
    from .compare import LiveDiff
    from .orphans import Orphan


_SCHEMA = "live-plan/v1"
_HEAD = ("cluster", "uid", "commit", "digest")


@dataclass(frozen=True, slots=True)
class Plan:
    """A plan, and the state of catalog and cluster that it is for."""

    cluster: str
    uid: str
    commit: str
    """The commit of the catalog; empty if it has none."""
    steps: tuple[Step, ...]
    versions: Mapping[str, str]
    """Of each object that is there, its version."""
    unseen: Mapping[str, str]
    order: ApplicationOrder
    """Which applications wait for which others."""

    @property
    def digest(self) -> str:
        """Names the plan: equal plans do the same."""
        return hashlib.sha256(json.dumps(list(_facts(self)), sort_keys=True).encode()).hexdigest()

    @property
    def actions(self) -> Iterator[Action]:
        """All actions, in order."""
        for step in self.steps:
            yield from step.actions


def plan_of(cluster: LiveCluster, compared: LiveDiff, *, prune: bool) -> Plan:
    """The steps of every application; deletions only of what two witnesses name."""
    doomed = _doomed(cluster, orphans_of(cluster).orphans) if prune else {}
    deletions = object_changes([kube_object for of in doomed.values() for kube_object in of], [])
    state = State(
        {
            record.id.name
            for record in cluster.seen.objects.all()
            if (record.id.group, record.id.kind) == ("", "Namespace")
        },
        {object_change.id: object_change for object_change in (*compared.diff.objects, *deletions)},
        {target.id: why for target, why in compared.unseen},
    )
    steps: list[Step] = []
    order = with_owners_last(order_in(cluster), cluster)
    applications = {
        application.name: application for application, _ in cluster.assigned.applications
    }
    targets: dict[str | None, list[Target]] = {}
    for target in cluster.targets:
        targets.setdefault(target.application, []).append(target)
    for name in order.sorted(dict.fromkeys((*applications, *sorted(doomed)))):
        pruned = tuple(doomed.get(name, ()))
        if targets.get(name) or pruned:
            application = applications.get(name, Application(name))
            application_state = replace(state, doomed=pruned, kinds=_kinds_of(targets, order, name))
            steps += steps_of(application, targets.get(name, ()), application_state)
    ids = [target.id for target in cluster.targets]
    ids += (kube_object.id for of in doomed.values() for kube_object in of)
    records = [(id_, cluster.seen.get(id_)) for id_ in ids]
    versions = {str(id_): record.version for id_, record in records if record is not None}
    catalog = cluster.catalog
    commit = commit_of(catalog, "HEAD") if is_repository(catalog) else None
    return Plan(
        cluster.id,
        cluster.identity.uid,
        commit or "",
        tuple(steps),
        versions,
        cluster.unseen_kinds(in_catalog=False),
        order,
    )


def _kinds_of(
    targets: Mapping[str | None, Sequence[Target]], order: ApplicationOrder, name: str
) -> frozenset[tuple[str, str]]:
    """The kinds that an application and those before it define."""
    names = (name, *order.before.get(name, ()))
    contents = (target.object.content for of in names for target in targets.get(of, ()))
    return frozenset(filter(None, map(defined_kind, contents)))


def _doomed(cluster: LiveCluster, orphans: Sequence[Orphan]) -> dict[str, list[KubeObject]]:
    """Whole objects that are deleted, by the application that has had them."""
    doomed: dict[str, list[KubeObject]] = {}
    for orphan in orphans:
        api = cluster.kinds.find(orphan.id.group, orphan.id.kind)
        if orphan.fate == "delete" and api is not None:
            content = cluster.client.get(api.path(orphan.id.namespace, orphan.id.name))
            owner = orphan.mark.owner if orphan.mark.is_ours else ""
            doomed.setdefault(owner, []).append(KubeObject(orphan.id, content))
    return doomed


def _facts(plan: Plan) -> Iterator[Any]:
    """The steps to do, however many of them are done."""
    yield [plan.cluster, plan.uid]
    for step in plan.steps:
        for action in step.actions:
            what = "delete" if action.what == "delete" else "apply"
            yield [step.application, step.phase, step.wave, what, str(action.id), action.content]


@dataclass(frozen=True, slots=True)
class SavedPlan:
    """The part of the output of `live diff --out` that is compared."""

    file: str
    cluster: str
    uid: str | None
    commit: str | None
    digest: str
    versions: Mapping[str, str]
    deletes: bool
    """Whether objects that left the catalog are deleted."""


def read_plan(file: Path) -> SavedPlan:
    """Read a plan; whatever else the file may be is an error."""
    try:
        document = json_text.load(reading.bytes_of(str(file)), name=str(file))
        if document["schema"] != _SCHEMA:
            raise ValueError  # noqa: TRY301 - one error for all
        whats = {action["what"] for step in document["steps"] for action in step["actions"]}
        versions = {str(name): str(version) for name, version in document["versions"].items()}
        cluster, uid, commit, digest = (document[name] for name in _HEAD)
        return SavedPlan(str(file), cluster, uid, commit, digest, versions, "delete" in whats)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise CommodoreError(
            "this is not a plan of `live diff --out`",
            where=str(file),
            hint="make one: commodore live diff CLUSTER --out FILE",
        ) from error


def check_saved(saved: SavedPlan, plan: Plan, applied: Mapping[str, str]) -> None:
    """Refuse a plan that was made for another state, and name what differs.

    What an unfinished run of the same plan has applied, and to which version, does not count.
    """
    moved = [*_moved(saved, plan, applied)]
    if not moved and saved.digest != plan.digest:
        moved.append("the steps are others")
    if moved:
        raise CommodoreError(
            "this plan is out of date:\n" + "\n".join(f"  {difference}" for difference in moved),
            where=saved.file,
            hint=f"make a new one: commodore live diff {plan.cluster} --out {saved.file}",
        )


def _moved(saved: SavedPlan, plan: Plan, applied: Mapping[str, str]) -> Iterator[str]:
    if saved.cluster != plan.cluster or saved.uid not in {plan.uid, None}:
        yield "the cluster is another one"
    if saved.commit != (plan.commit or None):
        yield f"the catalog is at {plan.commit or 'no commit'}, not {saved.commit}"
    for name in dict.fromkeys((*plan.versions, *saved.versions)):
        version = plan.versions.get(name)
        if version != saved.versions.get(name) and (
            version is None or version != applied.get(name)
        ):
            yield f"{name} has changed in the cluster"
