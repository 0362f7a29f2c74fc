"""Real servers for tests: scripts that build them, and functions that start them."""
