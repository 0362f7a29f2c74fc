"""Kubernetes objects: their ids, differences, and the effects of these (all pure)."""
