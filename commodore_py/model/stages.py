"""Values that an act of the pipeline hands to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from pathlib import Path

    from .catalog import BundleUse, CatalogHead
    from .classpath import ClassPath
    from .cluster import Cluster
    from .difference import IgnoreRule
    from .inventory import Inventory
    from .plan import CompilePlan
    from .problem import Problem
    from .secrets import ReferenceFile
    from .spot import Places
    from .tree import Tree


class Sources(NamedTuple):
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


class Rendered(NamedTuple):
    """The instances' trees, and the catalog that they make up, if they do."""

    instances: Mapping[str, Tree]
    references: tuple[ReferenceFile, ...]
    catalog: Tree
    notices: tuple[Problem, ...] = ()
    rules: tuple[IgnoreRule, ...] = ()
    """Which changes of objects are not shown."""
    bundle: BundleUse | None = None
