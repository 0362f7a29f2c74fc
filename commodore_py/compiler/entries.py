"""A target's lists `kapitan.compile` and `kapitan.dependencies`, checked and completed (pure)."""

from __future__ import annotations

import difflib
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from commodore_py.errors import CommodoreError

from .fields import DEPENDENCY_TYPES, INPUT_TYPES, Field

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.model import Node


class BadEntry(CommodoreError):
    """An entry of one of the lists cannot be understood."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a compile list, with every key that its input type knows."""

    target: str
    index: int
    fields: Mapping[str, Any]

    @property
    def where(self) -> str:
        """Where it stands."""
        return f"target {self.target}: parameters.kapitan.compile[{self.index}]"

    @property
    def input_type(self) -> str:
        """What kind of input it is."""
        return str(self.fields["input_type"])

    @property
    def input_paths(self) -> tuple[str, ...]:
        """Files, folders or patterns to compile."""
        return tuple(self.fields["input_paths"])

    @property
    def output_path(self) -> str:
        """The folder that the output goes to."""
        # `remove` needs none, and writes nothing.
        return self.fields["output_path"] or "."

    @property
    def output_type(self) -> str:
        """The format of the output."""
        return str(self.fields["output_type"])

    @property
    def prune(self) -> bool:
        """Whether empty values are left out."""
        return bool(self.fields["prune"])

    @property
    def ignore_missing(self) -> bool:
        """Whether an input that does not exist is no error."""
        return bool(self.fields["ignore_missing"])

    @property
    def may_fail(self) -> bool:
        """Whether the target goes on without it."""
        return bool(self.fields["continue_on_compile_error"])


@dataclass(frozen=True, slots=True)
class Entries:
    """Both lists of a target, and what is wrong with them."""

    compiled: tuple[Entry, ...]
    dependencies: tuple[Mapping[str, Any], ...]
    problems: tuple[BadEntry, ...] = ()


def entries_of(node: Node) -> Entries:
    """Read the lists of a target; what is wrong is told all at once."""
    problems: list[BadEntry] = []
    kapitan = node.parameters.get("kapitan")
    if not isinstance(kapitan, Mapping):
        kapitan = {}
    compiled = [
        Entry(node.name, index, fields)
        for index, fields in _checked(node.name, kapitan, "compile", problems)
    ]
    dependencies = [fields for _, fields in _checked(node.name, kapitan, "dependencies", problems)]
    return Entries(tuple(compiled), tuple(dependencies), tuple(problems))


_LISTS = {
    "compile": ("input_type", "input type", INPUT_TYPES),
    "dependencies": ("type", "type of dependency", DEPENDENCY_TYPES),
}


def _checked(
    target: str, kapitan: Mapping[str, Any], name: str, problems: list[BadEntry]
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    entries = kapitan.get(name, [])
    where = f"target {target}: parameters.kapitan.{name}"
    if entries is None and name == "dependencies":
        return
    if not isinstance(entries, list):
        problems.append(BadEntry(f"{name} must be a list, not {_shown(entries)}", where=where))
        return
    discriminator, what, kinds = _LISTS[name]
    for index, entry in enumerate(entries):
        here = f"{where}[{index}]"
        kind = entry.get(discriminator) if isinstance(entry, Mapping) else None
        if not isinstance(entry, Mapping):
            problems.append(BadEntry(f"must be a mapping, not {_shown(entry)}", where=here))
        elif not isinstance(kind, str) or kind not in kinds:
            problems.append(_unknown_kind(kind, discriminator, what, tuple(kinds), here))
        else:
            found = list(_problems(entry, kinds[kind], f"{what} {kind}", here))
            problems += found
            if not found:
                yield index, _completed(entry, kinds[kind])


def _unknown_kind(
    kind: object, discriminator: str, what: str, known: tuple[str, ...], where: str
) -> BadEntry:
    message = f"unknown {what} {kind}" if kind is not None else f"{discriminator} is missing"
    return BadEntry(message, where=where, hint=f"there are {', '.join(sorted(known))}")


def _problems(
    entry: Mapping[Any, Any], fields: Mapping[str, Field], what: str, where: str
) -> Iterator[BadEntry]:
    for key, value in entry.items():
        if key not in fields:
            close = difflib.get_close_matches(str(key), fields, n=1)
            hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(fields)}"
            yield BadEntry(f"{what} has no key {key}", where=f"{where}.{key}", hint=hint)
            continue
        try:
            fields[key].accept(value)
        except ValueError as error:
            yield BadEntry(f"{key} must be {error}, not {_shown(value)}", where=f"{where}.{key}")
    for key, field in fields.items():
        if field.required and key not in entry:
            yield BadEntry(f"{key} is missing ({what} needs it)", where=where)


def _completed(entry: Mapping[str, Any], fields: Mapping[str, Field]) -> Mapping[str, Any]:
    return {
        key: field.accept(entry[key]) if key in entry else field.default
        for key, field in fields.items()
    }


def _shown(value: object) -> str:
    return textwrap.shorten(repr(value), 60, placeholder="...")
