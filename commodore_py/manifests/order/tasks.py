"""Order the tasks of a sync of Argo CD for the objects of an application (pure)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from commodore_py.manifests.objects import KubeObject, ObjectId, split_version, value_in

from . import hooks, kinds
from .hooks import PHASES, Phase

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

_Key: TypeAlias = tuple[str, str, str, str]
_DependencyOf: TypeAlias = "Callable[[Task], tuple[str, ...] | None]"
_SHORT_REVISION = 7
_LAST = "PruneLast=true"


@dataclass(frozen=True, slots=True)
class SyncOptions:
    """Settings of a sync."""

    namespace: str = ""
    """The namespace of the application, for objects without one."""
    revision: str = ""
    started: int = 0
    """Seconds since 1970; for names of hooks."""
    prune_last: bool = False
    create_namespace: bool = False
    skip_hooks: bool = False


@dataclass(slots=True)
class Task:
    """One object in one phase: to be applied, or to be pruned if there is no target."""

    phase: Phase
    target: KubeObject | None
    live: KubeObject | None
    name: str
    namespace: str
    wave: int
    written: int
    """The wave that the annotations say."""
    is_hook: bool = False
    pulled: bool = field(default=False)
    """Whether it was moved before the first object that needs it."""

    @property
    def object(self) -> KubeObject:
        """The target, or what is pruned."""
        kube_object = self.target or self.live
        assert kube_object is not None  # noqa: S101 - one of both
        return kube_object

    @property
    def is_prune(self) -> bool:
        """True if the object is deleted."""
        return self.target is None

    @property
    def kind(self) -> tuple[str, str]:
        """Group and kind, as the object names them."""
        group, _, kind = split_version(self.object.content)
        return group, kind


def sync_tasks(
    targets: Sequence[KubeObject],
    live: Sequence[KubeObject] = (),
    options: SyncOptions | None = None,
) -> tuple[Task, ...]:
    """Every task of a sync, in order; live objects are those that the application manages."""
    how = options or SyncOptions()
    scopes = kinds.scopes_of([kube_object.content for kube_object in (*targets, *live)])
    facts = [(target, hooks.hook_facts(target.content)) for target in targets]
    plain = [target for target, fact in facts if not fact.is_hook]
    pairs = _paired(plain, live, how.namespace, scopes)
    tasks = [
        _task("Sync", target, current) for target, current in pairs if _is_synced(target, current)
    ]
    if not how.skip_hooks:
        tasks += [
            _hook_task(phase, target, how)
            for target, fact in facts
            if fact.is_hook and not fact.ignored
            for phase in fact.phases
        ]
    for task in tasks:
        if task.target is not None and not task.namespace:
            task.namespace = how.namespace
    if how.create_namespace and how.namespace:
        tasks += _created_namespace(plain, live, how.namespace)
    _find_live(tasks, pairs)
    _mirror(tasks)
    _prune_last(tasks, every=how.prune_last)
    tasks.sort(key=_rank)
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


def key_of(kube_object: KubeObject) -> _Key:
    """Raw group, kind, namespace and name."""
    group, _, kind = split_version(kube_object.content)
    return group, kind, kube_object.id.namespace, kube_object.id.name


def _is_synced(target: KubeObject | None, live: KubeObject | None) -> bool:
    kube_object = target or live
    if kube_object is None:
        return False
    fact = hooks.hook_facts(kube_object.content)
    return not fact.is_hook and bool(fact.phases)


def _task(phase: Phase, target: KubeObject | None, live: KubeObject | None) -> Task:
    kube_object = target or live
    assert kube_object is not None  # noqa: S101 - one of both
    wave = hooks.wave_of(kube_object.content)
    return Task(phase, target, live, kube_object.id.name, kube_object.id.namespace, wave, wave)


def _hook_task(phase: Phase, target: KubeObject, how: SyncOptions) -> Task:
    task = _task(phase, target, None)
    task.is_hook = True
    metadata = target.content.get("metadata")
    if isinstance(metadata, dict) and not metadata.get("name"):
        task.name = hook_name(str(metadata.get("generateName") or ""), phase, how)
    return task


def hook_name(prefix: str, phase: Phase, how: SyncOptions) -> str:
    """The name of a hook that has only a prefix."""
    revision = how.revision
    if len(revision) > _SHORT_REVISION:
        revision = revision[:_SHORT_REVISION]
    return prefix + f"{revision}-{phase}-{how.started}".lower()


def _paired(
    targets: Sequence[KubeObject],
    live: Sequence[KubeObject],
    namespace: str,
    scopes: frozenset[tuple[str, str]],
) -> list[tuple[KubeObject | None, KubeObject | None]]:
    """Each target with its live object, then live objects without target; one of each id."""
    left = {key_of(without_copy): without_copy for without_copy in _without_copies(targets, live)}
    pairs: dict[_Key, tuple[KubeObject | None, KubeObject | None]] = {}
    for target in targets:
        group, kind, stated, name = key_of(target)
        in_namespace = (group, kind, stated or namespace, name)
        outside = (group, kind, "", name)
        key = outside if (group, kind) in scopes else in_namespace
        current = left.pop(key, None)
        pairs[key_of(current or target)] = (target, current)
    return [*pairs.values(), *((None, kube_object) for kube_object in left.values())]


def _without_copies(
    targets: Sequence[KubeObject], live: Sequence[KubeObject]
) -> Iterator[KubeObject]:
    """The live objects; of those with one UID the targets, else the first."""
    target_keys = {key_of(target) for target in targets}
    groups: dict[object, list[KubeObject]] = {}
    for kube_object in live:
        uid = value_in(kube_object.content, "metadata", "uid")
        groups.setdefault(uid or key_of(kube_object), []).append(kube_object)
    for copies in groups.values():
        named = [copy for copy in copies if key_of(copy) in target_keys]
        yield from named or copies[:1]


def _created_namespace(
    targets: Iterable[KubeObject], live: Iterable[KubeObject], name: str
) -> Iterator[Task]:
    kind = ("", "Namespace")
    if any(
        (kube_object.id.group, kube_object.id.kind, kube_object.id.name) == (*kind, name)
        for kube_object in (*targets, *live)
    ):
        return
    content = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}

    yield _task("PreSync", KubeObject(ObjectId(*kind, "", name), content), None)


def _find_live(
    tasks: Iterable[Task], pairs: Iterable[tuple[KubeObject | None, KubeObject | None]]
) -> None:
    live_objects = {
        key_of(current or target): current  # type: ignore[arg-type] # one of both
        for target, current in pairs
        if current or target
    }
    for task in tasks:
        if task.target is not None and task.live is None:
            for namespace in ("", task.namespace):
                current = live_objects.get((*task.kind, namespace, task.name))
                if current is not None:
                    task.live = current
                    break


def _mirror(tasks: Iterable[Task]) -> None:
    """Prune in the opposite order: the lowest wave swaps with the highest, and so on."""
    prunes = [task for task in tasks if task.is_prune]
    waves = sorted({task.wave for task in prunes})
    other = dict(zip(waves, reversed(waves), strict=True))
    for task in prunes:
        task.wave = other[task.wave]


def _prune_last(tasks: Sequence[Task], *, every: bool) -> None:
    last = max((0, *(task.wave for task in tasks if task.phase == "Sync"))) + 1
    for task in tasks:
        if task.is_prune and (every or _LAST in hooks.sync_options(task.object.content)):
            task.wave = last


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
        if task.target is None:
            order.append(task)
            continue
        key = dependency(task)
        if key is None:
            needed = needed_by(task)
            if needed is not None:
                first.setdefault(needed, len(order))
            order.append(task)
        elif key in first:
            at = first[key]
            task.wave, task.phase, task.pulled = order[at].wave, order[at].phase, True
            order.insert(at, task)
            first = {name: place + (place >= at) for name, place in first.items()}
        else:
            order.append(task)
    return order
