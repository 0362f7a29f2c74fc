"""The catalog: what it will hold, what that changes, how it came to be, and how it is written."""

from commodore_py.model import DiffLine

from .assemble import assemble
from .change import change_between
from .clean import clean
from .identity import committer
from .layout import is_generated
from .objectdiff import FileDifference, ObjectDiff, counted_lines, nothing, object_diff
from .record import commit_message, record_of
from .revisions import Comparison, compared
from .rules import ignore_rules, rule_doubts
from .sinks import (
    CatalogSink,
    GitCatalog,
    Overtaken,
    compiled_tree,
    open_directory,
    open_git,
)
from .textdiff import diff_text, ignored_words
from .unreported import Unreported, forget_unreported, keep_unreported, unreported

__all__ = [
    "CatalogSink",
    "Comparison",
    "DiffLine",
    "FileDifference",
    "GitCatalog",
    "ObjectDiff",
    "Overtaken",
    "Unreported",
    "assemble",
    "change_between",
    "clean",
    "commit_message",
    "committer",
    "compared",
    "compiled_tree",
    "counted_lines",
    "diff_text",
    "forget_unreported",
    "ignore_rules",
    "ignored_words",
    "is_generated",
    "keep_unreported",
    "nothing",
    "object_diff",
    "open_directory",
    "open_git",
    "record_of",
    "rule_doubts",
    "unreported",
]
