"""Contents by digest, notes by key, and everything that may be wrong with their files."""
