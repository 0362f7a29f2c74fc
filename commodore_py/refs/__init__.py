"""Secret references: found in the inventory, turned into the catalog's reference files."""

from .doubts import doubts
from .render import render_refs

__all__ = ["doubts", "render_refs"]
