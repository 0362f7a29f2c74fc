"""YAML nodes of a class file to values of the hierarchy (pure).

Scalars follow YAML 1.2 core, `<<` is applied, and keys lose their marks.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import yaml

from commodore_py.adapters.yaml.parts import UNTYPED, compose
from commodore_py.errors import CommodoreError

from . import numbers
from .references import parse
from .values import Map, OddKey, ResolveError, Sequence, Value, is_dynamic, stacked

MERGE = "<<"
MARKS = "=~"
"""What a key may begin with: it is constant, it overrides."""
_CORE = "tag:yaml.org,2002:"
# serde_yaml's limits, by which reclass-rs reads: how deep, and how often an alias is followed.
_DEEPEST = 128
_ALIASES_PER_EVENT = 100


class Refused(Exception):
    """A node that a hierarchy cannot hold; the reader adds the place."""

    def __init__(self, message: str, node: yaml.Node, hint: str = "") -> None:
        super().__init__(message)
        self.node = node
        self.hint = hint


def read_mapping(node: yaml.MappingNode, *, root: yaml.Node, depth: int) -> Map:
    """A mapping of a document, which begins so many levels below its root."""
    return _map_of(_Document(root, merge_keys=True).pairs(node, depth), node)


def read_default(text: str) -> Value:
    """The default of a reference: YAML, but a plain string is not another reference."""
    try:
        root = compose(text, name="default")
        if root is None or isinstance(root, yaml.ScalarNode):
            return None if root is None else _scalar(root)
        return _Document(root, merge_keys=False).value(root, 1)
    except (CommodoreError, Refused) as error:
        raise ResolveError(f"the default {text!r} is not valid: {error}") from error


def key_of(node: yaml.Node) -> Hashable:
    """The key of a mapping, as written."""
    if not isinstance(node, yaml.ScalarNode):
        raise Refused("a mapping key must be a scalar", node)
    value = _scalar(node)
    return OddKey(value) if isinstance(value, (bool, float)) else value


def unmarked(key: Hashable) -> tuple[Hashable, bool, bool]:
    """A key without its marks, whether it is constant, and whether it overrides."""
    constant = overriding = False
    while isinstance(key, str) and key[:1] and key[0] in MARKS:
        constant = constant or key[0] == "="
        overriding = overriding or key[0] == "~"
        key = key[1:]
    return key, constant, overriding


def is_empty(node: yaml.Node) -> bool:
    """Test for a node without any text, not even `null` or a pair of quotes."""
    return isinstance(node, yaml.ScalarNode) and not node.value and not node.style


class _Document:
    """Nodes of one document to values; what is aliased is read once."""

    def __init__(self, root: yaml.Node, *, merge_keys: bool) -> None:
        self._root = root
        self._merge_keys = merge_keys
        # The value of each node, how deep it goes, and how many aliases are followed in it.
        self._read: dict[yaml.Node, tuple[Value, int, int] | None] = {}
        self._pairs: dict[yaml.Node, dict[Hashable, Value]] = {}
        self._deepest = 0
        self._followed = 0
        self._events = 0

    def value(self, node: yaml.Node, depth: int) -> Value:
        """The value of a node."""
        if isinstance(node, yaml.ScalarNode):
            scalar = _scalar(node)
            return parse(scalar) if type(scalar) is str else scalar
        if node in self._read:
            return self._aliased(node, depth)
        _refuse_own_tag(node)
        _check_depth(node, depth)
        self._read[node] = None
        deepest, followed, self._deepest = self._deepest, self._followed, depth
        value: Value
        if isinstance(node, yaml.SequenceNode):
            items = [self.value(item, depth + 1) for item in node.value]
            value = Sequence(items) if any(map(is_dynamic, items)) else items
        else:
            value = _map_of(self.pairs(node, depth), node)
        self._read[node] = (value, self._deepest - depth, self._followed - followed)
        self._deepest = max(deepest, self._deepest)
        return value

    def pairs(self, node: yaml.Node, depth: int) -> dict[Hashable, Value]:
        """A mapping with `<<` applied; keys keep their marks."""
        pairs: dict[Hashable, Value] = {}
        merged: yaml.Node | None = None
        for key_node, value_node in node.value:
            key = key_of(key_node)
            if key in pairs:
                raise Refused(f"duplicate key {'null' if key is None else key}", key_node)
            pairs[key] = self.value(value_node, depth + 1)
            if key == MERGE and self._merge_keys:
                merged = value_node
        if merged is not None:
            del pairs[MERGE]
            sources = merged.value if isinstance(merged, yaml.SequenceNode) else [merged]
            gathered: dict[Hashable, Value] = {}
            for source in sources:
                if not isinstance(source, yaml.MappingNode):
                    raise Refused("`<<` merges mappings only", node)
                _add_missing(gathered, self._pairs[source])
            _add_missing(pairs, gathered)
        self._pairs[node] = pairs
        return pairs

    def _aliased(self, node: yaml.Node, depth: int) -> Value:
        read = self._read[node]
        if read is None:
            raise Refused("an alias must not be inside its own anchor", node)
        value, height, followed = read
        _check_depth(node, depth + height)
        self._deepest = max(self._deepest, depth + height)
        self._followed += 1 + followed
        if self._followed > _ALIASES_PER_EVENT:
            self._events = self._events or _count_events(self._root)
            if self._followed > _ALIASES_PER_EVENT * self._events:
                raise Refused("too many aliases of aliases", node)
        return value


def _check_depth(node: yaml.Node, depth: int) -> None:
    if depth > _DEEPEST:
        raise Refused(f"nested deeper than {_DEEPEST} levels", node)


def _add_missing(pairs: dict[Hashable, Value], others: dict[Hashable, Value]) -> None:
    """Add what is missing; a key that is present keeps its value, but not its position."""
    for key, value in others.items():
        pairs[key] = pairs.pop(key, value)


def _count_events(root: yaml.Node) -> int:
    """How many events of a YAML parser a document is."""
    count, seen, waiting = 0, set[yaml.Node](), [root]
    while waiting:
        node = waiting.pop()
        count += 1
        if isinstance(node, yaml.ScalarNode) or node in seen:
            continue
        seen.add(node)
        count += 1
        for item in node.value:
            waiting.extend(item if isinstance(item, tuple) else (item,))
    return count


def _map_of(pairs: dict[Hashable, Value], node: yaml.Node) -> Map:
    items: dict[Hashable, Value] = {}
    constants, overrides = set[Hashable](), set[Hashable]()
    for written, value in pairs.items():
        key, constant, overriding = unmarked(written)
        if key in constants:  # with other marks
            name = "null" if key is None else key
            raise Refused(f"constant key {name} is set again in the same mapping", node)
        if key not in items:
            items[key] = value
            if overriding:
                overrides.add(key)
        else:
            items[key] = value if overriding else stacked(items[key], value)
        if constant:
            constants.add(key)
    return Map(
        items,
        frozenset(constants),
        frozenset(overrides),
        static=not any(map(is_dynamic, items.values())),
    )


def _scalar(node: yaml.ScalarNode) -> Any:
    text: str = node.value
    tag: str = node.tag
    try:
        if tag == UNTYPED:
            return text if node.style else numbers.scalar(text)
        _refuse_own_tag(node)
        return _tagged(node, text, tag.removeprefix(_CORE))
    except numbers.TooLarge:
        raise Refused(
            f"number {text} needs more than 64 bits", node, hint=f"put it in quotes: '{text}'"
        ) from None


def _refuse_own_tag(node: yaml.Node) -> None:
    """Refuse application tags; those of YAML itself are ignored where they do not fit."""
    tag: str = node.tag
    if tag != UNTYPED and tag.startswith("!"):
        raise Refused(
            f"YAML tag {tag} is not supported in a hierarchy", node, hint="remove the tag"
        )


def _tagged(node: yaml.ScalarNode, text: str, kind: str) -> Any:
    value: Any
    match kind:
        case "null":
            value, fits = None, text != "" and numbers.scalar(text) is None
        case "bool":
            value = numbers.scalar(text)
            fits = isinstance(value, bool)
        case "int":
            value = numbers.integer(text)
            fits = value is not None
        case "float":
            value = numbers.floating(text)
            fits = value is not None
        case _:
            # !!str, and those that do not apply to scalars, such as !!binary.
            return text
    if not fits:
        raise Refused(f"{text!r} is not a valid {kind}", node)
    return value
