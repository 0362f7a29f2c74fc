"""Reclass semantics: the hierarchy, resolved for every target."""

from typing import TYPE_CHECKING

from commodore_py.front_doors import on_demand

from .checks import check_configuration, deprecations
from .layout import materialise
from .resolve import resolve, resolve_bootstrap, whereabouts
from .whereabouts import Whereabouts

if TYPE_CHECKING:
    from .explain import path_parts, reach, story
    from .reached import Effect, Reach
    from .reader import warn_again
    from .single import SingleClassPath, explain_missing, resolve_single, single_whereabouts
    from .stories import MISSING, Event, Reference, Story
    from .touched import Touched, Touching

# Imported when somebody asks for it: most runs need only some of it.
_PLACES = {
    "Effect": ".reached",
    "Event": ".stories",
    "MISSING": ".stories",
    "Reach": ".reached",
    "Reference": ".stories",
    "SingleClassPath": ".single",
    "Story": ".stories",
    "Touched": ".touched",
    "Touching": ".touched",
    "explain_missing": ".single",
    "path_parts": ".explain",
    "reach": ".explain",
    "resolve_single": ".single",
    "single_whereabouts": ".single",
    "story": ".explain",
    "warn_again": ".reader",
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
