"""Bundles by themselves: listed, published, used."""
