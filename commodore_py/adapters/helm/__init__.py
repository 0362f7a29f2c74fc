"""Helm: its program, and Helm as a library."""
