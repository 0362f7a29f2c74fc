"""What a sync would make of a live object, and how both are normalised to be compared (pure)."""
