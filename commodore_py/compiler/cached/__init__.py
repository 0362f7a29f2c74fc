"""Results of compile entries, kept by what was really read and found again by that."""

from .cache import INSTANT, Cache

__all__ = ["INSTANT", "Cache"]
