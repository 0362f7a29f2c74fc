"""Whom a run may ask."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from commodore_py.dependencies.offline import Missing

if TYPE_CHECKING:
    from collections.abc import Callable

    from commodore_py.errors import CommodoreError

    from .store import Store


@dataclass(frozen=True, slots=True)
class Mode:
    """How a run fetches."""

    store: Store
    ask: bool
    """Whether what may have changed is asked for again; else it is used as it was found last."""
    offline: bool
    timeout: float
    doubt: Callable[[CommodoreError], None] = lambda _: None
    """Where to say what Commodore lets through and we would rather not."""

    def require_network(self, what: str) -> None:
        """End here if nobody may be asked."""
        if self.offline:
            raise Missing.named(what)
