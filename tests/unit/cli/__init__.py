"""The pieces of the command line."""
