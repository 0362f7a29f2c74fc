"""The interface of a filter, and its input."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from commodore_py.adapters.files.view import Files
    from commodore_py.adapters.jsonnet.inventory import InventoryImports
    from commodore_py.model.tree import Tree


@dataclass(frozen=True, slots=True)
class Job:
    """One filter of one instance."""

    component: str
    root: Path
    """`compiled/<instance>`: no file of that path is ever read or written."""
    folder: str
    """The filter's place in the instance, as its definition has it."""
    source: Path
    """The filter's own file, for those that have one."""
    files: Files
    inventory: InventoryImports
    """The own node, see `OwnNode`."""
    traces: list[bytes] = field(default_factory=list)
    """Collects the traces of the code."""

    @property
    def output_path(self) -> Path:
        """The absolute folder of the filter."""
        return self.root / self.folder


class OwnNode:
    """The node of the instance as the only target, by whatever name."""

    def __init__(self, name: str, node: Mapping[str, Any]) -> None:
        self._name = name
        self._node = node

    def of(self, _: str) -> Mapping[str, Any]:
        """The node."""
        return self._node

    def names(self) -> tuple[str, ...]:
        """The name of the target."""
        return (self._name,)


class Apply(Protocol):
    """A filter that knows its arguments."""

    def __call__(self, tree: Tree, job: Job) -> Tree:
        """The instance's tree as it is afterwards; everything is read by `job`."""


class Filter(Protocol):
    """A module below `postprocess/filters/`."""

    def parse(self, args: Mapping[str, Any]) -> Apply:
        """Turn arguments as users write them into a filter, or raise `BadArguments`."""


class BadArguments(CommodoreError):
    """The `filterargs` of a definition are invalid."""
