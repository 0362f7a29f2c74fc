"""The catalog: what it will hold, what that changes, how it came to be, and how it is written."""

from .assemble import assemble
from .clean import clean
from .layout import is_generated
from .record import commit_message, record_of
from .sinks import CatalogSink, open_sink
from .textdiff import DiffLine, diff_text

__all__ = [
    "CatalogSink",
    "DiffLine",
    "assemble",
    "clean",
    "commit_message",
    "diff_text",
    "is_generated",
    "open_sink",
    "record_of",
]
