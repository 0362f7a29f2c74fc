"""Results of compile entries, kept by what was really read and found again by that."""

from .cache import INSTANT, Cache, CacheDiffers, refuse_differences
from .verdict import Verdict

__all__ = ["INSTANT", "Cache", "CacheDiffers", "Verdict", "refuse_differences"]
