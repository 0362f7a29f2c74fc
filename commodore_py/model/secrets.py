"""Secret references: where they stand and the files that describe them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .spot import Spot


class SecretRef(NamedTuple):
    """A reference to a secret, as found in the inventory."""

    backend: str
    path: str
    """The whole reference path: the secret's path, a slash, and the key."""
    found_in: tuple[Spot, ...]
    """Every parameter that holds it, for messages."""


class ReferenceFile(NamedTuple):
    """A reference file of the catalog: its path below `refs/` and its content."""

    path: str
    content: bytes
    backend: str
    """The kind of references that it stands behind."""
