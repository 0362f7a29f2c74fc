"""How instances are compiled: all that differs between a cluster, a component and a package."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


class Checkout(NamedTuple):
    """The only place outside of `compiled/` that a component may write to."""

    worktree: Path
    name: str
    """Entries of the component refer to it as `dependencies/<name>`."""


class CompilePlan(NamedTuple):
    """What a builder of sources decides, so that rendering need not know who built them."""

    output: Path
    """Relative paths of downloads start here; filters see this folder's `compiled/`."""
    search_paths: tuple[Path, ...]
    """Where imports and inputs are looked for, in this order."""
    checkouts: Mapping[str, Checkout] = MappingProxyType({})
    """By instance."""
    user_search_paths: tuple[Path, ...] = ()
    """Those of `search_paths` that the user named; inputs found there may lie in the checkout."""
    alone: bool = False
    """Whether code that looks at all targets must see none but those that are compiled."""
    reveal: bool = False
    """Whether secret references become bare paths; if so, there are no reference files."""
    scratch_notes: Path | None = None
    """Where to note what programs find on disk; otherwise, below the working directory."""
