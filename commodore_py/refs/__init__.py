"""Secret references: found in the inventory, turned into the catalog's reference files."""

from .manifests import manifest_problems
from .problems import explain, reference_problems
from .render import render_refs
from .scan import find_marked

__all__ = ["explain", "find_marked", "manifest_problems", "reference_problems", "render_refs"]
