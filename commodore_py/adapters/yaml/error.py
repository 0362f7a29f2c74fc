"""Errors of YAML, with their places, and limits: no file may crash the parser or fill memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import yaml

from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from typing import Self

    from yaml import Node

MOST_LEVELS = 250
"""How deep values may be nested, so that functions that call themselves can follow them."""
MOST_DIGITS = 4_300
"""Digits of an integer, the number that Python itself turns into a string."""
MOST_ALIASED = 2_000_000
"""Values that aliases may add to a document; 100 characters of a string count as one more."""

_CHARACTERS = 100
# PyYAML lets these through for a date such as 2020-13-45, and for a tag that does not fit its
# value.
FAILURES = (
    yaml.YAMLError,
    RecursionError,
    ValueError,
    LookupError,
    ArithmeticError,
    AttributeError,
    TypeError,
)
_TAB = "a tab indents this line, where YAML takes spaces only"


class YamlError(CommodoreError):
    """A text that is not valid YAML, or not the YAML that was expected."""

    file: str = ""
    line: int = 0
    """From one on; zero if unknown."""
    column: int = 0

    @classmethod
    def at(cls, message: str, file: str, line: int, column: int = 0, *, hint: str = "") -> Self:
        """An error on a line of a file."""
        place = f"{file}:{line}:{column}" if column else f"{file}:{line}"
        error = cls(message, where=place, hint=hint)
        error.file, error.line, error.column = file, line, column
        return error


class Refused(yaml.MarkedYAMLError):
    """A document that is YAML, but exceeds a limit."""

    @classmethod
    def at(cls, problem: str, mark: object) -> Refused:
        """The problem, and where it begins."""
        return cls(problem=problem, problem_mark=mark)  # type: ignore[arg-type] # libyaml's marks look like PyYAML's


def problem_in(error: Exception, name: str, text: bytes | str) -> YamlError:
    """The error that PyYAML reports, with its place; `text` is what was read."""
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    if mark is not None:
        reason = str(getattr(error, "problem", None) or error)
        if "cannot start any token" in reason:
            content = text.decode(errors="replace") if isinstance(text, bytes) else text
            lines = content.split("\n")[mark.line : mark.line + 1]
            if any(line[mark.column :].startswith("\t") for line in lines):
                reason = _TAB
        message = reason if isinstance(error, Refused) else f"not valid YAML: {reason}"
        return YamlError.at(message, name, mark.line + 1, mark.column + 1)
    match error:
        case yaml.reader.ReaderError():
            reason = f"{error.reason}, at byte {int(error.position) + 1}"
            if isinstance(text, bytes):
                line = text.count(b"\n", 0, int(error.position)) + 1
                hint = "save the file as UTF-8" if "UTF-8" in str(error.reason) else ""
                return YamlError.at(f"not valid YAML: {reason}", name, line, hint=hint)
        case RecursionError():
            reason = "nested too deeply"
        case yaml.YAMLError() | ValueError():
            reason = str(error)
        case _:
            reason = "a value does not fit its tag"
    return YamlError(f"not valid YAML: {reason}", where=name)


class BoundedLevels:
    """Counts levels while nodes are composed: PyYAML announces each node to its resolver."""

    most_levels = MOST_LEVELS
    _level = 0

    def descend_resolver(self, current_node: Node | None, current_index: object) -> None:  # noqa: ARG002 - PyYAML's signature
        """Refuse values below a collection that is nested too deeply."""
        self._level += 1
        if self._level > self.most_levels + 1 and current_node is not None:
            problem = f"nested deeper than {self.most_levels} levels"
            raise Refused.at(problem, current_node.start_mark)

    def ascend_resolver(self) -> None:
        """Return to the collection above."""
        self._level -= 1


def may_have_aliases(text: bytes | str) -> bool:
    """Return whether a text may have aliases."""
    return ("*" in text and "&" in text) if isinstance(text, str) else b"*" in text and b"&" in text


def refuse_expansion(root: Node, most_levels: int = MOST_LEVELS) -> None:
    """Raise `Refused` if aliases make a document larger or deeper than the limits, or endless."""
    known: dict[Node, tuple[int, int] | None] = {}
    written = 0

    def measured(node: Node) -> tuple[int, int]:
        """The size of a node and its levels; what aliases refer to was measured before them."""
        nonlocal written
        if node in known:
            before = known[node]
            if before is None:
                raise Refused.at("an alias refers to a value that contains it", node.start_mark)
            return before
        known[node] = None
        if isinstance(node, yaml.ScalarNode):
            size, levels = 1 + len(node.value) // _CHARACTERS, 0
            written += size
        else:
            written += 1
            is_mapping = isinstance(node, yaml.MappingNode)
            parts = [part for pair in node.value for part in pair] if is_mapping else node.value
            below = [measured(part) for part in parts]
            size = 1 + sum(size for size, _ in below)
            levels = 1 + max((levels for _, levels in below), default=0)
            if size - written > MOST_ALIASED:
                problem = f"aliases add more than {MOST_ALIASED:,} values to it"
                raise Refused.at(problem, node.start_mark)
            if levels > most_levels:
                problem = f"nested deeper than {most_levels} levels by aliases"
                raise Refused.at(problem, node.start_mark)
        known[node] = size, levels
        return size, levels

    measured(root)
