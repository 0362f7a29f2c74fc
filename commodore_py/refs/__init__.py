"""Secret references: found in the inventory, turned into the catalog's reference files."""

from .problems import explain, manifest_problems, reference_problems
from .references import find_marked
from .render import render_refs

__all__ = ["explain", "find_marked", "manifest_problems", "reference_problems", "render_refs"]
