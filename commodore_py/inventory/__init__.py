"""Reclass semantics: the hierarchy, resolved for every target."""

from .checks import check_configuration, deprecations
from .layout import materialise
from .resolve import resolve, resolve_bootstrap

__all__ = ["check_configuration", "deprecations", "materialise", "resolve", "resolve_bootstrap"]
