"""Secret references: where they stand and the files that describe them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SecretRef:
    """A reference to a secret, as found in the inventory."""

    backend: str
    path: str
    """The whole reference path: the secret's path, a slash, and the key."""
    found_in: str
    """Target and parameter path, for messages."""


@dataclass(frozen=True, slots=True)
class ReferenceFile:
    """A reference file of the catalog: its path below `refs/` and its content."""

    path: str
    content: bytes
