"""How a run fetches downloads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from commodore_py.dependencies.offline import NotAvailableOffline

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from commodore_py.errors import CommodoreError
    from commodore_py.model.download import Source

    from .store import Store, Stored


@dataclass(frozen=True, slots=True)
class FetchSettings:
    """Settings of all downloads of a run."""

    store: Store
    refresh: bool
    """Whether what may have changed is requested again; else the cached content is used."""
    offline: bool
    timeout: float
    warn: Callable[[CommodoreError], None] = lambda _: None
    """Called with warnings; with --strict these are errors."""

    def require_network(self, what: str) -> None:
        """Raise in an offline run."""
        if self.offline:
            raise NotAvailableOffline.named(what)


class Fetching(Protocol):
    """Another way to fetch sources than as they are requested."""

    def fetch(self, source: Source) -> Stored | CommodoreError:
        """The content of a source."""

    def refuse(self, problems: Iterable[CommodoreError]) -> None:
        """End the run for problems of its own."""


class Through(Protocol):
    """Makes one; `clone_with` gives the clone of a repository, with a commit in it."""

    def __call__(
        self,
        store: Store,
        fetch: Callable[[Source], Stored | CommodoreError],
        clone_with: Callable[[str, str], Path],
    ) -> Fetching:
        """For the downloads of one run."""
