"""Secret references: found in the inventory, turned into the catalog's reference files."""

from .doubts import doubts, explaining
from .manifests import manifest_doubts
from .render import render_refs

__all__ = ["doubts", "explaining", "manifest_doubts", "render_refs"]
