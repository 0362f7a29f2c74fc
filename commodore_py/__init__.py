"""Compile Kubernetes cluster catalogs."""

__version__ = "0.1.0"

# The release of Project Syn's Commodore whose behaviour we reproduce.
COMPATIBLE_WITH = "1.35.1"
