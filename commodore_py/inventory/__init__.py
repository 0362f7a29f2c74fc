"""Reclass semantics: the hierarchy, resolved for every target."""
