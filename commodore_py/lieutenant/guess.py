"""What somebody may have meant who gave an unknown id."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_FEW = 10


def hint_for(wanted: str, known: Sequence[str], *, kind: str) -> str:
    """The nearest known id, or all of them when they are few."""
    close = get_close_matches(wanted, known, n=1)
    if close:
        return f"did you mean {close[0]}?"
    if not known:
        return f"no {kind} is known"
    if len(known) <= _FEW:
        return f"known {kind}s: {', '.join(sorted(known))}"
    return f"{len(known)} {kind}s are known; none has a name like that"
