"""A running cluster: access to it, its objects and their marks, and rules about health."""
