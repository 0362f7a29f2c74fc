"""Hierarchies inspected without a compile."""
