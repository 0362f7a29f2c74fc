"""Merge keys: the fields that identify items of lists in Kubernetes (pure)."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Label: TypeAlias = tuple[tuple[str, str], ...]
"""The fields that identify an item, and their values."""

_NAME = (("name",),)

# Kubernetes' `patchMergeKey` or `x-kubernetes-list-map-keys` by the name of the list: the first
# set of fields that is unique for all items is used.
MERGE_KEYS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "conditions": (("type",),),
    "containers": _NAME,
    "env": _NAME,
    "ephemeralContainers": _NAME,
    "hostAliases": (("ip",),),
    "imagePullSecrets": _NAME,
    "initContainers": _NAME,
    "ownerReferences": (("uid",),),
    "paths": (("path", "pathType"),),
    "ports": (("containerPort", "protocol"), ("port", "protocol"), *_NAME),
    "resourceClaims": _NAME,
    "secrets": _NAME,
    "subjects": (("kind", "namespace", "name"),),
    "taints": (("key", "effect"),),
    "tls": (("secretName",),),
    "tolerations": (("key", "effect"), ("key", "operator", "value", "effect")),
    "topologySpreadConstraints": (("topologyKey", "whenUnsatisfiable"),),
    "versions": _NAME,
    "volumeDevices": (("devicePath",),),
    "volumeMounts": (("mountPath",),),
    "volumes": _NAME,
}
# For other lists, if these are unique.
_ANY_LIST = (*_NAME, ("id",), ("key",), ("host",), ("alert",), ("record",))

# A port without a protocol is the same as one with TCP.
_DEFAULTS = {"protocol": "TCP"}

UNORDERED = frozenset(
    {
        "accessModes",
        "apiGroups",
        "categories",
        "egress",
        "finalizers",
        "from",
        "imagePullSecrets",
        "ingress",
        "matchExpressions",
        "matchFields",
        "namespaces",
        "nonResourceURLs",
        "policyTypes",
        "ports",
        "resourceNames",
        "resources",
        "secrets",
        "shortNames",
        "subjects",
        "to",
        "tolerations",
        "topologySpreadConstraints",
        "verbs",
        "volumeDevices",
        "volumeMounts",
        "volumes",
    }
)
"""Lists of Kubernetes' own kinds whose order is irrelevant."""


def labels(
    field: str, old: Sequence[object], new: Sequence[object]
) -> tuple[list[Label], list[Label]] | None:
    """The labels of the items of both lists, or None if no fields identify them."""
    for names in MERGE_KEYS.get(field, _ANY_LIST):
        pair = _labels(names, old), _labels(names, new)
        if pair[0] is not None and pair[1] is not None:
            return pair[0], pair[1]
    return None


def _labels(names: tuple[str, ...], items: Sequence[object]) -> list[Label] | None:
    labels_ = []
    for item in items:
        if not isinstance(item, dict):
            return None
        label = tuple((name, item[name]) for name in names if name in item)
        if not label or any(isinstance(value, dict | list) for _, value in label):
            return None
        if {name for name, _ in label} <= _DEFAULTS.keys():  # not unique by itself
            return None
        labels_.append(tuple((name, str(value)) for name, value in label))
    return labels_ if len(set(map(normalised, labels_))) == len(labels_) else None


def normalised(label: Label) -> frozenset[tuple[str, str]]:
    """The label with defaults for omitted fields."""
    fields = dict(label)
    if "containerPort" in fields or "port" in fields:
        fields = {**_DEFAULTS, **fields}
    return frozenset(fields.items())


def paired(old: Sequence[Label], new: Sequence[Label]) -> dict[int, int]:
    """By place in the old list, the place of the item with the same label in the new one."""
    places = {normalised(label): at for at, label in enumerate(new)}
    candidates = ((at, places.get(normalised(label))) for at, label in enumerate(old))
    return {at: place for at, place in candidates if place is not None}
