"""Options of `new` and `update`, and the template variables that result from them (pure)."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Final

from commodore_py.errors import CommodoreError, UsageError

from .kinds import check_case

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

FIRST_CASE: Final = "defaults"
_ELSEWHERE: Final = {"slug": "the argument SLUG", "name": "--name", "github_owner": "--owner"}
"""Variables that the command line gives in another way, which also checks them."""


@dataclass(frozen=True, slots=True)
class TemplateOptions:
    """Options of an author; other variables keep their values."""

    values: Mapping[str, str] = field(default_factory=dict)
    """Variables that have an option."""
    set: Mapping[str, str] = field(default_factory=dict)
    """Any other variable by its own name; the template must have it."""
    add_cases: tuple[str, ...] = ()
    remove_cases: tuple[str, ...] = ()
    add: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Entries to add to lists of dependencies, by their variables."""
    remove: Mapping[str, Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AppliedOptions:
    """Variables with the options applied, and notes for the author."""

    variables: Mapping[str, object]
    notes: tuple[str, ...] = ()


def apply_options(before: Mapping[str, object], options: TemplateOptions) -> AppliedOptions:
    """Apply the options to the existing variables."""
    after: dict[str, object] = {**before, **options.values, **options.set}
    cases = _cases(str(after.get("test_cases", FIRST_CASE)).split(), options)
    after["test_cases"] = " ".join(cases)
    for entry in chain(*options.add.values(), *options.remove.values()):
        if ";" in entry:
            raise UsageError(
                f"{entry!r} is not a valid entry: `;` separates entries",
                hint=r"write \x3B in a pattern instead",
            )
    for name in {**options.add, **options.remove}:
        listed = {entry for entry in str(after.get(name, "")).split(";") if entry}
        listed = (listed | {*options.add.get(name, ())}) - {*options.remove.get(name, ())}
        after[name] = ";".join(sorted(listed))
    return AppliedOptions(after, tuple(_implied(after, cases)))


def assignments(words: Iterable[str]) -> dict[str, str]:
    """`KEY=VALUE` of the command line."""
    values = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or not key or key.startswith("_"):
            raise UsageError(
                f"--set {word}: expected KEY=VALUE, with the name of a template variable"
            )
        if key in _ELSEWHERE:
            raise UsageError(
                f"--set {word}: {key} cannot be set like this",
                hint=f"use {_ELSEWHERE[key]} instead",
            )
        values[key] = value
    return values


def refuse_unknown(given: Mapping[str, str], declared: Iterable[str], template: str) -> None:
    """Refuse variables that the template does not have."""
    names = sorted(name for name in declared if not name.startswith("_"))
    unknown = sorted(name for name in given if name not in names)
    if unknown:
        raise UsageError(
            f"the template has no variable {', '.join(unknown)}",
            where=template,
            hint=f"available: {', '.join(names)}",
        )


def _cases(before: Sequence[str], options: TemplateOptions) -> list[str]:
    added = dict.fromkeys((*before, *(check_case(case) for case in options.add_cases)))
    left = [case for case in added if case not in options.remove_cases]
    if not added:
        raise CommodoreError(
            "the record lists no test case",
            hint="at least one is required: add one with -t",
        )
    if not left:
        raise CommodoreError(
            f"removing {', '.join(options.remove_cases)} would leave no test case",
            hint="at least one is required: add another with -t, or remove fewer",
        )
    return left


def _implied(after: dict[str, object], cases: Sequence[str]) -> Iterable[str]:
    """Enable what other options require, with notes."""
    if len(cases) > 1 and after.get("add_matrix") == "n":
        after["add_matrix"] = "y"
        yield f"{len(cases)} test cases require the matrix: it is enabled"
    if after.get("automerge_patch_v0") == "y" and after.get("automerge_patch") == "n":
        after["automerge_patch"] = "y"
        yield "--automerge-patch-v0 implies --automerge-patch"
