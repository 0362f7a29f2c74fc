"""The catalog: what it will hold, what that changes, how it came to be, and how it is written."""
