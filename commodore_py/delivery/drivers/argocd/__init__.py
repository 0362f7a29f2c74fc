"""The driver `argocd`: waves of Applications, and Applications of Applications (pure)."""

from .reading import read_back
from .rendering import render

__all__ = ["read_back", "render"]
