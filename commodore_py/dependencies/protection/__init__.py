"""Protection of local work: locks, journals, recovery after a killed run, undo."""
