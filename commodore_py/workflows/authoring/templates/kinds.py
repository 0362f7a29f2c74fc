"""Components and packages as repositories: names, locations and rules (pure)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
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
