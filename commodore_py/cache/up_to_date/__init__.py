"""Whether a run would have the same result as the last one: what a run notes about itself."""
