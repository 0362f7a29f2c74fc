"""Findings about a compiled catalog; the table is empty until the first check is built."""
