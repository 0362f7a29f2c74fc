"""Reclass semantics: the hierarchy, resolved for every target."""

from .checks import check_configuration, deprecations
from .explain import path_parts, reach, story
from .layout import materialise
from .reach import Effect, Reach
from .resolve import resolve, resolve_bootstrap, whereabouts
from .single import SingleClassPath, explain_missing, resolve_single, single_whereabouts
from .story import MISSING, Event, Reference, Story
from .whereabouts import Whereabouts

__all__ = [
    "MISSING",
    "Effect",
    "Event",
    "Reach",
    "Reference",
    "SingleClassPath",
    "Story",
    "Whereabouts",
    "check_configuration",
    "deprecations",
    "explain_missing",
    "materialise",
    "path_parts",
    "reach",
    "resolve",
    "resolve_bootstrap",
    "resolve_single",
    "single_whereabouts",
    "story",
    "whereabouts",
]
