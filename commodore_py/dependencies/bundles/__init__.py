"""Bundles: tested sets of versions, as ordinary classes with an index."""
