"""Annotations that control a sync: hooks, waves, options (pure)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from commodore_py.manifests.objects import value_in

if TYPE_CHECKING:
    from collections.abc import Mapping

    from commodore_py.manifests.objects import Content

Phase: TypeAlias = Literal["PreSync", "Sync", "PostSync", "SyncFail"]
PHASES: tuple[Phase, ...] = ("PreSync", "Sync", "PostSync", "SyncFail")

HOOK, HELM_HOOK = "argocd.argoproj.io/hook", "helm.sh/hook"
WAVE, HELM_WEIGHT = "argocd.argoproj.io/sync-wave", "helm.sh/hook-weight"
OPTIONS = "argocd.argoproj.io/sync-options"
POLICY = "argocd.argoproj.io/hook-delete-policy"
FINALIZER = "argocd.argoproj.io/hook-finalizer"

_SKIP = "Skip"
TYPES = (*PHASES, _SKIP)
HELM_TYPES = {
    "pre-install": "PreSync",
    "pre-upgrade": "PreSync",
    "post-upgrade": "PostSync",
    "post-install": "PostSync",
}
_CRD_INSTALL = "crd-install"
POLICIES = ("HookSucceeded", "HookFailed", "BeforeHookCreation")
_INTEGER = re.compile(r"[+-]?[0-9]+")
_LARGEST = 2**63


@dataclass(frozen=True, slots=True)
class HookFacts:
    """The types of hook that an object is."""

    is_hook: bool
    types: tuple[str, ...]
    phases: tuple[Phase, ...]
    """The phases in which the object is applied, in their order; `Sync` for what is not a hook."""
    skipped: bool
    """`Skip` alone: never applied, and not a hook."""

    @property
    def ignored(self) -> bool:
        """A hook of unknown types: never applied."""
        return self.is_hook and not self.types


_NO_HOOK = HookFacts(is_hook=False, types=(), phases=("Sync",), skipped=False)


def annotations_of(content: Content) -> dict[str, str]:
    """The annotations; none if one of them is not a string, as Argo CD reads them."""
    return texts_of(content, "annotations")


def texts_of(content: Content, name: str) -> dict[str, str]:
    """Annotations or labels."""
    texts = value_in(content, "metadata", name)
    if not isinstance(texts, dict) or not all(isinstance(text, str) for text in texts.values()):
        return {}
    return texts


def words_of(annotations: Mapping[str, str], name: str) -> tuple[str, ...]:
    """The words of a comma-separated annotation, without duplicates."""
    words = (word.strip() for word in annotations.get(name, "").split(","))
    return tuple(dict.fromkeys(filter(None, words)))


def hook_facts(content: Content) -> HookFacts:
    """Parse the annotations of hooks; those of Helm count if there is no known one of Argo."""
    annotations = annotations_of(content)
    if annotations.keys().isdisjoint((HOOK, HELM_HOOK)):
        return _NO_HOOK
    types = tuple(word for word in words_of(annotations, HOOK) if word in TYPES) or tuple(
        HELM_TYPES[word] for word in words_of(annotations, HELM_HOOK) if word in HELM_TYPES
    )
    skipped = types == (_SKIP,)
    if HOOK in annotations:
        is_hook = not skipped
    else:
        is_hook = HELM_HOOK in annotations and annotations[HELM_HOOK] != _CRD_INSTALL
    if skipped:
        phases: tuple[Phase, ...] = ()
    elif is_hook:
        phases = tuple(phase for phase in PHASES if phase in types)
    else:
        phases = ("Sync",)
    return HookFacts(is_hook, types, phases, skipped)


def wave_of(content: Content) -> int:
    """The wave: of Argo, else Helm's weight, else 0."""
    annotations = annotations_of(content)
    for name in (WAVE, HELM_WEIGHT):
        wave = integer(annotations.get(name, ""))
        if wave is not None:
            return wave
    return 0


def integer(text: str) -> int | None:
    """The number that Go reads, or None."""
    if not _INTEGER.fullmatch(text) or len(text) > len(str(_LARGEST)) + 1:
        return None
    number = int(text)
    return number if -_LARGEST <= number < _LARGEST else None


def sync_options(content: Content) -> tuple[str, ...]:
    """The options of an object."""
    return words_of(annotations_of(content), OPTIONS)


def has_finalizer(content: Content) -> bool:
    """Return whether it has the finalizer of hooks."""
    return FINALIZER in finalizers_of(content)


def finalizers_of(content: Content) -> tuple[str, ...]:
    """The finalizers; none if one is not a string."""
    finalizers = value_in(content, "metadata", "finalizers")
    if not isinstance(finalizers, list) or not all(isinstance(name, str) for name in finalizers):
        return ()
    return tuple(finalizers)
