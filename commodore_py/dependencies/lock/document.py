"""A lock file as a value: blocks with values and comments, in one order (pure)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

from commodore_py.errors import CommodoreError, raise_collected

if TYPE_CHECKING:
    from collections.abc import Mapping

SCHEMA = "lock/v1"

Path: TypeAlias = tuple[str, ...]
"""Of a block: its kind, and a name for kinds that have several."""

KEYS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "cluster": ("id", "tenant", "display_name", "tenant_display_name", "catalog_url"),
        "facts": (),
        "dynamic_facts": (),
        "bundle": ("version", "class", "alias"),
        "config": ("url", "requested", "version", "commit", "tree", "pinned"),
        "package": ("url", "path", "requested", "version", "commit", "tree"),
        "component": ("url", "path", "requested", "version", "commit", "tree"),
        "instance": ("component", "url", "path", "requested", "version", "commit", "tree"),
        "library": ("url", "requested", "version", "commit", "tree", "missing"),
        "chart": ("version", "sum"),
        "file": ("sum",),
        "repository": ("version", "commit", "tree"),
        "artifact": ("version", "digest"),
        "base": ("version", "commit", "tree", "sum"),
        "tool": ("version",),
    }
)
"""The kinds of blocks and their keys, in the order of being written."""

SINGLE = frozenset({"cluster", "facts", "dynamic_facts", "bundle"})
"""Kinds with one block, which has no name."""


@dataclass(frozen=True, slots=True)
class Comment:
    """Comments of the user about a line: those above it, and the one at its end."""

    above: tuple[str, ...] = ()
    beside: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """A table: what is locked, and what the user wrote about it."""

    values: Mapping[str, Any]
    comments: Mapping[str, Comment] = field(default_factory=dict)
    """By key; those of the table itself have an empty one."""
    hint: str = ""
    """For bots that propose newer versions, see `hint_of_branch`."""
    line: int = 0

    def __reduce__(self) -> tuple[object, ...]:
        """Workers send what they found: a read-only mapping does not travel."""
        return type(self), (dict(self.values), dict(self.comments), self.hint, self.line)

    def text(self, key: str) -> str:
        """A value that is a string; empty without one."""
        value = self.values.get(key)
        return value if isinstance(value, str) else ""

    def with_values(self, **values: str | bool) -> Block:
        """Replace values; an empty one is removed, unknown ones are kept."""
        merged = {**self.values, **values}
        return replace(self, values={key: value for key, value in merged.items() if value != ""})


@dataclass(frozen=True, slots=True)
class Lock:
    """The content of a lock file."""

    blocks: Mapping[Path, Block] = field(default_factory=dict)
    top: Mapping[str, Any] = field(default_factory=dict)
    """Values that belong to no block, beside the schema: kept, and not used."""
    comments: Mapping[str, Comment] = field(default_factory=dict)
    """About the values above, by key; those at the end of the file have an empty one."""

    @property
    def cluster(self) -> str:
        """The id of its cluster."""
        block = self.blocks.get(("cluster",))
        return block.text("id") if block else ""

    def of_kind(self, kind: str) -> dict[str, Block]:
        """The blocks of a kind by their names."""
        return {
            path[1]: block for path, block in self.blocks.items() if path[0] == kind and path[1:]
        }

    def content(self) -> dict[Path, Mapping[str, Any]]:
        """Its content without comments."""
        return {path: block.values for path, block in self.blocks.items()}


def in_order(path: Path, block: Block) -> list[str]:
    """The keys of a block in the order of being written."""
    ordered = KEYS.get(path[0], ())
    return [
        *(key for key in ordered if key in block.values),
        *sorted(key for key in block.values if key not in ordered),
    ]


def merged(base: Lock, ours: Lock, theirs: Lock, name: str) -> Lock:
    """Both changes of a lock; an error if both changed one block, and differently."""
    blocks: dict[Path, Block] = {}
    conflicts = []
    for path in sorted({*base.blocks, *ours.blocks, *theirs.blocks}):
        before, mine, other = (lock.blocks.get(path) for lock in (base, ours, theirs))
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
    raise_collected(conflicts, "the lock file was changed in the meantime")
    return replace(theirs, blocks=blocks)


def _same(first: Block | None, second: Block | None) -> bool:
    if first is None or second is None:
        return first is second
    return first.values == second.values


RENOVATE = "# renovate:"


def hint_of_branch(url: str) -> str:
    """The hint for what follows a branch."""
    return _plain(f"git-refs {url}", words=2)


def hint_of_download(path: Path) -> str:
    """The hint for a chart without a version or a tag of an artifact; empty for others."""
    kind, name = path
    place, _, requested = name.rpartition("@")
    if kind == "artifact":
        return _plain(f"docker {name.rpartition(':')[0]}", words=2)
    if kind != "chart" or requested:
        return ""
    repository, _, chart = place.rpartition("/")
    if repository.startswith("oci://"):
        return _plain(f"docker {place.removeprefix('oci://')}", words=2)
    return _plain(f"helm {chart} {repository}", words=3)


def _plain(hint: str, *, words: int) -> str:
    return hint if hint.isprintable() and len(hint.split()) == words else ""
