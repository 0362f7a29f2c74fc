"""Runs that have nothing to do: the last one is recognised by what files look like, and shown."""

from .run import compile_catalog

__all__ = ["compile_catalog"]
