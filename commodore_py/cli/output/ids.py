"""Ids of objects in results."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from commodore_py.manifests.objects import ObjectId


def identity(id_: ObjectId) -> dict[str, str]:
    """The id of an object."""
    return {
        "group": id_.group,
        "kind": id_.kind,
        "namespace": id_.namespace,
        "name": id_.name,
    }
