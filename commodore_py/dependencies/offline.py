"""The error for what an offline run would have to fetch."""

from __future__ import annotations

from commodore_py.errors import CommodoreError


class NotAvailableOffline(CommodoreError):
    """Something is missing locally, and an offline run cannot fetch it."""

    @classmethod
    def named(cls, what: str) -> NotAvailableOffline:
        """The error with the name of what is missing."""
        return cls(
            f"{what} is not available offline",
            hint="compile once without --offline",
        )
