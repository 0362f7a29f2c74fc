"""Annotations that Argo CD reads otherwise than they are meant, or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.manifests.objects import mapping
from commodore_py.manifests.order.hooks import (
    HELM_HOOK,
    HELM_TYPES,
    HOOK,
    OPTIONS,
    POLICIES,
    POLICY,
    TYPES,
    WAVE,
    annotations_of,
    hook_facts,
    integer,
    words_of,
)

from .base import Issue

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .base import Content, Item, Settings

NAME = "sync-annotations"
_DELETION = ("PreDelete", "PostDelete")
_HOOKS = (*TYPES, *_DELETION)
_HELM_DELETION = ("pre-delete", "post-delete")
_OPTIONS = (
    *("ApplyOutOfSyncOnly", "ClientSideApplyMigration", "CreateNamespace", "Delete"),
    *("FailOnSharedResource", "Force", "Prune", "PruneLast", "PrunePropagationPolicy", "Replace"),
    *("RespectIgnoreDifferences", "ServerSideApply", "SkipDryRunOnMissingResource", "Validate"),
)
_KEEPING = {
    *("CustomResourceDefinition", "Namespace", "PersistentVolume", "PersistentVolumeClaim"),
    *("Service", "StatefulSet"),
}
"""Kinds that lose data or addresses when they are deleted and created again."""


def check(items: Sequence[Item], _settings: Settings) -> Iterator[tuple[Item, Issue]]:
    """Problems of the annotations of each object."""
    for item in items:
        for issue in _issues(item.content):
            yield item, issue


def _issues(content: Content) -> Iterator[Issue]:
    annotations = annotations_of(content)
    if WAVE in annotations and integer(annotations[WAVE]) is None:
        message = f"the wave {annotations[WAVE]!r} is not an integer, so it does not count"
        yield _issue("wave-word", WAVE, message, "write an integer in quotes")
    yield from _hooks(content, annotations)
    yield from _options(content, annotations)
    metadata = mapping(content.get("metadata"))
    if metadata.get("generateName") and not metadata.get("name") and HOOK not in annotations:
        message = "every sync creates another object: its name is generated"
        remedy = f"give it a name, or make it a hook with {HOOK}"
        yield Issue("sync/name-generated", message, "metadata.generateName", remedy)


def _hooks(content: Content, annotations: dict[str, str]) -> Iterator[Issue]:
    types, helms = words_of(annotations, HOOK), words_of(annotations, HELM_HOOK)
    for name, allowed in ((HOOK, _HOOKS), (POLICY, POLICIES)):
        unknown = [word for word in words_of(annotations, name) if word not in allowed]
        if unknown:
            never = name == HOOK and not set(types) & set(allowed) and hook_facts(content).ignored
            more = ": the object is never applied" if never else ""
            message = f"Argo CD does not know {', '.join(unknown)}{more}"
            yield _issue("hook-word", name, message, f"known are: {', '.join(allowed)}")
    if types and helms and set(types) & set(_HOOKS):
        message = f"the hook of Helm does not count beside {HOOK}"
        yield _issue("hook-mixed", HELM_HOOK, message, "remove one of them")
    if "Skip" in types and len(types) > 1:
        message = "Skip does not count beside other hooks: the object is applied"
        yield _issue("hook-mixed", HOOK, message, "remove Skip, or the others")
    dropped = [helm for helm in helms if helm not in (*HELM_TYPES, *_HELM_DELETION, "crd-install")]
    if dropped and not types and hook_facts(content).ignored:
        message = f"Argo CD never applies the object: it does not run {', '.join(dropped)}"
        yield _issue("hook-dropped", HELM_HOOK, message, "remove the object, or its annotation")


def _options(content: Content, annotations: dict[str, str]) -> Iterator[Issue]:
    options = words_of(annotations, OPTIONS)
    unknown = [
        option
        for option in options
        if option.partition("=")[0] not in _OPTIONS or "=" not in option
    ]
    if unknown:
        message = f"Argo CD does not know {', '.join(unknown)}"
        yield _issue("option-word", OPTIONS, message, f"known are: {', '.join(_OPTIONS)}")
    if {"Replace=true", "Force=true"} <= {*options} and content.get("kind") in _KEEPING:
        message = f"every change deletes the {content['kind']} and creates it again"
        yield _issue("replace-force", OPTIONS, message, "remove Force=true")


def _issue(code: str, annotation: str, message: str, remedy: str) -> Issue:
    return Issue(f"sync/{code}", message, f"metadata.annotations.{annotation}", remedy)
