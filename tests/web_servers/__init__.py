"""Servers that components download from: the web, chart repositories, container registries."""
