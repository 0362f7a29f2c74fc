"""Inputs that a locked run uses, beside what it fetches itself."""

from __future__ import annotations

from typing import NamedTuple


class BaseUsed(NamedTuple):
    """A base of a kustomization, in Git; reported by whoever renders."""

    name: str
    """Repository and version as requested."""
    values: tuple[tuple[str, str], ...]
    """What is locked of it."""


class FileUsed(NamedTuple):
    """A file that kustomize fetches by itself, whatever it holds now."""

    url: str
    where: str


class ToolUsed(NamedTuple):
    """A program rendered something, or a library in its place; reported in a locked run."""

    name: str
    version: str
