"""How a run fetches downloads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from commodore_py.dependencies.offline import NotAvailableOffline

if TYPE_CHECKING:
    from collections.abc import Callable

    from commodore_py.errors import CommodoreError

    from .store import Store


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
