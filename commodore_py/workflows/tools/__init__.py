"""Managed programs: installed, upgraded and listed."""
