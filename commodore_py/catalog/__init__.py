"""The catalog: what it will hold, what that changes, how it came to be, and how it is written."""

from typing import TYPE_CHECKING

from commodore_py.front_doors import on_demand
from commodore_py.model import DiffLine

from .assemble import assemble
from .clean import clean
from .layout import is_generated
from .unreported import Unreported, forget_unreported, keep_unreported, unreported

if TYPE_CHECKING:
    from .diff.change import change_between
    from .diff.objects import FileDifference, ObjectDiff, counted_lines, nothing, object_diff
    from .diff.revisions import Comparison, compared
    from .diff.rules import ignore_rules, rule_doubts
    from .diff.text import diff_text, ignored_words
    from .identity import committer
    from .record import commit_message, record_of
    from .sinks import CatalogSink, GitCatalog, Overtaken, compiled_tree, open_directory, open_git

# Imported when somebody asks for it: most runs need only some of it.
_PLACES = {
    "CatalogSink": ".sinks",
    "Comparison": ".diff.revisions",
    "FileDifference": ".diff.objects",
    "GitCatalog": ".sinks",
    "ObjectDiff": ".diff.objects",
    "Overtaken": ".sinks",
    "change_between": ".diff.change",
    "commit_message": ".record",
    "committer": ".identity",
    "compared": ".diff.revisions",
    "compiled_tree": ".sinks",
    "counted_lines": ".diff.objects",
    "diff_text": ".diff.text",
    "ignore_rules": ".diff.rules",
    "ignored_words": ".diff.text",
    "nothing": ".diff.objects",
    "object_diff": ".diff.objects",
    "open_directory": ".sinks",
    "open_git": ".sinks",
    "record_of": ".record",
    "rule_doubts": ".diff.rules",
}

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

__getattr__ = on_demand(__name__, _PLACES)
