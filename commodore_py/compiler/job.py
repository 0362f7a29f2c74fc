"""What an engine is given to compile: the same for a catalog, a component and a package."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, Protocol

from commodore_py.config import RESULT_CACHE_LIMIT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from contextlib import AbstractContextManager
    from pathlib import Path

    from commodore_py.adapters.files.reach import Reach
    from commodore_py.adapters.kustomize import RemoteBase
    from commodore_py.model.inventory import Inventory
    from commodore_py.model.secrets import ReferenceFile


class BaseProvider(Protocol):
    """Provides what kustomizations are built on elsewhere."""

    def provided(self, bases: Iterable[RemoteBase]) -> AbstractContextManager[Mapping[str, str]]:
        """Variables with which kustomize finds these bases on this machine."""


class Job(NamedTuple):
    """Targets to compile, and everything around them; the inventory is in `root`, too."""

    root: Path
    """The working directory; a temporary one to compile a component by itself."""
    inventory: Inventory
    """The nodes by target."""
    targets: tuple[str, ...]
    search_paths: tuple[Path, ...]
    references: tuple[ReferenceFile, ...]
    reveal: bool
    """Whether references to secrets become bare paths instead of tags with a hash."""
    fetch: bool
    processes: int
    output: Path
    """Where relative paths of what components download lead; for a catalog, `root` itself."""
    reach: Reach
    """Which files component code may read."""
    checkouts: Mapping[str, Path] = MappingProxyType({})
    """By target, the only other place that its component may write to."""
    offline: bool = False
    """Whether programs that would use the network are refused, as far as they are known."""
    result_cache: Path | None = None
    """The cache of the results of entries; none if it is neither read nor written."""
    result_cache_limit: int = RESULT_CACHE_LIMIT
    verify_cache: bool = False
    """Whether to compile what is in the cache, too, and to compare."""
    state: Path | None = None
    """Where to note what programs find on disk; otherwise, below `root`."""

    bases: BaseProvider | None = None
    """Of kustomizations; without one, kustomize fetches them by itself."""

    @property
    def notes(self) -> Path:
        """Where the next run looks for what a killed one left on disk."""
        from commodore_py.adapters.files.on_disk import notes_below  # 5 modules

        return self.state or notes_below(self.root / ".commodore")
