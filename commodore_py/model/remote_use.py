"""What a run used of remotes and servers, reported so that a later run can compare."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from .download import Source


class RemoteListed(NamedTuple):
    """A Git remote listed its refs."""

    url: str
    objects: Mapping[str, str]
    """Of refs by the names that a clone has for them."""
    default_branch: str


class VersionUsed(NamedTuple):
    """A branch or a tag of a remote was used, beside those of components and packages."""

    url: str
    version: str
    """The default branch if it is empty."""
    clone: Path | None = None
    """Into which everything of the remote was fetched; None if its refs were only listed."""


class SourceDownloaded(NamedTuple):
    """A download was up to date or was fetched, with this content."""

    source: Source
    sha256: str


class BaseUsed(NamedTuple):
    """A base of a kustomization, in Git; reported by whoever renders."""

    name: str
    """Repository and version as requested."""
    values: tuple[tuple[str, str], ...]
    """What is locked of it."""


class FileUsed(NamedTuple):
    """A file that kustomize fetches by itself, whatever it holds now."""

    url: str
    where: str


class ToolUsed(NamedTuple):
    """A program rendered something, or a library in its place; reported in a locked run."""

    name: str
    version: str


class Locked(NamedTuple):
    """A branch or tag of a remote, or a download, is locked: what is there now does not count."""

    url: str = ""
    """Normalised; empty for downloads of other kinds."""
    version: str = ""
    source: Source | None = None
