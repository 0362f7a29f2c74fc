"""The content of the catalog, its change, and the record of how it was made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from pathlib import Path

    from .difference import IgnoreRule
    from .problem import Problem


@dataclass(frozen=True, slots=True)
class CatalogHead:
    """The catalog's checkout as the run found it; an empty remote has no commit."""

    directory: Path
    url: str
    branch: str
    commit: str | None
    notices: tuple[Problem, ...] = ()
    identity: Mapping[str, str] | None = None
    """Git's settings of the user's name there, if they were read."""


@dataclass(frozen=True, slots=True)
class FileChange:
    """One changed file of the catalog, as Git pairs old and new; what is not there is empty."""

    kind: Literal["added", "deleted", "renamed", "modified", "retyped"]
    path: str
    old_path: str
    old: bytes = b""
    new: bytes = b""
    old_mode: int = 0
    new_mode: int = 0


Colour = Literal["", "red", "green", "yellow"]


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line of a diff; the colour adds nothing to the text."""

    text: str
    colour: Colour = ""


@dataclass(frozen=True, slots=True)
class Deviation:
    """Deviations of what is deployed from the bundle."""

    kind: str
    """`component`, `instance` or `package`."""
    name: str
    field: str
    """`url`, `version` or `path`; empty if the bundle lacks it."""
    bundle: str
    deployed: str
    where: str
    """The line that wins."""

    @property
    def text(self) -> str:
        """In words."""
        if not self.field:
            return f"{self.kind} {self.name} is not in it"
        of = "" if self.field == "version" else f"{self.field} "
        deployed, bundle = self.deployed or "none", self.bundle or "none"
        return f"{self.kind} {self.name} {of}{deployed} instead of {bundle}"


@dataclass(frozen=True, slots=True)
class BundleUse:
    """The bundle that a cluster includes."""

    version: str
    class_name: str
    alias: str = ""
    """The name of the class in `bundles` that it is included by."""
    where: str = ""
    """The line that includes it."""
    deviations: tuple[Deviation, ...] = ()


@dataclass(frozen=True, slots=True)
class Change:
    """Everything that would alter in the catalog; empty and false when nothing does."""

    files: tuple[FileChange, ...] = ()
    ignored: tuple[str, ...] = ()
    """Compiled files that the catalog's own ignore rules keep out, each with the rule."""
    rules: tuple[IgnoreRule, ...] = ()
    """Which changes of objects are not shown."""
    destination: str = ""
    """The branch and the remote that it would be pushed to."""
    bundle: BundleUse | None = None
    """The bundle that the cluster includes, where a compile makes the change."""

    def __bool__(self) -> bool:
        return bool(self.files)

    def ignored_messages(self) -> tuple[str, ...]:
        """Problems of compiled files that ignore rules keep out."""
        return tuple(
            f"{rule} is ignored by Git in the catalog, and so not part of it"
            for rule in self.ignored
        )


@dataclass(frozen=True, slots=True)
class DependencyRecord:
    """The exact version of one thing that went in."""

    name: str
    url: str
    version: str
    commit: str
    short_commit: str
    path: str = ""
    component: str = ""


@dataclass(frozen=True, slots=True)
class BuildRecord:
    """The exact version of everything that went in."""

    cluster: str
    time: datetime
    global_config: DependencyRecord
    tenant_config: DependencyRecord
    instances: tuple[DependencyRecord, ...]
    packages: tuple[DependencyRecord, ...]
