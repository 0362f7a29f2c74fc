"""No cache outside of a sequence of changes."""

from __future__ import annotations

import pytest


@pytest.fixture
def no_user_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """What sequences share is not kept outside of them."""
    monkeypatch.delenv("XDG_CACHE_HOME")
