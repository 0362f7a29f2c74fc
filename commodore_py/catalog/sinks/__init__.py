"""Where a catalog is written to."""

from .base import CatalogSink
from .git import open_sink

__all__ = ["CatalogSink", "open_sink"]
