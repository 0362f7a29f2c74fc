"""Order the tasks of a sync of Argo CD for the objects of an application (pure)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from commodore_py.manifests.objects import KubeObject, ObjectId, split_version, value_in

from . import hooks, kinds
from .hooks import PHASES, Phase

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

_DependencyOf: TypeAlias = "Callable[[Task], tuple[str, ...] | None]"
_LAST = "PruneLast=true"


@dataclass(frozen=True, slots=True)
class SyncOptions:
    """Settings of a sync."""

    namespace: str = ""
    """The namespace of the application, for objects without one."""
    prune_last: bool = False
    create_namespace: bool = False


@dataclass(frozen=True, slots=True)
class Task:
    """One object in one phase: to be applied, or to be deleted."""

    object: KubeObject
    phase: Phase
    wave: int
    name: str
    namespace: str
    is_hook: bool = False
    is_prune: bool = False

    @property
    def kind(self) -> tuple[str, str]:
        """Group and kind, as the object names them."""
        group, _, kind = split_version(self.object.content)
        return group, kind


def sync_tasks(
    targets: Sequence[KubeObject],
    doomed: Sequence[KubeObject] = (),
    options: SyncOptions | None = None,
) -> tuple[Task, ...]:
    """Every task of a sync, in order; the doomed objects are deleted."""
    how = options or SyncOptions()
    applied = _applied(targets, how.namespace)
    if how.create_namespace and how.namespace:
        applied += _created_namespace((*targets, *doomed), how.namespace)
    waves = [task.wave for task in applied if task.phase == "Sync"]
    pruned = _pruned(doomed, waves, every_last=how.prune_last)
    tasks = sorted((*applied, *pruned), key=_rank)
    tasks = _pulled(
        tasks,
        lambda task: (task.name,) if task.kind == ("", "Namespace") else None,
        needed_by=lambda task: (task.namespace,) if task.namespace else None,
    )
    return tuple(
        _pulled(
            tasks,
            lambda task: kinds.defined_kind(task.object.content),
            needed_by=lambda task: task.kind,
        )
    )


def _applied(targets: Iterable[KubeObject], namespace: str) -> list[Task]:
    """A task for each phase of each target; of those with one id, the last one counts."""
    plain: dict[tuple[str, ...], Task] = {}
    of_hooks: list[Task] = []
    for target in targets:
        fact = hooks.hook_facts(target.content)
        task = _task(target, namespace)
        if not fact.is_hook:
            if fact.phases:
                plain[*task.kind, target.id.namespace, task.name] = task
        elif not fact.ignored:
            of_hooks += [replace(task, phase=phase, is_hook=True) for phase in fact.phases]
    return [*plain.values(), *of_hooks]


def _task(target: KubeObject, namespace: str = "") -> Task:
    # Argo CD completes the name of a hook that has only a prefix.
    name = target.id.name
    if not value_in(target.content, "metadata", "name"):
        name = name.removesuffix("*")
    wave = hooks.wave_of(target.content)
    return Task(target, "Sync", wave, name, target.id.namespace or namespace)


def _pruned(
    doomed: Iterable[KubeObject], applied: Sequence[int], *, every_last: bool
) -> list[Task]:
    """Prune in the opposite order: the lowest wave swaps with the highest, and so on."""
    tasks = [
        replace(_task(kube_object), is_prune=True)
        for kube_object in doomed
        if not (fact := hooks.hook_facts(kube_object.content)).is_hook and fact.phases
    ]
    waves = sorted({task.wave for task in tasks})
    other = dict(zip(waves, reversed(waves), strict=True))
    last = max((0, *waves, *applied)) + 1
    return [
        replace(task, wave=last if every_last or _is_last(task) else other[task.wave])
        for task in tasks
    ]


def _is_last(task: Task) -> bool:
    return _LAST in hooks.sync_options(task.object.content)


def _created_namespace(objects: Iterable[KubeObject], name: str) -> Iterator[Task]:
    id_ = ObjectId("", "Namespace", "", name)
    if not any(replace(kube_object.id, namespace="") == id_ for kube_object in objects):
        content = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
        yield replace(_task(KubeObject(id_, content)), phase="PreSync")


def _rank(task: Task) -> tuple[int, int, int, str, str, str]:
    group, kind = task.kind
    return (
        PHASES.index(task.phase),
        task.wave,
        kinds.rank(kind),
        task.name,
        group,
        task.namespace,
    )


def _pulled(
    tasks: list[Task], dependency: _DependencyOf, *, needed_by: _DependencyOf
) -> list[Task]:
    """Move what others need just before the first of them, into its phase and wave."""
    order: list[Task] = []
    first: dict[tuple[str, ...], int] = {}
    for task in tasks:
        key = None if task.is_prune else dependency(task)
        if key is None and not task.is_prune:
            needed = needed_by(task)
            if needed is not None:
                first.setdefault(needed, len(order))
        if key is None or key not in first:
            order.append(task)
            continue
        at = first[key]
        order.insert(at, replace(task, wave=order[at].wave, phase=order[at].phase))
        first = {name: place + (place >= at) for name, place in first.items()}
    return order
