"""Cached results of compile entries."""
