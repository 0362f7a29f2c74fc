"""Where a catalog is written to: a repository, or a plain folder."""
