"""YAML nodes of a class file to values of the hierarchy (pure).

Scalars follow YAML 1.2 core, `<<` is applied, and keys lose their marks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml

from commodore_py.adapters.yaml.nodes import UNTYPED, compose
from commodore_py.errors import CommodoreError

from . import numbers
from .references import parse
from .values import Map, OddKey, ResolveError, Sequence, Stack, Value, is_dynamic

if TYPE_CHECKING:
    from collections.abc import Hashable

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
    return _map_of(_Reading(root, merge_keys=True).mapping(node, depth))


def read_default(text: str) -> Value:
    """The default of a reference: YAML, but a plain string is not another reference."""
    try:
        root = compose(text, name="default")
        raw = None if root is None else _Reading(root, merge_keys=False).value(root, 1)
    except (CommodoreError, Refused) as error:
        raise ResolveError(f"the default {text!r} is not valid: {error}") from error
    return raw if isinstance(raw, str) else _value_of(raw)


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
    """Whether nothing is written, not even `null` or a pair of quotes."""
    return isinstance(node, yaml.ScalarNode) and not node.value and not node.style


class _Raw:
    """A mapping as written, merge keys applied: ordered pairs with distinct keys."""

    __slots__ = ("node", "pairs")

    def __init__(self, node: yaml.Node, pairs: dict[Hashable, Any]) -> None:
        self.node = node
        self.pairs = pairs


class _Reading:
    """Nodes of one document to values; what is aliased is read once, keys keep their marks."""

    def __init__(self, root: yaml.Node, *, merge_keys: bool) -> None:
        self._root = root
        self._merge_keys = merge_keys
        # By node: its value, how deep it goes, how many aliases are followed in it.
        self._seen: dict[int, tuple[Any, int, int] | None] = {}
        self._deepest = 0
        self._followed = 0
        self._events = 0

    def value(self, node: yaml.Node, depth: int) -> Any:
        """A node as None, bool, number, text, list or `_Raw`."""
        if isinstance(node, yaml.ScalarNode):
            return _scalar(node)
        key = id(node)
        if key in self._seen:
            return self._aliased(node, depth)
        _refuse_own_tag(node)
        self._seen[key] = None
        deepest, followed, self._deepest = self._deepest, self._followed, depth
        self._check_depth(node, depth)
        value = (
            [self.value(item, depth + 1) for item in node.value]
            if isinstance(node, yaml.SequenceNode)
            else self.mapping(node, depth)
        )
        self._seen[key] = (value, self._deepest - depth, self._followed - followed)
        self._deepest = max(deepest, self._deepest)
        return value

    def mapping(self, node: yaml.Node, depth: int) -> _Raw:
        """A mapping with `<<` applied."""
        pairs: dict[Hashable, Any] = {}
        for key_node, value_node in node.value:
            key = key_of(key_node)
            if key in pairs:
                raise Refused(f"duplicate key {_name(key)}", key_node)
            pairs[key] = self.value(value_node, depth + 1)
        if self._merge_keys and MERGE in pairs:
            given = pairs.pop(MERGE)
            sources = given if isinstance(given, list) else [given]
            gathered: dict[Hashable, Any] = {}
            for source in sources:
                if not isinstance(source, _Raw):
                    raise Refused("`<<` merges mappings only", node)
                _add_missing(gathered, source.pairs)
            _add_missing(pairs, gathered)
        return _Raw(node, pairs)

    def _aliased(self, node: yaml.Node, depth: int) -> Any:
        known = self._seen[id(node)]
        if known is None:
            raise Refused("an alias must not be inside its own anchor", node)
        value, height, followed = known
        self._check_depth(node, depth + height)
        self._deepest = max(self._deepest, depth + height)
        self._followed += 1 + followed
        if self._followed > _ALIASES_PER_EVENT:
            self._events = self._events or _events(self._root)
            self._check_followed(node)
        return value

    def _check_followed(self, node: yaml.Node) -> None:
        if self._followed > _ALIASES_PER_EVENT * self._events:
            raise Refused("too many aliases of aliases", node)

    def _check_depth(self, node: yaml.Node, depth: int) -> None:
        if depth > _DEEPEST:
            raise Refused(f"nested deeper than {_DEEPEST} levels", node)


def _add_missing(pairs: dict[Hashable, Any], others: dict[Hashable, Any]) -> None:
    """Add what is missing; what is there already keeps its value, but not its position."""
    for key, value in others.items():
        pairs[key] = pairs.pop(key, value)


def _events(root: yaml.Node) -> int:
    """How many events of a YAML parser a document is."""
    count, seen, waiting = 0, set[int](), [root]
    while waiting:
        node = waiting.pop()
        count += 1
        if isinstance(node, yaml.ScalarNode) or id(node) in seen:
            continue
        seen.add(id(node))
        count += 1
        for item in node.value:
            waiting.extend(item if isinstance(item, tuple) else (item,))
    return count


def _value_of(raw: Any) -> Value:
    if isinstance(raw, str):
        return parse(raw)
    if isinstance(raw, _Raw):
        return _map_of(raw)
    if isinstance(raw, list):
        items = [_value_of(item) for item in raw]
        return Sequence(items) if any(is_dynamic(item) for item in items) else items
    return raw


def _map_of(raw: _Raw) -> Map:
    made = Map()
    for written, child in raw.pairs.items():
        key, constant, overriding = unmarked(written)
        value = _value_of(child)
        if key in made.items:
            value = _repeated(made, key, value, raw.node, overriding=overriding)
            overriding = False  # it has overridden what there was to override
        made.items[key] = value
        made.mark(key, constant=constant, overriding=overriding)
    made.static = not any(is_dynamic(value) for value in made.items.values())
    return made


def _repeated(
    made: Map, key: Hashable, value: Value, node: yaml.Node, *, overriding: bool
) -> Value:
    """The value of a key that one mapping has several times, with different marks."""
    if key in made.constant:
        raise Refused(f"constant key {_name(key)} is set again in the same mapping", node)
    if overriding:
        return value
    before = made.items[key]
    return before.plus(value) if isinstance(before, Stack) else Stack((before,)).plus(value)


def _name(key: Hashable) -> str:
    return "null" if key is None else str(key)


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
