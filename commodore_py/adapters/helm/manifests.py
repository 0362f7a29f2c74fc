"""What templates give, split into manifests and put in Helm's order (pure)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from commodore_py.adapters.yaml import exact as yaml_exact
from commodore_py.adapters.yaml.error import YamlError

from .program import HelmFailed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

NOTES = "NOTES.txt"

_SEPARATOR = re.compile(r"(?:^|\s*\n)---\s*")
_HOOK = "helm.sh/hook"
_TESTS = frozenset({"test", "test-success"})
_HOOKS = _TESTS | {
    f"{when}-{what}"
    for when in ("pre", "post")
    for what in ("install", "delete", "upgrade", "rollback")
}
# What others need comes first.
_KINDS = """
PriorityClass Namespace NetworkPolicy ResourceQuota LimitRange PodSecurityPolicy PodDisruptionBudget
ServiceAccount Secret SecretList ConfigMap StorageClass PersistentVolume PersistentVolumeClaim
CustomResourceDefinition ClusterRole ClusterRoleList ClusterRoleBinding ClusterRoleBindingList Role
RoleList RoleBinding RoleBindingList Service DaemonSet Pod ReplicationController ReplicaSet
Deployment HorizontalPodAutoscaler StatefulSet Job CronJob IngressClass Ingress APIService
MutatingWebhookConfiguration ValidatingWebhookConfiguration
"""
_RANKS = {kind: rank for rank, kind in enumerate(_KINDS.split())}


@dataclass(frozen=True, slots=True)
class Manifest:
    """One document of one template."""

    path: str
    content: str
    kind: str
    hooks: frozenset[str] = frozenset()
    is_crd: bool = False

    @property
    def is_hook(self) -> bool:
        """Whether it is run at some moment, and not installed."""
        return bool(self.hooks)

    @property
    def is_test(self) -> bool:
        """Whether it is run when the release is tested."""
        return not self.hooks.isdisjoint(_TESTS)


def manifests_of(path: str, text: str) -> Iterator[Manifest]:
    """The documents of a template; those of partials are for other templates only."""
    if path.rpartition("/")[2].startswith("_"):
        return
    for part in _SEPARATOR.split(text.lstrip()):
        content = part.lstrip()
        if not content:
            continue
        kind, hooks = _head(path, content)
        # Hooks that Helm does not know are dropped, with what they are written on.
        if hooks <= _HOOKS:
            yield Manifest(path, content, kind, hooks)


def in_order(manifests: Iterable[Manifest]) -> list[Manifest]:
    """By kind, hooks last; of one kind, in the order of templates."""
    return sorted(manifests, key=_place)


def _place(manifest: Manifest) -> tuple[bool, int, str]:
    known = manifest.kind in _RANKS
    rank = _RANKS.get(manifest.kind, len(_RANKS))
    return manifest.is_hook, rank, "" if known else manifest.kind


def _head(path: str, content: str) -> tuple[str, frozenset[str]]:
    try:
        document = yaml_exact.load(content, name=path)
    except YamlError as error:
        raise HelmFailed(f"YAML parse error on {path}: {error}", where=error.where) from error
    if document is None:
        return "", frozenset()
    if not isinstance(document, dict):
        raise HelmFailed(f"YAML parse error on {path}: a manifest must be a mapping")
    named = _below(_below(document, "metadata"), "annotations").get(_HOOK)
    hooks = {one.strip().lower() for one in str(named).split(",")} if named is not None else set()
    return str(document.get("kind") or ""), frozenset(hooks)


def _below(value: dict[str, Any], key: str) -> dict[str, Any]:
    found = value.get(key)
    return found if isinstance(found, dict) else {}
