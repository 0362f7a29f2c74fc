"""Filters that components run over what their instances compiled to."""

from .run import apply_filters

__all__ = ["apply_filters"]
