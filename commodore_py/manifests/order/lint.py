"""What is surprising about the order of a sync (pure)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from commodore_py.manifests.objects import split_version

from . import hooks
from .kinds import defined_kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from commodore_py.manifests.objects import KubeObject

    from .applications import Assigned
    from .tasks import Task

Code: TypeAlias = Literal[
    "duplicate",
    "keeps-forever",
    "missing-definition",
    "never-applied",
    "pulled-forward",
    "repeated-hook",
    "scoped",
    "shared",
    "unapplied",
    "wave-word",
]
_KEEPS = ("Prune=false",)
_SKIPS_DRY_RUN = "SkipDryRunOnMissingResource=true"


class Finding(NamedTuple):
    """Something surprising about an object."""

    code: Code
    object: KubeObject
    message: str


def of_objects(
    objects: Iterable[KubeObject], scopes: frozenset[tuple[str, str]]
) -> Iterator[Finding]:
    """What the objects of an application say about themselves."""
    for one in objects:
        facts = hooks.hook_facts(one.content)
        annotations = hooks.annotations_of(one.content)
        group, _, kind = split_version(one.content)
        if facts.skipped or facts.ignored:
            word = annotations.get(hooks.HOOK) or annotations.get(hooks.HELM_HOOK)
            yield Finding("never-applied", one, f"its hook {word} has no phase of a sync")
        wave = annotations.get(hooks.WAVE)
        if wave is not None and hooks.integer(wave) is None:
            used = hooks.wave_of(one.content)
            yield Finding("wave-word", one, f"its wave {wave!r} is not a number: it runs in {used}")
        if any(option in hooks.sync_options(one.content) for option in _KEEPS):
            yield Finding("keeps-forever", one, "Prune=false: it stays when it leaves the catalog")
        if one.id.namespace and (group, kind) in scopes:
            yield Finding("scoped", one, f"{kind} has no namespace: {one.id.namespace} is ignored")


def of_tasks(tasks: Iterable[Task]) -> Iterator[Finding]:
    """What the order does to objects."""
    phases: dict[tuple[object, ...], list[str]] = {}
    for task in tasks:
        one = task.object
        if task.pulled and task.wave != task.written:
            message = f"it runs in wave {task.wave}, not {task.written}: an object there needs it"
            yield Finding("pulled-forward", one, message)
        if task.is_hook:
            phases.setdefault((*task.kind, task.namespace, task.name), []).append(task.phase)
            found = phases[*task.kind, task.namespace, task.name]
            if len(found) > 1:
                message = f"in {found[-1]} it replaces the one of {found[-2]}, which is deleted"
                yield Finding("repeated-hook", one, message)


def of_assignment(found: Assigned) -> Iterator[Finding]:
    """Objects of no application, and of several."""
    for one in found.unapplied:
        yield Finding("unapplied", one, "no application reads its file")
    for one, names in found.shared:
        yield Finding("shared", one, f"several applications read its file: {', '.join(names)}")


def of_definitions(found: Assigned) -> Iterator[Finding]:
    """Objects of kinds that another application defines."""
    definers = {
        defined: application.name
        for application, objects in found.applications
        for one in objects
        if (defined := defined_kind(one.content)) is not None
    }
    for application, objects in found.applications:
        for one in objects:
            group, _, kind = split_version(one.content)
            definer = definers.get((group, kind), application.name)
            skips = _SKIPS_DRY_RUN in (*hooks.sync_options(one.content), *application.options)
            if definer != application.name and not skips:
                message = (
                    f"the application {definer} defines {kind}: until it is synced, the sync of"
                    f" {application.name} fails; {_SKIPS_DRY_RUN} lets it try"
                )
                yield Finding("missing-definition", one, message)
