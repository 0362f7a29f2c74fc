"""The steps of a sync of a catalog in its cluster."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from commodore_py.adapters.git.refs import commit_of
from commodore_py.adapters.git.repository import is_repository
from commodore_py.manifests.diff import object_changes
from commodore_py.manifests.objects import KubeObject, split_version
from commodore_py.manifests.order import applications as apps
from commodore_py.manifests.order.kinds import defined_kind
from commodore_py.manifests.order.tasks import SyncOptions, sync_tasks
from commodore_py.manifests.secrets import has_reference

from .application_order import order_in, with_owners_last
from .orphans import orphans_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from commodore_py.live.marks import Target
    from commodore_py.manifests.diff import ObjectChange
    from commodore_py.manifests.objects import Content, ObjectId
    from commodore_py.manifests.order.hooks import Phase
    from commodore_py.manifests.order.tasks import Task
    from commodore_py.model.difference import Grade

    from .application_order import ApplicationOrder
    from .cluster import LiveCluster
    from .compare import LiveDiff
    from .orphans import Orphan

    ActionOf: TypeAlias = Callable[[Task, Target | None], "Action"]

AFTER_FAILURE = "SyncFail"
"""The phase of what runs only after a step has failed."""

What: TypeAlias = Literal["create", "change", "keep", "hook", "delete", "unseen"]


@dataclass(frozen=True, slots=True)
class Action:
    """The change of one object."""

    what: What
    id: ObjectId
    content: Content | None
    """The target; None for what is deleted."""
    grade: Grade
    reason: str
    refused: str = ""
    """Why the server will not take it; empty if nothing says so."""
    references: tuple[str, ...] = ()
    """Paths of values that are secret references: the cluster has others."""


@dataclass(frozen=True, slots=True)
class Step:
    """Changes at one time, and whether the rest waits for them."""

    application: str
    phase: Phase
    wave: int
    actions: tuple[Action, ...]
    awaited: bool


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
    changes = {change.id: change for change in (*compared.diff.objects, *deletions)}
    order = with_owners_last(order_in(cluster), cluster)
    applications = {
        application.name: application for application, _ in cluster.assigned.applications
    }
    targets: dict[str | None, list[Target]] = {}
    for target in cluster.targets:
        targets.setdefault(target.application, []).append(target)
    steps: list[Step] = []
    for name in order.sorted(dict.fromkeys((*applications, *sorted(doomed)))):
        if targets.get(name) or doomed.get(name):
            application = applications.get(name, apps.Application(name))
            kinds = _kinds_of(targets, order, name)
            action_of = partial(_action, cluster, compared, changes, kinds=kinds)
            steps += _steps_of(application, targets.get(name, ()), doomed.get(name, ()), action_of)
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


def _steps_of(
    application: apps.Application,
    targets: Sequence[Target],
    doomed: Sequence[KubeObject],
    action_of: ActionOf,
) -> Iterator[Step]:
    """The steps of one application, in order."""
    options = SyncOptions(
        namespace=application.namespace,
        prune_last=apps.PRUNE_LAST in application.options,
        create_namespace=apps.CREATE_NAMESPACE in application.options,
    )
    by_key = {_key(target.object): target for target in targets}
    tasks = sync_tasks([target.object for target in targets], doomed, options)
    groups = [(key, tuple(of)) for key, of in groupby(tasks, lambda task: (task.phase, task.wave))]
    usual = [(key, of) for key, of in groups if key[0] != AFTER_FAILURE]
    has_hooks = any(task.is_hook for _, of in usual for task in of)
    for (phase, wave), of in groups:
        actions = tuple(action_of(task, by_key.get(_key(task.object))) for task in of)
        is_last = not usual or (phase, wave) == usual[-1][0]
        awaited = phase == AFTER_FAILURE or has_hooks or not is_last
        yield Step(application.name, phase, wave, actions, awaited)


def _key(kube_object: KubeObject) -> tuple[str, ...]:
    """The identity of an object in an application: its id, in the group that its content has."""
    group, _, kind = split_version(kube_object.content)
    return group, kind, kube_object.id.namespace, kube_object.id.name


def _action(
    cluster: LiveCluster,
    compared: LiveDiff,
    changes: Mapping[ObjectId, ObjectChange],
    task: Task,
    target: Target | None,
    *,
    kinds: frozenset[tuple[str, str]],
) -> Action:
    """The action of a task; `kinds` are those that its application and others before it define."""
    change = changes.get(target.id if target is not None else task.object.id)
    grade, reason = (change.grade, change.reason) if change is not None else ("none", "")
    if task.is_prune:
        return Action("delete", task.object.id, None, grade, reason)
    if target is None:  # the namespace of the application
        what: What = "keep" if cluster.seen.get(task.object.id) is not None else "create"
        return Action(what, task.object.id, task.object.content, "none", "")
    refused = ""
    if target.api is None and (target.id.group, target.id.kind) not in kinds:
        refused = f"the server has no kind {target.id.kind} in {target.id.group or 'v1'}"
    what = "keep"
    if task.is_hook:
        what = "hook"
    elif target.id in compared.unseen:
        what, refused = "unseen", compared.unseen[target.id]
    elif change is not None:
        what = "create" if change.what == "created" else "change"
    if change is not None and not reason:
        reason = next((field.reason for field in change.fields if field.grade == grade), "")
    references = tuple(references_in(target.object.content))
    return Action(what, target.id, target.object.content, grade, reason, refused, references)


def references_in(content: object, path: str = "") -> Iterator[str]:
    """The paths of values that hold a secret reference, plain or in base64."""
    if isinstance(content, dict):
        for key, item in content.items():
            yield from references_in(item, f"{path}.{key}" if path else str(key))
    elif isinstance(content, list):
        for at, item in enumerate(content):
            yield from references_in(item, f"{path}[{at}]")
    elif isinstance(content, str) and has_reference(content):
        yield path


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
