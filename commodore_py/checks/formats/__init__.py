"""What servers accept as texts and names (pure)."""
