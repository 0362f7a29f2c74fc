"""Python's frames lie in one large piece of memory.

Python asks the system for 16 KiB at a time, and gives a piece back as soon as the last frame in it
ends: a loop that calls functions just where a piece begins asks, and gives back, with every call.
Where that is changes with every line of code. Saved time: nothing changed 12 %, an edit up to 4 %.
"""

from __future__ import annotations

from types import FunctionType
from typing import TYPE_CHECKING, TypeVar, cast

from . import enabled

if TYPE_CHECKING:
    from collections.abc import Callable

    _Function = TypeVar("_Function", bound=Callable[..., object])

# Somewhat more than half of a piece of 1 MiB: frames of all calls find room in the other half.
_SLOTS = 1 << 16


def in_one_piece(function: _Function) -> _Function:
    """The function, with a frame so large that Python takes 1 MiB for it and all that it calls."""
    if not enabled() or not isinstance(function, FunctionType):
        return function
    code = function.__code__.replace(co_stacksize=_SLOTS)
    large = FunctionType(code, function.__globals__, function.__name__, function.__defaults__)
    large.__kwdefaults__ = function.__kwdefaults__
    return cast("_Function", large)
