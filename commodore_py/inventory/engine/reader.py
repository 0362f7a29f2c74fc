"""One class or target file to what it says (pure)."""

from __future__ import annotations

import codecs
import difflib
import logging
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import yaml

from commodore_py.adapters.yaml.nodes import compose
from commodore_py.errors import CommodoreError

from .applications import Applications
from .parameter_texts import texts_in
from .references import parse
from .values import Map, ResolveError, Sequence, Stack, Value, is_dynamic
from .yaml_values import MARKS, MERGE, Refused, is_empty, key_of, refuse_tag, scalar

if TYPE_CHECKING:
    from collections.abc import Hashable

__all__ = ["ClassFile", "ClassFileError", "key_of", "read", "read_default", "unmarked"]

log = logging.getLogger(__name__)

_FIELDS = ("applications", "classes", "parameters")
# serde_yaml's limits, by which reclass-rs reads: how deep, and how often an alias is followed.
_DEEPEST = 128
_ALIASES_PER_EVENT = 100


@dataclass(slots=True)
class ClassFile:
    """What a class file adds: names as written, parameters ready to be merged."""

    classes: tuple[str, ...] = ()
    applications: Applications = field(default_factory=Applications)
    parameters: Map = field(default_factory=Map)
    texts: dict[Hashable, bytes] = field(default_factory=dict)
    """How parameters are written, as far as that alone says what they are."""
    doubted: bool = False
    """Something in it is ignored, and may be told."""


class ClassFileError(CommodoreError):
    """A class or target file that cannot be read."""


def read(text: bytes, *, name: str) -> ClassFile:
    """The content of a class file; `name` is where it lies."""
    root = compose(_as_serde_sees(text, name), name=name)
    if root is None or is_empty(root):
        return ClassFile()
    try:
        return _class_file(root, text, name)
    except Refused as refused:
        line = refused.node.start_mark.line + 1
        raise ClassFileError(str(refused), where=f"{name}:{line}", hint=refused.hint) from None
    except RecursionError:
        raise ClassFileError("a text with references nested too deeply", where=name) from None


