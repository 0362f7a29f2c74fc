"""Edits of a folder of facts."""
