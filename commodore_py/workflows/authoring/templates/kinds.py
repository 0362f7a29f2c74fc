"""Components and packages as repositories: names, locations, and variables of templates (pure)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Final

from commodore_py.errors import CommodoreError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from commodore_py.config import WorkPaths

_SLUG: Final = re.compile(r"[a-z][a-z0-9-]+[a-z0-9]")
# Test cases are names of files and words in a Makefile.
_CASE: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")

_OWNER: Final = re.compile(r"\w[\w.-]*(/\w[\w.-]*)*")

BUILT_IN: Final = "builtin://"


@dataclass(frozen=True, slots=True)
class RepositoryKind:
    """Rules for the repositories of a kind."""

    name: str
    folder_prefix: str = ""
    """Of a checkout in a working directory, and of the application that requests it."""
    reserved: frozenset[str] = frozenset()
    reserved_prefix: str = ""
    required: tuple[str, ...] = ()
    """Variables that a record must have."""

    @property
    def prefix(self) -> str:
        """How the names of their repositories begin."""
        return f"{self.name}-"

    @property
    def template(self) -> str:
        """The built-in template."""
        return BUILT_IN + self.name

    def remote(self, owner: str, slug: str) -> str:
        """Where such a repository will be."""
        if not _OWNER.fullmatch(owner):
            raise CommodoreError(
                f"not a valid owner of a repository: {owner!r}",
                hint="--owner is the name of a user or an organisation, such as projectsyn",
            )
        return f"git@github.com:{owner}/{self.prefix}{slug}.git"

    def requested(self, slug: str, url: str, branch: str) -> str:
        """The lines of a hierarchy that add such a repository to a cluster."""
        return (
            f"applications:\n  - {self.folder_prefix}{slug}\n"
            f"parameters:\n  {self.name}s:\n    {slug}:\n      url: {url}\n      version: {branch}"
        )

    def place(self, paths: WorkPaths, slug: str) -> Path:
        """Where the checkout is, in a working directory."""
        return paths.dependencies / f"{self.folder_prefix}{slug}"

    def check(self, slug: str) -> None:
        """Refuse an invalid slug."""
        if slug.startswith(self.prefix):
            rest = slug.removeprefix(self.prefix)
            raise CommodoreError(
                f"slug {slug!r} must not begin with {self.prefix!r}",
                hint=f"the prefix is added automatically: {rest}",
            )
        if not _SLUG.fullmatch(slug):
            raise CommodoreError(
                f"slug {slug!r} does not match the pattern ^{_SLUG.pattern}$",
                hint="three or more lower-case letters, digits and dashes; a letter first,"
                " no dash at the end",
            )
        if slug in self.reserved:
            names = ", ".join(sorted(self.reserved))
            raise CommodoreError(
                f"slug {slug!r} is reserved: a {self.name} cannot be any of {names}"
            )
        if self.reserved_prefix and slug.startswith(self.reserved_prefix):
            raise CommodoreError(
                f"slug {slug!r} looks like a tenant: the prefix {self.reserved_prefix!r}"
                " is reserved",
                hint="choose another name",
            )


def check_case(case: str, where: str = "") -> str:
    """A test case's name, if it can be one."""
    if not _CASE.fullmatch(case):
        raise CommodoreError(
            f"{case!r} is not a valid name of a test case",
            where=where,
            hint="letters, digits, dots, dashes and underscores; a letter or a digit first",
        )
    return case


_REQUIRED: Final = ("slug", "name", "add_golden", "github_owner")

COMPONENT: Final = RepositoryKind("component", required=(*_REQUIRED, "add_matrix"))
PACKAGE: Final = RepositoryKind(
    "package",
    folder_prefix="pkg.",
    reserved=frozenset({"components", "defaults", "global", "params"}),
    reserved_prefix="t-",
    required=_REQUIRED,
)

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


def apply_options(
    before: Mapping[str, object], options: TemplateOptions
) -> tuple[dict[str, object], tuple[str, ...]]:
    """The existing variables with the options applied, and notes for the author."""
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
    notes = tuple(_implied(after, cases))
    return after, notes


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
