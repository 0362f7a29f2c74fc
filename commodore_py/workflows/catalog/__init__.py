"""Compiling a catalog: is it up to date? Otherwise compile, and note what was read."""
