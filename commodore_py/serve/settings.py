"""The settings of the daemon."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from commodore_py.config import Config


@dataclass(frozen=True, slots=True)
class Settings:
    """What the command line says."""

    config: Config
    tokens: Mapping[str, str]
    origins: frozenset[str]
    workers: int
    read_only: bool = False
    reconciles: bool = False
    poll: float = 60.0
    hook_secret: str = ""
