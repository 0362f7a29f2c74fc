"""How a run fetches downloads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from commodore_py.dependencies.offline import NotAvailableOffline

if TYPE_CHECKING:
    from collections.abc import Callable
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


FetchOne: TypeAlias = "Callable[[Source], Stored | CommodoreError]"
"""Fetches a source, or returns why it cannot be fetched."""
Through: TypeAlias = "Callable[[Store, FetchOne, Callable[[str, str], Path]], FetchOne]"
"""Makes another one of the store, of the usual one, and of what finds a clone with a commit."""
