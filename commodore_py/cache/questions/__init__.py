"""Questions of work about its inputs: one type per kind, and one table of kinds."""
