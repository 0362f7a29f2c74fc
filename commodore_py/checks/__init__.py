"""Checks of a compiled catalog: a table of modules that is imported by those who check."""
