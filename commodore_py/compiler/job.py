"""A compile, and an entry of it: what engines and input types are given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from commodore_py.model.spot import Spot

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from contextlib import AbstractContextManager
    from pathlib import Path

    from commodore_py.adapters.files.reach import Reach
    from commodore_py.adapters.files.view import Files
    from commodore_py.adapters.jsonnet.inventory import InventoryImports
    from commodore_py.adapters.kustomize import RemoteBase
    from commodore_py.adapters.yaml.emitter import Style
    from commodore_py.cache.recorder import Recorder
    from commodore_py.config import Config
    from commodore_py.model.inventory import Inventory
    from commodore_py.model.secrets import ReferenceFile
    from commodore_py.model.stages import CompilePlan

    from .output import Output
    from .tags import Tags


ProvideBases: TypeAlias = (
    "Callable[[Iterable[RemoteBase]], AbstractContextManager[Mapping[str, str]]]"
)
"""Makes variables with which kustomize finds bases of kustomizations on this machine."""


@dataclass(frozen=True, slots=True)
class Job:
    """Targets to compile, and everything around them: a catalog, a component, a package."""

    config: Config
    plan: CompilePlan
    inventory: Inventory
    """The nodes by target; its instances are compiled."""
    references: tuple[ReferenceFile, ...]
    reach: Reach
    """Which files component code may read."""
    provide_bases: ProvideBases | None = None
    """For kustomizations; without it, kustomize fetches them by itself."""

    @property
    def root(self) -> Path:
        """The working directory, with the inventory; a temporary one for a component by itself."""
        return self.config.paths.root

    def targets(self) -> tuple[str, ...]:
        """The targets that are compiled."""
        return tuple(instance.name for instance in self.inventory.instances)


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a compile list, with every key that its input type knows."""

    target: str
    index: int
    fields: Mapping[str, Any]

    @property
    def spot(self) -> Spot:
        """The parameter that it is."""
        return Spot(self.target, ("kapitan", "compile", f"[{self.index}]"))

    @property
    def where(self) -> str:
        """The parameter that it is, for messages."""
        return str(self.spot)

    @property
    def input_type(self) -> str:
        """The kind of input."""
        return str(self.fields["input_type"])

    @property
    def input_paths(self) -> tuple[str, ...]:
        """Files, folders or patterns to compile."""
        return tuple(self.fields["input_paths"])

    @property
    def output_path(self) -> str:
        """The folder that the output goes to."""
        # `remove` needs none, and writes nothing.
        return self.fields["output_path"] or "."


@dataclass(frozen=True, slots=True)
class InputJob:
    """One entry of one target, and the target's output so far."""

    job: Job
    entry: Entry
    output: Output
    files: Files
    recorder: Recorder
    """Records what the result depends on besides the fields of the entry."""
    tags: Tags
    style: Style
    imports: InventoryImports
    """The inventory as the code of components sees it."""
