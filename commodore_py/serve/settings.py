"""The settings of the daemon."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from commodore_py.config import Config

    from .access import Token


@dataclass(frozen=True, slots=True)
class Settings:
    """What the command line says."""

    config: Config
    tokens: Mapping[str, Token]
    origins: frozenset[str]
    workers: int
    reconciles: bool = False
    poll: float = 60.0
    hook_secret: str = ""
