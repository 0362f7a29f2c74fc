"""Checks of a compiled catalog: a table of modules, empty until the first check is built."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from commodore_py.model.problem import Problem
    from commodore_py.model.tree import Tree

    from .base import Check, CompiledObject

CHECKS: dict[str, Check] = {}


def check_catalog(trees: Mapping[str, Tree]) -> tuple[Problem, ...]:
    """The problems that all checks find in the instances' trees."""
    if not CHECKS:
        return ()
    objects = tuple(_objects_of(trees))
    return tuple(problem for check in CHECKS.values() for problem in check.check(objects))


def _objects_of(trees: Mapping[str, Tree]) -> Iterator[CompiledObject]:
    from commodore_py.manifests.documents import may_hold_objects, read  # parses YAML

    from .base import CompiledObject  # only where there are checks

    for instance, tree in trees.items():
        for path, entry in tree.items():
            content = read(entry.content, str(path)) if may_hold_objects(path.name) else None
            for found in content.objects if content else ():
                yield CompiledObject(instance, found)
