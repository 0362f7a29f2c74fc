"""What an edit requests and the lock of a cluster does not have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.dependencies.lock.git_pins import path_of, request_in, request_of
from commodore_py.dependencies.lock.run import LockedRun
from commodore_py.errors import CommodoreError
from commodore_py.model.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from commodore_py.config import Config
    from commodore_py.model.dependency import DependencySpec


def lock_of(config: Config, cluster_id: str) -> LockedRun:
    """The lock that the settings name: it is read, and never written."""
    locked = LockedRun.open(config, cluster_id)
    if not locked.file.exists:
        raise CommodoreError(
            "there is no such lock",
            where=str(locked.file.file),
            hint=f"commodore lock create {cluster_id} -o FILE",
        )
    return locked


def unlocked(
    locked: LockedRun, specs: Collection[DependencySpec], known: Collection[DependencySpec]
) -> Iterator[Problem]:
    """Requests of an edit that the next compile with this lock adds to it."""
    settings = locked.state.settings
    for spec in sorted(set(specs) - set(known), key=str):
        path = path_of(spec, specs)
        block = locked.state.lock.blocks.get(path) if path is not None else None
        if path is None or (block is not None and request_in(block) == request_of(spec)):
            continue
        here = f"{block.text('requested') or 'the default branch'} is" if block else "it is not"
        yield Problem(
            f"{spec}: {spec.version or 'the default branch'} is requested, {here} locked",
            where=settings.name,
            code="edit/not-locked",
            remedy=f"once the edit is published: {settings.to_lock}",
        )
