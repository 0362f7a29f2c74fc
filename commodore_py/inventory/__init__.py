"""Reclass semantics: the hierarchy, resolved for every target."""

from typing import TYPE_CHECKING

from commodore_py.front_doors import on_demand

from .checks import check_configuration, deprecations
from .layout import materialise
from .locator import Locator
from .resolve import locator_of, resolve, resolve_bootstrap

if TYPE_CHECKING:
    from .engine.reader import warn_again
    from .explain.explanation import path_parts, reach, story
    from .explain.file_effects import Touched, Touching
    from .explain.line_effects import Effect, Reach
    from .explain.stories import MISSING, Event, Reference, Story
    from .single import SingleClassPath, explain_missing, resolve_single, single_locator

# Imported when somebody asks for it: most runs need only some of it.
_PLACES = {
    "Effect": ".explain.line_effects",
    "Event": ".explain.stories",
    "MISSING": ".explain.stories",
    "Reach": ".explain.line_effects",
    "Reference": ".explain.stories",
    "SingleClassPath": ".single",
    "Story": ".explain.stories",
    "Touched": ".explain.file_effects",
    "Touching": ".explain.file_effects",
    "explain_missing": ".single",
    "path_parts": ".explain.explanation",
    "reach": ".explain.explanation",
    "resolve_single": ".single",
    "single_locator": ".single",
    "story": ".explain.explanation",
    "warn_again": ".engine.reader",
}

__all__ = [
    "MISSING",
    "Effect",
    "Event",
    "Locator",
    "Reach",
    "Reference",
    "SingleClassPath",
    "Story",
    "Touched",
    "Touching",
    "check_configuration",
    "deprecations",
    "explain_missing",
    "locator_of",
    "materialise",
    "path_parts",
    "reach",
    "resolve",
    "resolve_bootstrap",
    "resolve_single",
    "single_locator",
    "story",
    "warn_again",
]

__getattr__ = on_demand(__name__, _PLACES)
