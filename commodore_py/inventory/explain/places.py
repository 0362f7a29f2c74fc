"""Lines of class files: of a parameter, a class or an application."""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING

import yaml

from commodore_py.adapters.yaml.error import Refused, may_have_aliases, refuse_expansion
from commodore_py.adapters.yaml.parts import compose
from commodore_py.inventory.engine.yaml_values import MERGE, key_of, unmarked
from commodore_py.inventory.paths import Index

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping
    from pathlib import Path

    from commodore_py.model.spot import ParameterPath


Pair = tuple[yaml.Node, yaml.Node]


def shown(file: Path, *roots: Path) -> str:
    """A file relative to the first folder that it is below, if any; symlinks are followed."""
    for path, root in product((file.resolve(), file.absolute()), roots):
        if path.is_relative_to(root):
            return str(path.relative_to(root))
    return str(file)


def fields_of(text: bytes) -> dict[str, yaml.Node]:
    """The top-level fields of a class file; none if it cannot be read."""
    root = compose(text, name="")
    if not isinstance(root, yaml.MappingNode) or _expands(root, text):
        return {}
    return {key.value: value for key, value in root.value if isinstance(key, yaml.ScalarNode)}


def _expands(root: yaml.Node, text: bytes) -> bool:
    """Test for aliases that make a file too large to walk through; the engine refuses it."""
    try:
        if may_have_aliases(text):
            refuse_expansion(root)
    except Refused:
        return True
    return False


def items_of(node: yaml.Node | None) -> list[tuple[str, int]]:
    """The texts of a list and their lines."""
    items = node.value if isinstance(node, yaml.SequenceNode) else []
    return [(item.value, line_of(item)) for item in items if isinstance(item, yaml.ScalarNode)]


def line_of(node: yaml.Node) -> int:
    """The line on which something begins, counted from one."""
    return int(node.start_mark.line) + 1


def pairs_of(node: yaml.Node | None, key: Hashable) -> list[Pair]:
    """Keys and values of one parameter in a mapping: it may occur with several marks."""
    return _by_name(node).get(key, [])


def paths_at(text: bytes, line: int) -> list[ParameterPath]:
    """The parameters that a line of a class file sets: several if aliases refer to it."""
    starts: list[tuple[int, ParameterPath]] = []
    for path, first, last in _spans(fields_of(text).get("parameters"), (), (0, 0)):
        if first <= line <= last:
            starts.append((first, path))
    # The innermost ones: those that begin closest to the line.
    start = max((first for first, _ in starts), default=0)
    inner = [path for first, path in starts if first == start]
    return [
        path
        for path in inner
        if not any(other != path and other[: len(path)] == path for other in inner)
    ]


def _spans(
    node: yaml.Node | None, path: ParameterPath, span: tuple[int, int]
) -> Iterator[tuple[ParameterPath, int, int]]:
    if path:
        yield path, *span
    if isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            yield from _spans(item, (*path, Index(index)), (line_of(item), _last_line(item)))
    elif isinstance(node, yaml.MappingNode):
        for written, (key, value) in _as_read(node).items():
            below = (*path, unmarked(written)[0])
            # The value of an alias is elsewhere: only the key is here.
            last = _last_line(value) if line_of(value) >= line_of(key) else line_of(key)
            yield from _spans(value, below, (line_of(key), last))


def _last_line(node: yaml.Node) -> int:
    end = node.end_mark
    # A block ends where the next thing begins, which is another line.
    return max(line_of(node), int(end.line) + (1 if end.column else 0))


@lru_cache(maxsize=1 << 16)
def _by_name(node: yaml.Node | None) -> Mapping[Hashable, list[Pair]]:
    pairs: dict[Hashable, list[Pair]] = {}
    for written, pair in _as_read(node).items():
        pairs.setdefault(unmarked(written)[0], []).append(pair)
    return pairs


@lru_cache(maxsize=1 << 12)
def _as_read(node: yaml.Node | None) -> Mapping[Hashable, Pair]:
    """Keys and values of a mapping as the reader sees them: `<<` adds missing keys."""
    if not isinstance(node, yaml.MappingNode):
        return {}
    pairs: dict[Hashable, Pair] = {key_of(key): (key, value) for key, value in node.value}
    merged = pairs.pop(MERGE, None)
    if merged is not None:
        sources = merged[1].value if isinstance(merged[1], yaml.SequenceNode) else [merged[1]]
        for source in sources:
            for key, pair in _as_read(source).items():
                pairs.setdefault(key, pair)
    return pairs
