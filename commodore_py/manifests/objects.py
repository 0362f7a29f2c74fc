"""Kubernetes objects, their ids, and parts of what may be anything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

Content: TypeAlias = Mapping[str, object]

# Kinds that Kubernetes moved to another group; both groups name the same object.
_MOVED = {
    ("extensions", "DaemonSet"): "apps",
    ("extensions", "Deployment"): "apps",
    ("extensions", "Ingress"): "networking.k8s.io",
    ("extensions", "NetworkPolicy"): "networking.k8s.io",
    ("extensions", "ReplicaSet"): "apps",
}


@dataclass(frozen=True, slots=True, order=True)
class ObjectId:
    """Identifies an object in a cluster."""

    group: str
    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind} {self.namespace}/{self.name}" if self.namespace else self.short

    @property
    def short(self) -> str:
        """Kind and name."""
        return f"{self.kind} {self.name}"


@dataclass(frozen=True, slots=True)
class KubeObject:
    """An object and the file that contains it."""

    id: ObjectId
    content: Content
    file: str = ""


def identify(document: object) -> ObjectId | None:
    """The id of an object, or None if the document is not an object."""
    if not isinstance(document, dict):
        return None
    version, kind, metadata = (document.get(key) for key in ("apiVersion", "kind", "metadata"))
    if not (isinstance(version, str) and isinstance(kind, str) and isinstance(metadata, dict)):
        return None
    name, generated = metadata.get("name"), metadata.get("generateName")
    if name is None and isinstance(generated, str):
        name = f"{generated}*"
    if name is None or isinstance(name, dict | list):
        return None
    group = version.rpartition("/")[0]
    return ObjectId(
        _MOVED.get((group, kind), group), kind, str(metadata.get("namespace") or ""), str(name)
    )


def split_version(content: Content) -> tuple[str, str, str]:
    """Group, version and kind as the object names them."""
    version, kind = content.get("apiVersion"), content.get("kind")
    group, _, number = version.rpartition("/") if isinstance(version, str) else ("", "", "")
    return group, number, kind if isinstance(kind, str) else ""


def value_in(content: object, *path: str) -> Any:  # noqa: ANN401 - plain data
    """The value at a path of keys, or None."""
    for key in path:
        content = content.get(key) if isinstance(content, dict) else None
    return content


def mapping(value: object) -> dict[str, Any]:
    """The value if it is a mapping, or an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: object) -> list[Any]:
    """The value if it is a list, or an empty one."""
    return value if isinstance(value, list) else []


def mappings(value: object) -> list[dict[str, Any]]:
    """The mappings in a list; what else is in it, or instead of it, is left out."""
    return [item for item in items(value) if isinstance(item, dict)]


def texts(value: object) -> list[str]:
    """The texts in a list; what else is in it, or instead of it, is left out."""
    return [item for item in items(value) if isinstance(item, str)]


def text(value: object) -> str:
    """The value if it is a text, or an empty one."""
    return value if isinstance(value, str) else ""


def members(document: object) -> Iterator[object]:
    """The document itself, or the items of a list."""
    if isinstance(document, dict):
        kind, items = document.get("kind"), document.get("items")
        if isinstance(kind, str) and kind.endswith("List") and isinstance(items, list):
            for item in items:
                yield from members(item)
            return
    yield document
