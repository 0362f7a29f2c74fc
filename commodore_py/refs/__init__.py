"""Secret references: found in the inventory, turned into the catalog's reference files."""

from .render import render_refs

__all__ = ["render_refs"]
