"""Reads many small documents: as the safe loader does, in half the time."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import yaml

from . import plain as yaml_plain
from .reading import FAILURES, Loader, problem_in
from .reading import load_all as yaml_load_all

if TYPE_CHECKING:
    from collections.abc import Hashable

_MAP, _SEQ, _STR = (f"tag:yaml.org,2002:{kind}" for kind in ("map", "seq", "str"))
# What a scalar means depends on its text alone; the objects made of these cannot be changed.
_MEMORABLE = frozenset(f"tag:yaml.org,2002:{kind}" for kind in ("bool", "float", "int", "null"))
# Longer strings do not repeat themselves.
_LONGEST = 200


class _Unusual(Exception):
    """A document that needs all that the safe loader knows."""


@lru_cache(maxsize=65_536)
def _tag(text: str, implicit: tuple[bool, bool]) -> str:
    return str(_RESOLVER.resolve(yaml.ScalarNode, text, implicit))  # type: ignore[no-untyped-call] # PyYAML has no types


_RESOLVER = yaml.resolver.Resolver()


class _Quick(Loader):
    """The safe loader, which remembers what plain scalars are."""

    def resolve(self, kind: Any, value: Any, implicit: Any) -> Any:
        """The tag of a node without one; Kubernetes' objects repeat themselves."""
        if kind is yaml.ScalarNode and len(value) <= _LONGEST:
            return _tag(value, implicit)
        return super().resolve(kind, value, implicit)

    def descend_resolver(self, _node: object, _index: object) -> None:
        """Nothing: these are for tags by place, which the safe loader has not."""

    def ascend_resolver(self) -> None:
        """Nothing, as above."""


def load_all(text: bytes, *, name: str) -> list[Any]:
    """Every document of a text, empty ones as None: just what `yaml.load_all` gives."""
    plain = yaml_plain.load(text)
    if plain is not yaml_plain.UNUSUAL:
        return [plain]
    if b"&" in text:  # an anchor: what it names must stay one thing
        return yaml_load_all(text, name=name)
    try:
        return _documents(_Quick(text))
    except FAILURES as error:
        raise problem_in(error, name) from error


def _documents(loader: _Quick) -> list[Any]:
    values: dict[tuple[str, str], object] = {}
    documents = []
    try:
        while loader.check_node():
            node = loader.get_node()
            try:
                documents.append(_built(node, loader, values))
            except (_Unusual, RecursionError):
                documents.append(loader.construct_document(node))
    finally:
        loader.dispose()
    return documents


def _built(
    node: yaml.Node, loader: yaml.SafeLoader, values: dict[tuple[str, str], object]
) -> object:
    tag = node.tag
    if tag == _STR and type(node) is yaml.ScalarNode:
        return node.value
    if tag == _MAP and type(node) is yaml.MappingNode:
        found: dict[Hashable, object] = {}
        for key, value in node.value:
            if key.tag != _STR or type(key) is not yaml.ScalarNode:
                raise _Unusual
            found[key.value] = _built(value, loader, values)
        return found
    if tag == _SEQ and type(node) is yaml.SequenceNode:
        return [_built(item, loader, values) for item in node.value]
    if tag in _MEMORABLE and type(node) is yaml.ScalarNode:
        known = (tag, node.value)
        if known not in values:
            values[known] = loader.construct_object(node)
        return values[known]
    raise _Unusual
