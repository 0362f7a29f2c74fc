"""The order in which Argo CD syncs the objects of a catalog."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from commodore_py.adapters import reading
from commodore_py.errors import CommodoreError
from commodore_py.live.rules import has_rule_in_argocd
from commodore_py.manifests.health import builtin
from commodore_py.manifests.objects import split_version
from commodore_py.manifests.order import applications, hooks, lint
from commodore_py.manifests.order.kinds import scopes_of
from commodore_py.manifests.order.tasks import SyncOptions, sync_tasks

from .objects import read_objects

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from commodore_py.manifests.objects import KubeObject
    from commodore_py.manifests.order.applications import Application
    from commodore_py.manifests.order.hooks import Phase
    from commodore_py.manifests.order.lint import Finding
    from commodore_py.manifests.order.tasks import Task

REVISION, STARTED = "REVISION", 0


class Step(NamedTuple):
    """The tasks of a phase and wave, and whether the sync waits for them."""

    phase: Phase
    wave: int
    tasks: tuple[Task, ...]
    awaited: bool


class OrderOf(NamedTuple):
    """The order of one application."""

    application: Application
    steps: tuple[Step, ...]


class OrderReport(NamedTuple):
    """The order of every application, and what is surprising about it."""

    orders: tuple[OrderOf, ...]
    findings: tuple[Finding, ...]
    outside: tuple[str, ...]
    """Applications whose path holds none of the files."""
    others: int


def order_of(name: str, *, only: str = "") -> OrderReport:
    """The order of the objects in a file or folder."""
    found = read_objects([name])
    _check_waves(found.objects)
    assigned = applications.assigned(found.objects, name)
    known = [application.name for application, _ in assigned.applications]
    if only and only not in known:
        raise CommodoreError(
            f"no application {only} syncs objects here",
            where=name,
            hint=f"applications: {', '.join(filter(None, known)) or 'none'}",
        )
    scopes = scopes_of([one.content for one in found.objects])
    findings = [*lint.of_assignment(assigned), *lint.of_definitions(assigned)]
    orders = []
    for application, objects in assigned.applications:
        unique, doubles = _last_of_each(objects, application)
        tasks = sync_tasks(unique, options=_options(application))
        more = [*doubles, *lint.of_objects(unique, scopes), *lint.of_tasks(tasks)]
        if not only or application.name == only:
            orders.append(OrderOf(application, _steps(tasks)))
            findings += more
    outside = tuple(application.name for application in assigned.outside)
    return OrderReport(tuple(orders), tuple(findings), outside, found.others)


def may_have_health(one: KubeObject) -> bool:
    """Whether Argo CD has a rule for its kind, so that it is waited for."""
    group, version, kind = split_version(one.content)
    found = builtin.verdict(group, version, kind, one.content)
    return found is not None or has_rule_in_argocd(group, kind)


def _options(application: Application) -> SyncOptions:
    return SyncOptions(
        namespace=application.namespace,
        revision=REVISION,
        started=STARTED,
        prune_last=applications.PRUNE_LAST in application.options,
        create_namespace=applications.CREATE_NAMESPACE in application.options,
    )


def _steps(tasks: Sequence[Task]) -> tuple[Step, ...]:
    waves = [
        (phase, wave, tuple(of))
        for (phase, wave), of in groupby(tasks, lambda task: (task.phase, task.wave))
    ]
    ordinary = [one for one in waves if one[0] != "SyncFail"]
    has_hooks = any(task.is_hook for _, _, of in ordinary for task in of)
    return tuple(
        Step(phase, wave, of, awaited=has_hooks or (phase, wave) != ordinary[-1][:2])
        if phase != "SyncFail"
        else Step(phase, wave, of, awaited=True)
        for phase, wave, of in waves
    )


def _last_of_each(
    objects: Iterable[KubeObject], application: Application
) -> tuple[list[KubeObject], list[Finding]]:
    """Of an id that is there twice, Argo CD takes the last object."""
    last: dict[tuple[str, ...], KubeObject] = {}
    findings = []
    for one in objects:
        id_ = one.id
        namespace = id_.namespace or application.namespace
        key = (id_.group, id_.kind, namespace, id_.name)
        if key in last and not id_.name.endswith("*"):
            first = last.pop(key)
            message = f"it is also in {first.file}: the last one counts"
            findings.append(lint.Finding("duplicate", one, message))
        last[key] = one
    return list(last.values()), findings


def _check_waves(objects: Iterable[KubeObject]) -> None:
    """Annotations are strings: the API refuses others, and Argo CD reads none of them."""
    for one in objects:
        metadata = one.content.get("metadata")
        found = metadata.get("annotations") if isinstance(metadata, dict) else None
        for name, value in found.items() if isinstance(found, dict) else ():
            if name in (hooks.WAVE, hooks.HELM_WEIGHT) and not isinstance(value, str | None):
                raise CommodoreError(
                    f"the annotation {name} of {one.id} is not a string: {value}",
                    where=_line(one.file, name),
                    hint=f'write it in quotes: "{value}"',
                )


def _line(file: str, name: str) -> str:
    """The first line with an annotation whose value is not in quotes."""
    try:
        lines = reading.text_of(file).splitlines()
    except (OSError, ValueError):
        return file
    for number, line in enumerate(lines, 1):
        before, found, value = line.partition(name)
        plain = value.lstrip("\"'").lstrip(": ")
        if found and not before.strip(" \"'") and plain[:1] not in ("", '"', "'"):
            return f"{file}:{number}"
    return file
