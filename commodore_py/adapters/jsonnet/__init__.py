"""Jsonnet: evaluators and what they print."""
