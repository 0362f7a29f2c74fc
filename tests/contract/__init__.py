"""Two implementations of one interface give the same answers."""
