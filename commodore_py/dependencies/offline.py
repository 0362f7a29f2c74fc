"""What an offline run finds missing."""

from __future__ import annotations

from commodore_py.errors import CommodoreError


class Missing(CommodoreError):
    """Something that is not here, and that an offline run may not fetch."""

    @classmethod
    def named(cls, what: str) -> Missing:
        """Name it."""
        return cls(
            f"{what} is not here, and --offline fetches nothing",
            hint="compile once without --offline, where there is a network",
        )
