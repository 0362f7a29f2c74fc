"""Reclass semantics: the hierarchy, resolved for every target."""

from typing import TYPE_CHECKING

from commodore_py.front_doors import on_demand

from .checks import check_configuration, deprecations
from .layout import materialise
from .resolve import resolve, resolve_bootstrap, whereabouts
from .whereabouts import Whereabouts

if TYPE_CHECKING:
    from .engine.reader import warn_again
    from .explain.explanation import path_parts, reach, story
    from .explain.reached import Effect, Reach
    from .explain.stories import MISSING, Event, Reference, Story
    from .explain.touched import Touched, Touching
    from .single import SingleClassPath, explain_missing, resolve_single, single_whereabouts

# Imported when somebody asks for it: most runs need only some of it.
_PLACES = {
    "Effect": ".explain.reached",
    "Event": ".explain.stories",
    "MISSING": ".explain.stories",
    "Reach": ".explain.reached",
    "Reference": ".explain.stories",
    "SingleClassPath": ".single",
    "Story": ".explain.stories",
    "Touched": ".explain.touched",
    "Touching": ".explain.touched",
    "explain_missing": ".single",
    "path_parts": ".explain.explanation",
    "reach": ".explain.explanation",
    "resolve_single": ".single",
    "single_whereabouts": ".single",
    "story": ".explain.explanation",
    "warn_again": ".engine.reader",
}

__all__ = [
    "MISSING",
    "Effect",
    "Event",
    "Reach",
    "Reference",
    "SingleClassPath",
    "Story",
    "Touched",
    "Touching",
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
    "warn_again",
    "whereabouts",
]

__getattr__ = on_demand(__name__, _PLACES)
