"""How instances are compiled: all that differs between a cluster, a component and a package."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


class CompilePlan(NamedTuple):
    """Decisions of a builder of sources, so that rendering need not know who built them."""

    output: Path
    """Relative paths of downloads start here; filters see this folder's `compiled/`."""
    search_paths: tuple[Path, ...]
    """Where imports and inputs are looked for, in this order."""
    checkouts: Mapping[str, Path] = MappingProxyType({})
    """By instance, the only place outside of `compiled/` that its component may write to."""
    alone: bool = False
    """Whether code that looks at all targets must see none but those that are compiled."""
    reveal: bool = False
    """Whether secret references become bare paths; if so, there are no reference files."""
    scratch_notes: Path | None = None
    """Where to note what programs find on disk; otherwise, below the working directory."""
