"""Charts, archives, files and repositories that components download."""
