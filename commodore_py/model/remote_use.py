"""Inputs that a locked run uses, beside what it fetches itself."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BaseUsed:
    """A base of a kustomization, in Git; reported by whoever renders."""

    name: str
    """Repository and version as requested."""
    values: tuple[tuple[str, str], ...]
    """What is locked of it."""


@dataclass(frozen=True, slots=True)
class FileUsed:
    """A file that kustomize fetches by itself, whatever it holds now."""

    url: str
    where: str


@dataclass(frozen=True, slots=True)
class ToolUsed:
    """A program rendered something, or a library in its place; reported in a locked run."""

    name: str
    version: str
