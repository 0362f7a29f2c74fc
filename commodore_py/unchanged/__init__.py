"""Runs that have nothing to do: the last one is recognised by what files look like, and shown."""

from .looked import Looked, is_outdated
from .looked import read as looked_at
from .run import compile_catalog

__all__ = ["Looked", "compile_catalog", "is_outdated", "looked_at"]
