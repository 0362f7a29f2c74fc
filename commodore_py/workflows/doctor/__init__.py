"""Checks of this machine: programs, settings, access."""
