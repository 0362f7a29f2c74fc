"""The catalog: what it will hold, what that changes, how it came to be, and how it is written."""

from .assemble import assemble
from .clean import clean
from .layout import is_generated
from .record import commit_message, record_of
from .sinks import CatalogSink, GitCatalog, Overtaken, open_directory, open_git
from .textdiff import DiffLine, diff_text, ignored_words
from .unreported import Unreported, forget_unreported, keep_unreported, unreported

__all__ = [
    "CatalogSink",
    "DiffLine",
    "GitCatalog",
    "Overtaken",
    "Unreported",
    "assemble",
    "clean",
    "commit_message",
    "diff_text",
    "forget_unreported",
    "ignored_words",
    "is_generated",
    "keep_unreported",
    "open_directory",
    "open_git",
    "record_of",
    "unreported",
]
