"""Objects that are in the catalog twice: which one wins is left to chance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.manifests.values import same

from .base import Issue

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from commodore_py.manifests.objects import ObjectId

    from .base import Item, Settings

NAME = "duplicates"
_GENERATED = "*"


def check(items: Sequence[Item], _settings: Settings) -> Iterator[tuple[Item, Issue]]:
    """Each object that is there again, with the file of the first."""
    first: dict[ObjectId, Item] = {}
    for item in items:
        if item.id.name.endswith(_GENERATED):
            continue
        other = first.setdefault(item.id, item)
        if other is item:
            continue
        where = f"in {other.file}" + (f" of instance {other.instance}" if other.instance else "")
        if (
            not item.id.namespace
            and other.instance != item.instance
            and item.id.kind not in _CLUSTER_WIDE
        ):
            yield (
                item,
                Issue(
                    "duplicates/unknown-namespace",
                    f"an object of this name without a namespace is {where}, too",
                    remedy="set its namespace: it is only known on the cluster",
                ),
            )
        elif same(other.content, item.content):
            text = f"the same object is {where}, too"
            yield item, Issue("duplicates/equal", text, remedy="remove one of them")
        else:
            text = f"another version of this object is {where}"
            yield item, Issue("duplicates/different", text, remedy="remove or rename one of them")


_CLUSTER_WIDE = frozenset(
    (
        *("APIService", "CSIDriver", "ClusterRole", "ClusterRoleBinding"),
        *("CustomResourceDefinition", "IngressClass", "MutatingWebhookConfiguration"),
        *("Namespace", "Node", "PersistentVolume", "PriorityClass", "RuntimeClass"),
        *("StorageClass", "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"),
        *("ValidatingWebhookConfiguration", "VolumeSnapshotClass"),
    )
)
