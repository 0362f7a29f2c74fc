"""Where a catalog is written to."""

from .base import CatalogSink
from .directory import DirectoryCatalog, open_directory
from .git import GitCatalog, open_git
from .refusals import Overtaken
from .written import compiled_tree

__all__ = [
    "CatalogSink",
    "DirectoryCatalog",
    "GitCatalog",
    "Overtaken",
    "compiled_tree",
    "open_directory",
    "open_git",
]
