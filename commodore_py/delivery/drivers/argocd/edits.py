"""Changes of a plan in an Application of a component, and in the object of a hook (pure)."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

from commodore_py.delivery.drivers.documents import object_named
from commodore_py.delivery.findings import Finding
from commodore_py.manifests.objects import items, value_in
from commodore_py.manifests.order.hooks import HOOK, POLICY, WAVE

from .registration import server_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from commodore_py.delivery.drivers.documents import Documents
    from commodore_py.delivery.nodes import Leaf
    from commodore_py.delivery.settings import Cluster
    from commodore_py.model.spot import ParameterPath
    from commodore_py.model.tree import Tree

GATE = "commodore-py/gate"
FINALIZER = "resources-finalizer.argocd.argoproj.io"
_OPTIONS = {"createNamespace": "CreateNamespace", "serverSideApply": "ServerSideApply"}
_AUTOMATED = ("prune", "selfHeal")
_RETRY: Mapping[str, Any] = {
    "backoff": {"duration": "30s", "factor": 2, "maxDuration": "5m"},
    "limit": 10,
}
"""With an end: endless retries keep newer commits out."""


def edit_application(
    content: dict[str, Any], leaf: Leaf, wave: int, gate: str, clusters: Mapping[str, Cluster]
) -> None:
    """Wave, gate, cluster and settings of an instance's Application."""
    annotate(content, {WAVE: str(wave), GATE: "degraded-ok" if leaf.allow_degraded else gate})
    spec = inner(content, "spec")
    if leaf.cluster:
        destination = inner(spec, "destination")
        destination.pop("server", None)
        destination["name"] = server_name(clusters[leaf.cluster])
    if leaf.background:
        without_finalizer(content["metadata"])
    policy = inner(spec, "syncPolicy")
    if leaf.cluster and "retry" not in leaf.app:
        set_retry(policy)
    _edit_policy(policy, leaf.app)
    if not policy:
        del spec["syncPolicy"]
    if "ignoreDifferences" in leaf.app:
        present = items(spec.get("ignoreDifferences"))
        more = [rule for rule in leaf.app["ignoreDifferences"] if rule not in present]
        spec["ignoreDifferences"] = [*present, *more]


def set_retry(policy: dict[str, Any]) -> None:
    """Retry, unless that is set already."""
    policy.setdefault("retry", deepcopy(dict(_RETRY)))


def _edit_policy(policy: dict[str, Any], app: Mapping[str, Any]) -> None:
    for key in _AUTOMATED:
        if key in app:
            inner(policy, "automated")[key] = app[key]
    options = [*items(policy.get("syncOptions"))]
    for key, word in _OPTIONS.items():
        if key in app:
            options = [option for option in options if not str(option).startswith(f"{word}=")]
            options.append(f"{word}={str(app[key]).lower()}")
    if options:
        policy["syncOptions"] = options
    if "namespaceMetadata" in app:
        policy["managedNamespaceMetadata"] = app["namespaceMetadata"]
    if "retry" in app:
        policy["retry"] = app["retry"]


def without_finalizer(metadata: dict[str, Any]) -> None:
    """Without the one that deletes what an Application deployed; words after a slash are kinds."""
    finalizers = items(metadata.get("finalizers"))
    kept = [finalizer for finalizer in finalizers if str(finalizer).partition("/")[0] != FINALIZER]
    metadata.pop("finalizers", None)
    if kept:
        metadata["finalizers"] = kept


def annotate(content: dict[str, Any], annotations: Mapping[str, str]) -> None:
    """Set annotations of an object."""
    inner(inner(content, "metadata"), "annotations").update(annotations)


def inner(content: dict[str, Any], key: str) -> dict[str, Any]:
    """The mapping of a key, which is made if there is none."""
    mapping = content.get(key)
    if not isinstance(mapping, dict):
        mapping = content[key] = {}
    return mapping


def edit_hook(
    documents: Documents, trees: Mapping[str, Tree], reference: str, word: str, path: ParameterPath
) -> Iterator[Finding]:
    """Make an object a hook, unless it is another one already."""
    target = object_named(reference, trees, path)
    if isinstance(target, Finding):
        yield target
        return
    present = value_in(target.content, "metadata", "annotations", HOOK)
    if present not in (None, word):
        message = f"{reference} is a hook {present} already, so it cannot be {word}"
        yield Finding("plan/hook", message, path, f"remove its annotation {HOOK}")
        return
    policy = value_in(target.content, "metadata", "annotations", POLICY) or "BeforeHookCreation"
    annotate(documents.edit(target, path), {HOOK: word, POLICY: policy})
