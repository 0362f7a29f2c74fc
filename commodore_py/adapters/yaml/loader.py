"""YAML read by libyaml with the rules of YAML 1.1, as Kapitan does; errors have their place."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import yaml
from yaml import MappingNode, ScalarNode, SequenceNode
from yaml.constructor import SafeConstructor
from yaml.resolver import Resolver

from commodore_py.adapters import json_text

from .error import (
    FAILURES,
    MOST_DIGITS,
    BoundedLevels,
    Refused,
    YamlError,
    may_have_aliases,
    problem_in,
    refuse_expansion,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

_STR, _SEQ, _MAP, *_SIMPLE = (
    f"tag:yaml.org,2002:{kind}" for kind in ("str", "seq", "map", "null", "bool", "int", "float")
)
_KEYS = frozenset((_STR, *_SIMPLE))
_RESOLVER, _CONSTRUCTOR = Resolver(), SafeConstructor()
_SHORT = 200
"""The length of scalars that are worth remembering."""
_TOO_LARGE = 10**MOST_DIGITS


class Loader(BoundedLevels, yaml.CSafeLoader):
    """PyYAML's safe loader on top of libyaml, with our limits.

    Scalars come again and again: their tags and values are remembered. Whatever is not a string,
    a number, a boolean, null, a list or a mapping of these is left to PyYAML's constructors.
    """

    def __init__(self, text: bytes | str) -> None:
        super().__init__(text)
        self.may_have_aliases = may_have_aliases(text)

    def resolve(self, kind: type[yaml.Node], value: Any, implicit: Any) -> str:
        """The tag of a node that has none."""
        if kind is ScalarNode:
            # Neither plain nor quoted: a lone `!`, which stands for null.
            return _tag_of(value) if implicit[0] or not implicit[1] else _STR
        return _MAP if kind is MappingNode else _SEQ

    def construct_document(self, node: yaml.Node) -> Any:
        """The value of a document; aliases share the value that they refer to."""
        if not self.may_have_aliases:
            return self._construct(node)
        refuse_expansion(node, self.most_levels)
        return super().construct_document(node)

    def _construct(self, node: yaml.Node) -> Any:
        tag = node.tag
        if type(node) is ScalarNode:
            if tag == _STR:
                return node.value
            if tag in _SIMPLE and len(node.value) <= _SHORT:
                return _value_of(tag, node.value)
        elif type(node) is SequenceNode and tag == _SEQ:
            return [self._construct(item) for item in node.value]
        elif (
            type(node) is MappingNode
            and tag == _MAP
            and all(key.tag in _KEYS for key, _ in node.value)
        ):
            return {self._construct(key): self._construct(item) for key, item in node.value}
        return self.construct_object(node, deep=True)

    def construct_text(self, node: ScalarNode) -> Any:
        """A scalar as it is written."""
        return self.construct_scalar(node)

    def construct_int(self, node: ScalarNode) -> int:
        """An integer that Python would turn into a string again."""
        if len(node.value) <= MOST_DIGITS:
            number: int = self.construct_yaml_int(node)
            if abs(number) < _TOO_LARGE:
                return number
        raise Refused.at(f"an integer of more than {MOST_DIGITS:,} digits", node.start_mark)


@lru_cache(maxsize=1 << 16)
def _tag_of(plain: str) -> str:
    tag: str = _RESOLVER.resolve(ScalarNode, plain, (True, False))  # type: ignore[no-untyped-call] # PyYAML's
    return tag


@lru_cache(maxsize=1 << 16)
def _value_of(tag: str, text: str) -> Any:
    return SafeConstructor.yaml_constructors[tag](_CONSTRUCTOR, ScalarNode(tag, text))


# A lone `=` is a string, as for Kapitan: some charts have it in lists.
Loader.add_constructor("tag:yaml.org,2002:value", Loader.construct_text)
Loader.add_constructor("tag:yaml.org,2002:int", Loader.construct_int)


class _ManifestLoader(Loader):
    """Times are the strings that they are written as; Kubernetes' own objects take 30 levels."""

    most_levels = 100


_ManifestLoader.add_constructor("tag:yaml.org,2002:timestamp", Loader.construct_text)


def load(text: bytes | str, *, name: str) -> Any:
    """The single document of a text; `name` is where it came from."""
    try:
        return yaml.load(text, Loader)  # noqa: S506 - a safe one
    except FAILURES as error:
        raise problem_in(error, name, text) from error


def load_all(text: bytes | str, *, name: str, loader: type[Loader] = Loader) -> list[Any]:
    """Every document of a text, empty ones as None."""
    try:
        return list(yaml.load_all(text, loader))
    except FAILURES as error:
        raise problem_in(error, name, text) from error


def load_manifests(text: bytes, *, name: str) -> list[Any]:
    """Every document of a text as Kubernetes reads it: values of JSON, and times are strings."""
    if name.endswith(".json"):
        levels = _ManifestLoader.most_levels
        return [json_text.load(text, name=name, levels=levels)] if text.strip() else []
    documents = load_all(text, name=name, loader=_ManifestLoader)
    try:
        return [json.loads(json.dumps(document)) for document in documents]
    except (TypeError, ValueError) as error:
        raise YamlError(f"a manifest cannot be JSON: {error}", where=name) from error


def line_at(text: bytes | str, path: Sequence[object]) -> int:
    """The line of a value of a readable text, by document number, then keys and indices.

    As far as the path can be followed: a key that is not a string may be written in many ways.
    """
    number, *steps = path
    place = node = list(yaml.compose_all(text, Loader=Loader))[int(str(number))]
    for step in steps:
        below: dict[str, tuple[yaml.Node, yaml.Node]] = {}
        if isinstance(node, MappingNode):
            below = {str(key.value): (key, value) for key, value in node.value}
        elif isinstance(node, SequenceNode):
            below = {str(index): (item, item) for index, item in enumerate(node.value)}
        if str(step) not in below:
            break
        place, node = below[str(step)]
    return int(place.start_mark.line) + 1
