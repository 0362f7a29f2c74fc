"""Jsonnet libraries: what jsonnet-bundler does, and the libraries of components."""
