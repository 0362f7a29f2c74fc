"""Secret references: found in the inventory, turned into the catalog's reference files."""

from .doubts import doubts, explain
from .manifests import manifest_doubts
from .render import render_refs
from .scan import marked

__all__ = ["doubts", "explain", "manifest_doubts", "marked", "render_refs"]
