"""Providers to log in at, and what holds for all of them."""
