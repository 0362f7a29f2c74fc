"""The text of a lock file: read, and written in its canonical form."""
