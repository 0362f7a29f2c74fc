"""Repositories made from templates, and updated with them."""
