"""Which checks a compile makes."""

from __future__ import annotations

from typing import NamedTuple


class CheckSettings(NamedTuple):
    """The checks of a compile."""

    only: tuple[str, ...] = ()
    """Names of checks; empty for all."""
    skip: tuple[str, ...] = ()
    policy_engine: str = ""
    """`opa` for the program of that name."""
