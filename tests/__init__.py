"""The tests, from pure functions to the installed command."""
