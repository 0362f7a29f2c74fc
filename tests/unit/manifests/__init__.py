"""Kubernetes objects and their differences."""
