"""Whether to colour."""

from __future__ import annotations

import os


def colours() -> bool | None:
    """Never against NO_COLOR; else click decides by the stream."""
    return False if os.environ.get("NO_COLOR") else None
