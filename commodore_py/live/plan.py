"""Plan a sync of the catalog in its cluster, step by step (pure)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Literal, TypeAlias

from commodore_py.manifests.order import applications as apps
from commodore_py.manifests.order.tasks import SyncOptions, sync_tasks
from commodore_py.manifests.secrets import has_reference

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from commodore_py.live.pairing import Target
    from commodore_py.manifests.diff import ObjectChange
    from commodore_py.manifests.objects import Content, KubeObject, ObjectId
    from commodore_py.manifests.order.applications import Application
    from commodore_py.manifests.order.hooks import Phase
    from commodore_py.manifests.order.tasks import Task
    from commodore_py.model.difference import Grade

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
class State:
    """State of the cluster."""

    namespaces: Collection[str]
    """Those that are there."""
    changes: Mapping[ObjectId, ObjectChange]
    unseen: Mapping[ObjectId, str]
    doomed: Sequence[KubeObject] = ()
    """Live objects that are deleted."""
    kinds: Collection[tuple[str, str]] = ()
    """Those that the application and others before it define."""


def steps_of(application: Application, targets: Sequence[Target], state: State) -> Iterator[Step]:
    """The steps of one application, in order."""
    options = SyncOptions(
        namespace=application.namespace,
        prune_last=apps.PRUNE_LAST in application.options,
        create_namespace=apps.CREATE_NAMESPACE in application.options,
    )
    ids = {id(target.object): target for target in targets}
    tasks = sync_tasks([target.object for target in targets], state.doomed, options)
    groups = [(key, tuple(of)) for key, of in groupby(tasks, lambda task: (task.phase, task.wave))]
    usual = [(key, of) for key, of in groups if key[0] != AFTER_FAILURE]
    has_hooks = any(task.is_hook for _, of in usual for task in of)
    for (phase, wave), of in groups:
        actions = tuple(_action(task, ids.get(id(task.object)), state) for task in of)
        is_last = not usual or (phase, wave) == usual[-1][0]
        awaited = phase == AFTER_FAILURE or has_hooks or not is_last
        yield Step(application.name, phase, wave, actions, awaited)


def _action(task: Task, target: Target | None, state: State) -> Action:
    if task.is_prune:
        change = state.changes.get(task.object.id)
        grade, reason = (change.grade, change.reason) if change else ("none", "")
        return Action("delete", task.object.id, None, grade, reason)
    if target is None:  # the namespace of the application
        what: What = "keep" if task.object.id.name in state.namespaces else "create"
        content = task.object.content
        return Action(what, task.object.id, content, "none", "")
    refused = ""
    if target.api is None and (target.id.group, target.id.kind) not in state.kinds:
        refused = f"the server has no kind {target.id.kind} in {target.id.group or 'v1'}"
    references = tuple(references_in(target.object.content))
    change = state.changes.get(target.id)
    action: What = "keep"
    if task.is_hook:
        action = "hook"
    elif target.id in state.unseen:
        action, refused = "unseen", state.unseen[target.id]
    elif change is not None:
        action = "create" if change.what == "created" else "change"
    grade, reason = (change.grade, change.reason) if change is not None else ("none", "")
    if change is not None and not reason:
        reason = next((field.reason for field in change.fields if field.grade == grade), "")
    return Action(action, target.id, target.object.content, grade, reason, refused, references)


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
