"""Checks of catalogs, and several clusters in one command."""
