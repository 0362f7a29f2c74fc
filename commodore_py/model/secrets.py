"""Secret references: where they stand and the files that describe them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .spot import Spot


@dataclass(frozen=True, slots=True)
class SecretRef:
    """A reference to a secret, as found in the inventory."""

    backend: str
    path: str
    """The whole reference path: the secret's path, a slash, and the key."""
    found_in: tuple[Spot, ...]
    """Every parameter that holds it, for messages."""


@dataclass(frozen=True, slots=True)
class ReferenceFile:
    """A reference file of the catalog: its path below `refs/` and its content."""

    path: str
    content: bytes
    backend: str
    """The kind of references that it stands behind."""
