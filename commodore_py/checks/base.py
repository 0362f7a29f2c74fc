"""What a module must offer to be a check, and what it gets to look at."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from commodore_py.manifests.objects import KubeObject
    from commodore_py.model.problem import Problem


class CompiledObject(NamedTuple):
    """An object of the catalog, and the instance that it comes from."""

    instance: str
    object: KubeObject


class Check(Protocol):
    """A module below `checks/`."""

    def check(self, objects: Sequence[CompiledObject]) -> Iterable[Problem]:
        """What is wrong with the objects of a catalog; errors keep it from being published."""
