"""YAML read by libyaml with the rules of YAML 1.1, as Kapitan does; errors have their place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml
from yaml import MappingNode, ScalarNode, SequenceNode

from .error import (
    FAILURES,
    MOST_DIGITS,
    BoundedLevels,
    Refused,
    may_have_aliases,
    problem_in,
    refuse_expansion,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

_TOO_LARGE = 10**MOST_DIGITS


class Loader(BoundedLevels, yaml.CSafeLoader):
    """PyYAML's safe loader on top of libyaml, with our limits."""

    def __init__(self, text: bytes | str) -> None:
        super().__init__(text)
        self._may_have_aliases = may_have_aliases(text)

    def resolve(self, kind: type[yaml.Node], value: Any, implicit: Any) -> str:
        """The tag of a node that has none; a lone `!` stands for null, as without libyaml."""
        if kind is ScalarNode and not any(implicit):
            implicit = (True, False)
        tag: str = super().resolve(kind, value, implicit)  # type: ignore[no-untyped-call] # PyYAML's
        return tag

    def construct_document(self, node: yaml.Node) -> Any:
        """The value of a document; aliases share the value that they refer to."""
        if self._may_have_aliases:
            refuse_expansion(node, self.most_levels)
        return super().construct_document(node)

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


# A lone `=` is a string, as for Kapitan: some charts have it in lists.
Loader.add_constructor("tag:yaml.org,2002:value", Loader.construct_text)
Loader.add_constructor("tag:yaml.org,2002:int", Loader.construct_int)


class ManifestLoader(Loader):
    """Times are the strings that they are written as; Kubernetes' own objects take 30 levels."""

    most_levels = 100


ManifestLoader.add_constructor("tag:yaml.org,2002:timestamp", Loader.construct_text)


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
