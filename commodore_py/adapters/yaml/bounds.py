"""Limits of the YAML that is read: a foreign file must not crash the parser or fill the memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import yaml

if TYPE_CHECKING:
    from yaml import Node

MOST_LEVELS = 1_000
"""How deep values may be nested: libyaml's composer would use up the stack."""
MOST_DIGITS = 4_300
"""Digits of an integer, the number that Python itself turns into a string."""
MOST_ALIASED = 2_000_000
"""Values that aliases may add to a document; 100 characters of a string count as one more."""

_CHARACTERS = 100


class Refused(yaml.MarkedYAMLError):
    """A document that is YAML, but exceeds a limit."""

    @classmethod
    def at(cls, problem: str, mark: object) -> Refused:
        """The problem, and where it begins."""
        return cls(problem=problem, problem_mark=mark)  # type: ignore[arg-type] # libyaml's marks look like PyYAML's


class BoundedLevels:
    """Counts levels while nodes are composed: PyYAML announces each node to its resolver."""

    _level = 0

    def descend_resolver(self, current_node: Node | None, current_index: object) -> None:  # noqa: ARG002 - PyYAML's signature
        """Refuse values below a collection that is nested too deeply."""
        self._level += 1
        if self._level > MOST_LEVELS + 1 and current_node is not None:
            problem = f"nested deeper than {MOST_LEVELS:,} levels"
            raise Refused.at(problem, current_node.start_mark)

    def ascend_resolver(self) -> None:
        """Return to the collection above."""
        self._level -= 1


def may_have_aliases(text: bytes | str) -> bool:
    """Return whether a text may have aliases."""
    return ("*" in text and "&" in text) if isinstance(text, str) else b"*" in text and b"&" in text


def refuse_expansion(root: Node) -> None:
    """Raise `Refused` if aliases make a document larger or deeper than the limits, or endless."""
    sizes: dict[Node, int] = {}
    levels: dict[Node, int] = {}
    written = 0
    # Each collection comes twice: before its parts, and after them.
    waiting: list[tuple[Node, bool]] = [(root, False)]
    unfinished: set[Node] = set()
    while waiting:
        node, is_finished = waiting.pop()
        parts = _parts(node)
        if is_finished:
            unfinished.remove(node)
            sizes[node] = 1 + sum(sizes[part] for part in parts)
            levels[node] = 1 + max((levels[part] for part in parts), default=0)
            if sizes[node] - written > MOST_ALIASED:
                problem = f"aliases add more than {MOST_ALIASED:,} values to it"
                raise Refused.at(problem, node.start_mark)
            if levels[node] > MOST_LEVELS:
                problem = f"nested deeper than {MOST_LEVELS:,} levels by aliases"
                raise Refused.at(problem, node.start_mark)
        elif node in unfinished:
            raise Refused.at("an alias refers to a value that contains it", node.start_mark)
        elif node not in sizes:
            written += 1
            if isinstance(node, yaml.ScalarNode):
                sizes[node], levels[node] = 1 + len(node.value) // _CHARACTERS, 0
                written += sizes[node] - 1
                continue
            unfinished.add(node)
            waiting.append((node, True))
            waiting += [(part, False) for part in parts]


def _parts(node: Node) -> list[Node]:
    if isinstance(node, yaml.MappingNode):
        return [part for pair in node.value for part in pair]
    return node.value if isinstance(node, yaml.SequenceNode) else []
