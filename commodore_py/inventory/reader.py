"""One class or target file to what it says (pure)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import yaml

from commodore_py.adapters.yaml_nodes import UNTYPED, compose
from commodore_py.errors import CommodoreError

from . import numbers
from .applications import Applications
from .references import parse
from .values import Map, OddKey, ResolveError, Sequence, Stack, Value, is_dynamic

if TYPE_CHECKING:
    from collections.abc import Hashable

_CORE = "tag:yaml.org,2002:"
_MERGE = "<<"
_MARKS = "=~"
_FIELDS = ("applications", "classes", "parameters")


@dataclass(slots=True)
class ClassFile:
    """What a class file adds: names as written, parameters ready to be merged."""

    classes: tuple[str, ...] = ()
    applications: Applications = field(default_factory=Applications)
    parameters: Map = field(default_factory=Map)


class _Refused(Exception):
    """A node that a hierarchy cannot hold; the reader adds the place."""

    def __init__(self, message: str, node: yaml.Node, hint: str = "") -> None:
        super().__init__(message)
        self.node = node
        self.hint = hint


class ClassFileError(CommodoreError):
    """A class or target file that cannot be read."""


def read(text: bytes, *, name: str) -> ClassFile:
    """The content of a class file; `name` is where it lies."""
    root = compose(text, name=name)
    if root is None or _is_null(root):
        return ClassFile()
    try:
        return _class_file(root)
    except _Refused as refused:
        line = refused.node.start_mark.line + 1
        raise ClassFileError(str(refused), where=f"{name}:{line}", hint=refused.hint) from None


def _is_null(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and _scalar(node) is None


def _class_file(root: yaml.Node) -> ClassFile:
    if not isinstance(root, yaml.MappingNode):
        raise _Refused("a class is a mapping of classes, applications and parameters", root)
    fields: dict[str, yaml.Node] = {}
    for key, value in root.value:
        if isinstance(key, yaml.ScalarNode) and key.value in _FIELDS:
            if key.value in fields:
                raise _Refused(f"`{key.value}` stands here twice", key)
            fields[key.value] = value
    content = ClassFile()
    if "classes" in fields:
        content.classes = tuple(dict.fromkeys(_texts(fields["classes"], "classes")))
    if "applications" in fields:
        content.applications = Applications.of(_texts(fields["applications"], "applications"))
    if "parameters" in fields:
        content.parameters = _parameters(fields["parameters"])
    return content


def _texts(node: yaml.Node, what: str) -> list[str]:
    if not isinstance(node, yaml.SequenceNode):
        raise _Refused(f"`{what}` must be a list", node, hint=f"{what}: [one, two]")
    texts = []
    for item in node.value:
        if not isinstance(item, yaml.ScalarNode):
            raise _Refused(f"`{what}` must be a list of names", item)
        value = _scalar(item)
        if not isinstance(value, str):
            raise _Refused(
                f"`{what}` must be a list of names", item, hint=f"put it in quotes: '{item.value}'"
            )
        texts.append(value)
    return texts


def _parameters(node: yaml.Node) -> Map:
    value = _merged(node, {})
    if not isinstance(value, _Raw):
        raise _Refused("`parameters` must be a mapping", node)
    return _map_of(value)


class _Raw:
    """A mapping as written, merge keys applied: ordered pairs with distinct keys."""

    __slots__ = ("node", "pairs")

    def __init__(self, node: yaml.Node, pairs: dict[Hashable, Any]) -> None:
        self.node = node
        self.pairs = pairs


def _merged(node: yaml.Node, seen: dict[int, Any]) -> Any:  # noqa: ANN401 - plain YAML values
    """A node as values, with `<<` applied; keys keep their marks. Aliases are read once."""
    if isinstance(node, yaml.ScalarNode):
        return _scalar(node)
    known = seen.get(id(node), seen)
    if known is not seen:
        if known is None:
            raise _Refused("an alias must not hold itself", node)
        return known
    seen[id(node)] = None
    _refuse_tag(node)
    result: Any
    if isinstance(node, yaml.SequenceNode):
        result = [_merged(item, seen) for item in node.value]
    else:
        result = _merged_mapping(node, seen)
    seen[id(node)] = result
    return result


def _merged_mapping(node: yaml.Node, seen: dict[int, Any]) -> _Raw:
    pairs: dict[Hashable, Any] = {}
    for key_node, value_node in node.value:
        key = key_of(key_node)
        if key in pairs:
            raise _Refused(f"key {_name(key)} stands here twice", key_node)
        pairs[key] = _merged(value_node, seen)
    if _MERGE in pairs:
        given = pairs.pop(_MERGE)
        sources = given if isinstance(given, list) else [given]
        for source in sources:
            if not isinstance(source, _Raw):
                raise _Refused("`<<` merges mappings only", node)
            for key, value in source.pairs.items():
                pairs.setdefault(key, value)
    return _Raw(node, pairs)


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
            value = _again(made, key, value, raw.node, overriding=overriding)
            overriding = False  # it has overridden what there was to override
        made.items[key] = value
        made.mark(key, constant=constant, overriding=overriding)
    made.static = not any(is_dynamic(value) for value in made.items.values())
    return made


def _again(made: Map, key: Hashable, value: Value, node: yaml.Node, *, overriding: bool) -> Value:
    """The same key once more in one mapping, with other marks."""
    if key in made.constant:
        raise _Refused(f"constant key {_name(key)} is set again in the same mapping", node)
    if overriding:
        return value
    before = made.items[key]
    return before.plus(value) if isinstance(before, Stack) else Stack((before,)).plus(value)


def unmarked(key: Hashable) -> tuple[Hashable, bool, bool]:
    """A key without its marks, whether it is constant, and whether it overrides."""
    constant = overriding = False
    while isinstance(key, str) and key[:1] and key[0] in _MARKS:
        constant = constant or key[0] == "="
        overriding = overriding or key[0] == "~"
        key = key[1:]
    return key, constant, overriding


def key_of(node: yaml.Node) -> Hashable:
    """The key of a mapping, as written."""
    if not isinstance(node, yaml.ScalarNode):
        raise _Refused("a mapping key must be a scalar", node)
    value = _scalar(node)
    return OddKey(value) if isinstance(value, (bool, float)) else value


def _name(key: Hashable) -> str:
    return "null" if key is None else str(key)


def _scalar(node: yaml.ScalarNode) -> Any:  # noqa: ANN401 - plain YAML values
    text: str = node.value
    tag: str = node.tag
    if tag == UNTYPED:
        return text if node.style else numbers.scalar(text)
    if tag.startswith(_CORE):
        return _tagged(node, text, tag.removeprefix(_CORE))
    return _refuse_tag(node)


def _tagged(node: yaml.ScalarNode, text: str, kind: str) -> Any:  # noqa: ANN401 - plain YAML values
    value: Any
    match kind:
        case "str":
            return text
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
            # A core tag that says nothing of scalars, such as !!binary, is passed over.
            return text
    if not fits:
        raise _Refused(f"{text!r} is no {kind}", node)
    return value


def _refuse_tag(node: yaml.Node) -> None:
    tag: str = node.tag
    if tag != UNTYPED and not tag.startswith(_CORE):
        raise _Refused(
            f"YAML tag {tag} is not supported in a hierarchy", node, hint="remove the tag"
        )


def read_default(text: str) -> Value:
    """The default of a reference: YAML, but a plain text is no further reference."""
    try:
        node = compose(text, name="default")
        raw = None if node is None else _merged(node, {})
    except (CommodoreError, _Refused) as error:
        raise ResolveError(f"the default {text!r} is not valid: {error}") from error
    return raw if isinstance(raw, str) else _value_of(raw)
