"""Reclass semantics: the hierarchy, resolved for every target."""

from .checks import check_configuration, deprecations
from .explain import reach, story
from .layout import materialise
from .reach import Reach
from .resolve import resolve, resolve_bootstrap, whereabouts
from .story import MISSING, Event, Reference, Story

__all__ = [
    "MISSING",
    "Event",
    "Reach",
    "Reference",
    "Story",
    "check_configuration",
    "deprecations",
    "materialise",
    "reach",
    "resolve",
    "resolve_bootstrap",
    "story",
    "whereabouts",
]
