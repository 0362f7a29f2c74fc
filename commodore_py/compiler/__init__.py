"""Kapitan semantics: instances to trees."""

from .compile import compile_targets

__all__ = ["compile_targets"]
