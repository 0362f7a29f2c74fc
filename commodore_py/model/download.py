"""Downloads of components beside Git checkouts: files, archives, repositories, charts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from .spot import Spot


@dataclass(frozen=True, slots=True)
class WebFile:
    """The content of a URL."""

    url: str

    def __str__(self) -> str:
        return self.url


@dataclass(frozen=True, slots=True)
class Repository:
    """A version of a Git repository, or of a folder in it."""

    url: str
    ref: str | None = None
    """A branch, tag or commit; the default branch if there is none."""
    subdir: str = ""
    submodules: bool = False

    def __str__(self) -> str:
        return f"{self.url} at {self.ref or 'its default branch'}"


class Chart(NamedTuple):
    """A Helm chart of a chart repository or an OCI registry."""

    repository: str
    name: str
    version: str = ""
    """As Helm understands it; the newest if it is empty."""
    helm: str = ""
    """The program that was named for it."""

    def __str__(self) -> str:
        return f"chart {self.name} {self.version or '(newest)'} of {self.repository}"


@dataclass(frozen=True, slots=True)
class Artifact:
    """Files that are stored in an OCI registry."""

    reference: str
    subpath: str = ""
    media_type: str = ""
    plain_http: bool = False
    verify: bool | str = True
    """Whether certificates are checked, or a file of those that count."""

    def __str__(self) -> str:
        return f"artifact {self.reference}"


Source: TypeAlias = WebFile | Repository | Chart | Artifact


@dataclass(frozen=True, slots=True)
class Download:
    """Something that a component wants to have at a place of its choice."""

    source: Source
    output_path: str
    spot: Spot
    """The entry of the dependencies list that requests it."""
    unpack: bool = False
    forced: bool = False
    """Whether it, and all of its target, are fetched in local mode whatever the options are."""
