"""Values that an act of the pipeline hands to the next."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from pathlib import Path

    from .catalog import BundleUse, CatalogHead
    from .classpath import ClassPath
    from .cluster import Cluster
    from .difference import IgnoreRule
    from .inventory import Inventory
    from .problem import Problem
    from .secrets import ReferenceFile
    from .spot import Places
    from .tree import Tree


@dataclass(frozen=True, slots=True)
class CompilePlan:
    """How instances are compiled: all that differs between a cluster, a component and a package.

    Whoever builds the sources decides, so that rendering need not know who did.
    """

    output: Path
    """Relative paths of downloads start here; filters see this folder's `compiled/`."""
    search_paths: tuple[Path, ...]
    """Where imports and inputs are looked for, in this order."""
    checkouts: Mapping[str, Path] = field(default_factory=dict)
    """By instance, the only place outside of `compiled/` that its component may write to."""
    alone: bool = False
    """Whether code that looks at all targets must see none but those that are compiled."""
    reveal: bool = False
    """Whether secret references become bare paths; if so, there are no reference files."""
    scratch_notes: Path | None = None
    """Where to note what programs find on disk; otherwise, below the working directory."""


@dataclass(frozen=True, slots=True)
class Sources:
    """The outside world, read once and pinned."""

    cluster: Cluster
    classes: ClassPath
    inventory: Inventory
    time: datetime
    plan: CompilePlan
    places: Places
    """Files and lines for messages, looked up when one needs them."""
    catalog_head: CatalogHead | None = None
    """None for a component or a package by itself: its trees make up no catalog."""
    notices: tuple[Problem, ...] = ()
    bundle: BundleUse | None = None
    """The bundle that the cluster includes."""

    @property
    def head(self) -> CatalogHead:
        """The catalog to publish to."""
        if self.catalog_head is None:
            raise ValueError("these sources have no catalog to publish to")
        return self.catalog_head

    @property
    def readable(self) -> tuple[Path, ...]:
        """The folders whose files the code of components may read."""
        plan = self.plan
        checkouts = plan.checkouts.values()
        return (plan.output, *plan.search_paths, *checkouts, *self.classes.worktrees())


@dataclass(frozen=True, slots=True)
class Rendered:
    """The instances' trees, and the catalog that they make up, if they do."""

    instances: Mapping[str, Tree]
    references: tuple[ReferenceFile, ...]
    catalog: Tree
    notices: tuple[Problem, ...] = ()
    rules: tuple[IgnoreRule, ...] = ()
    """Which changes of objects are not shown."""
    bundle: BundleUse | None = None
