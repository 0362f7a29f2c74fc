"""From wanted to pinned: what a cluster asks for, fetched into the working directory."""
