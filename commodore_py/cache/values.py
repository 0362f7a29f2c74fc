"""Plain data that depends on its key alone."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from .store import Store

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def cached_value(folder: Path | None, key: str, make: Callable[[], Any]) -> Any:  # noqa: ANN401 - plain data
    """The value that was made for this key before; otherwise, it is made and stored.

    A value of None is not stored. Tuples come back as lists.
    """
    if folder is None:
        return make()
    store = Store(folder)
    content = store.record(key)
    if content is not None:
        return json.loads(content)
    value = make()
    if value is not None:
        store.set_record(key, json.dumps(value).encode())
    return value
