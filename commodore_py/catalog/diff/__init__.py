"""Differences between two states of a catalog."""
