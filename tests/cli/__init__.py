"""Words, streams and exit codes."""
