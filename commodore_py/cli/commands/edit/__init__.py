"""The commands that change the hierarchy."""
