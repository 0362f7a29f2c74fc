"""Policies in Rego, of the global configuration repository, by the conventions of conftest."""
