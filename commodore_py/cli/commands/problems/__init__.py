"""Commands that find problems."""
