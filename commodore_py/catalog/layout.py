"""Which parts of a catalog are written by us (pure)."""

from __future__ import annotations

from pathlib import PurePosixPath

MANIFESTS = PurePosixPath("manifests")
REFERENCES = PurePosixPath("refs")
OWNED = (MANIFESTS, REFERENCES)


def is_hidden(name: str) -> bool:
    """Return whether an entry directly below an owned folder belongs to the user, not to us."""
    return name.startswith(".")


def is_generated(path: PurePosixPath) -> bool:
    """Return whether a file of the catalog is rewritten by every compile."""
    return any(
        path.is_relative_to(folder) and path != folder and not is_hidden(path.parts[1])
        for folder in OWNED
    )
