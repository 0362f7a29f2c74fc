"""Jsonnet libraries: those of components, and a replacement for jsonnet-bundler."""
