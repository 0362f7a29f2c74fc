"""Predict what a sync makes of a live object, and normalise both to be compared (pure)."""
