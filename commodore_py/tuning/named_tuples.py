"""Annotations of named tuples stay texts.

`typing` compiles each of them when a class is made, and nothing here reads what comes out. Saved
instructions: --help 1 %, nothing changed 3 %, an edit 2 %.
"""

from __future__ import annotations

import collections
import typing
from typing import TYPE_CHECKING, Any

from . import enabled

if TYPE_CHECKING:
    from collections.abc import Iterable

# The type checker accepts literals only.
_namedtuple: Any = collections.namedtuple  # noqa: PYI024 - `typing` calls it, too
_PARAMETERS = ("name", "types", "module", "defaults")


def leave_annotations() -> None:
    """Do so from now on, if the function of `typing` that makes the classes is the known one."""
    known = getattr(typing, "_make_nmtuple", None)
    code = getattr(known, "__code__", None)
    if enabled() and code and code.co_varnames[: code.co_argcount] == _PARAMETERS:
        typing._make_nmtuple = _made  # type: ignore[attr-defined]  # noqa: SLF001 - as above


def _made(
    name: str, types: Iterable[tuple[str, Any]], module: str, defaults: Iterable[Any] = ()
) -> type[tuple[Any, ...]]:
    annotations = dict(types)
    made: Any = _namedtuple(name, annotations, defaults=defaults, module=module)
    made.__annotations__ = made.__new__.__annotations__ = annotations
    return made  # type: ignore[no-any-return] # a class, as its function makes it
