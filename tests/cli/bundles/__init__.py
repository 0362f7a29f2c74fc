"""Bundles: the command line, on a small hierarchy."""
