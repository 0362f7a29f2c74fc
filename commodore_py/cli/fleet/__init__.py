"""`catalog compile` of several clusters."""

from .run import Selection, check, compile_clusters

__all__ = ["Selection", "check", "compile_clusters"]
