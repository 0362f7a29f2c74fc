"""Whole runs of the command, with real tools and next to Commodore."""
