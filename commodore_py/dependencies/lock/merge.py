"""Merge two changes of one lock file, block by block (pure)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError, raise_collected

if TYPE_CHECKING:
    from .document import Block, Lock, Path


def merged(base: Lock, ours: Lock, theirs: Lock, name: str) -> Lock:
    """Both changes of a lock; an error if both changed one block, and differently."""
    blocks: dict[Path, Block] = {}
    conflicts = []
    for path in sorted({*base.blocks, *ours.blocks, *theirs.blocks}):
        before, mine, other = (one.blocks.get(path) for one in (base, ours, theirs))
        chosen = other if _same(before, mine) else mine
        if not _same(before, mine) and not _same(before, other) and not _same(mine, other):
            conflicts.append(
                CommodoreError(
                    f"{' '.join(path)} was changed differently by another process",
                    where=name,
                    hint="run the command again: it begins with the file as it is now",
                )
            )
        elif chosen is not None:
            blocks[path] = chosen
    raise_collected(conflicts, "the lock file was changed meanwhile")
    return theirs._replace(blocks=blocks)


def _same(one: Block | None, other: Block | None) -> bool:
    if one is None or other is None:
        return one is other
    return one.values == other.values