def _as_serde_sees(text: bytes, name: str) -> bytes:
    if text[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        raise ClassFileError("a class is no UTF-8", where=name, hint="save it as UTF-8")
    # The mark counts as a column of its line: what stands in later lines is left of the first.
    return b" " + text[3:] if text.startswith(codecs.BOM_UTF8) else text


def read_default(text: str) -> Value:
    """The default of a reference: YAML, but a plain text is no further reference."""
    try:
        root = compose(text, name="default")
        raw = None if root is None else _Reading(root, merge_keys=False).value(root, 1)
    except (CommodoreError, Refused) as error:
        raise ResolveError(f"the default {text!r} is not valid: {error}") from error
    return raw if isinstance(raw, str) else _value_of(raw)


def unmarked(key: Hashable) -> tuple[Hashable, bool, bool]:
    """A key without its marks, whether it is constant, and whether it overrides."""
    constant = overriding = False
    while isinstance(key, str) and key[:1] and key[0] in MARKS:
        constant = constant or key[0] == "="
        overriding = overriding or key[0] == "~"
        key = key[1:]
    return key, constant, overriding


def _class_file(root: yaml.Node, text: bytes, name: str) -> ClassFile:
    what = "a class is a mapping of classes, applications and parameters"
    if not isinstance(root, yaml.MappingNode):
        raise Refused(what, root)
    fields: dict[str, yaml.Node] = {}
    content = ClassFile()
    for key, value in root.value:
        if not isinstance(key, yaml.ScalarNode):
            raise Refused(what, key)
        if key.value in _FIELDS:
            if key.value in fields:
                raise Refused(f"`{key.value}` stands here twice", key)
            fields[key.value] = value
        else:
            content.doubted = True
            _doubt(str(key.value), f"{name}:{key.start_mark.line + 1}")
    if "classes" in fields:
        content.classes = tuple(dict.fromkeys(_texts(fields["classes"], "classes")))
    if "applications" in fields:
        content.applications = Applications.of(_texts(fields["applications"], "applications"))
    if "parameters" in fields:
        parameters = fields["parameters"]
        content.parameters = _parameters(parameters, root)
        if isinstance(parameters, yaml.MappingNode):
            content.texts = texts_in(text, parameters)
    return content


@lru_cache(maxsize=1 << 12)
def _doubt(key: str, place: str) -> None:
    """Warn, once, of a key that is ignored and looks as if it was meant otherwise."""
    close = difflib.get_close_matches(key, _FIELDS, n=1)
    if close:
        log.warning("%s: key `%s` is ignored; did you mean `%s`?", place, key, close[0])


def warn_again() -> None:
    """What was warned of once is warned of again: another run begins in this process."""
    _doubt.cache_clear()


def _texts(node: yaml.Node, what: str) -> list[str]:
    """Names as they are written: `1` and `true` are names too."""
    if is_empty(node):
        return []
    if not isinstance(node, yaml.SequenceNode):
        raise Refused(f"`{what}` must be a list", node, hint=f"{what}: [one, two]")
    for item in node.value:
        if not isinstance(item, yaml.ScalarNode):
            raise Refused(f"`{what}` must be a list of names", item)
    return [item.value for item in node.value]


def _parameters(node: yaml.Node, root: yaml.Node) -> Map:
    if is_empty(node):
        return Map()
    if not isinstance(node, yaml.MappingNode):
        raise Refused("`parameters` must be a mapping", node)
    return _map_of(_Reading(root, merge_keys=True).mapping(node, 2))


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

    def value(self, node: yaml.Node, depth: int) -> Any:  # noqa: ANN401 - plain YAML values
        """A node as None, bool, number, text, list or `_Raw`."""
        if isinstance(node, yaml.ScalarNode):
            return scalar(node)
        key = id(node)
        if key in self._seen:
            return self._again(node, depth)
        refuse_tag(node)
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
                raise Refused(f"key {_name(key)} stands here twice", key_node)
            pairs[key] = self.value(value_node, depth + 1)
        if self._merge_keys and MERGE in pairs:
            given = pairs.pop(MERGE)
            sources = given if isinstance(given, list) else [given]
            gathered: dict[Hashable, Any] = {}
            for source in sources:
                if not isinstance(source, _Raw):
                    raise Refused("`<<` merges mappings only", node)
                _fill_up(gathered, source.pairs)
            _fill_up(pairs, gathered)
        return _Raw(node, pairs)

    def _again(self, node: yaml.Node, depth: int) -> Any:  # noqa: ANN401 - plain YAML values
        known = self._seen[id(node)]
        if known is None:
            raise Refused("an alias must not hold itself", node)
        value, height, followed = known
        self._check_depth(node, depth + height)
        self._deepest = max(self._deepest, depth + height)
        self._followed += 1 + followed
        if self._followed > _ALIASES_PER_EVENT * _events(self._root, self._followed):
            raise Refused("aliases of aliases make this file explode", node)
        return value

    def _check_depth(self, node: yaml.Node, depth: int) -> None:
        if depth > _DEEPEST:
            raise Refused(f"nested deeper than {_DEEPEST} levels", node)


def _fill_up(pairs: dict[Hashable, Any], others: dict[Hashable, Any]) -> None:
    """Add what is missing; what is there already keeps its value, but not its place."""
    for key, value in others.items():
        pairs[key] = pairs.pop(key, value)


def _events(root: yaml.Node, enough: int) -> int:
    """How many events of a YAML parser a document is, if that matters for so many aliases."""
    if enough <= _ALIASES_PER_EVENT:
        return 1
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


def _value_of(raw: Any) -> Value:  # noqa: ANN401 - plain YAML values
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
            value = _once_more(made, key, value, raw.node, overriding=overriding)
            overriding = False  # it has overridden what there was to override
        made.items[key] = value
        made.mark(key, constant=constant, overriding=overriding)
    made.static = not any(is_dynamic(value) for value in made.items.values())
    return made


def _once_more(
    made: Map, key: Hashable, value: Value, node: yaml.Node, *, overriding: bool
) -> Value:
    """The same key once more in one mapping, with other marks."""
    if key in made.constant:
        raise Refused(f"constant key {_name(key)} is set again in the same mapping", node)
    if overriding:
        return value
    before = made.items[key]
    return before.plus(value) if isinstance(before, Stack) else Stack((before,)).plus(value)


def _name(key: Hashable) -> str:
    return "null" if key is None else str(key)
