"""Bundles by themselves: listed, compared, published, checked, withdrawn, used."""
