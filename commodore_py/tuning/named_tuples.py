"""Annotations of named tuples stay texts, and their constructors are not compiled one by one.

`typing` compiles each annotation when a class is made, and nothing here reads what comes out.
`collections` compiles a constructor for each class; those with as many fields differ in names
only. Saved instructions: --help 1 %, nothing changed 3 %, an edit 2 %; by the second, 1 % more.
"""

from __future__ import annotations

import builtins
import collections
import typing
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from . import replaces

if TYPE_CHECKING:
    from collections.abc import Iterable

# The type checker accepts literals only.
_namedtuple: Any = collections.namedtuple  # noqa: PYI024 - `typing` calls it, too
_BEGIN, _MIDDLE = "lambda _cls, ", ": _tuple_new(_cls, ("
_constructors: dict[int, CodeType] = {}


def leave_annotations() -> None:
    """Do so from now on, if the function of `typing` that makes the classes is the known one."""
    known = getattr(typing, "_make_nmtuple", None)
    if replaces(known, "name", "types", "module", "defaults"):
        typing._make_nmtuple = _made  # type: ignore[attr-defined]  # noqa: SLF001 - as above
        collections.eval = _evaluated  # type: ignore[attr-defined] # in place of Python's own


def _made(
    name: str, types: Iterable[tuple[str, Any]], module: str, defaults: Iterable[Any] = ()
) -> type[tuple[Any, ...]]:
    annotations = dict(types)
    made: Any = _namedtuple(name, annotations, defaults=defaults, module=module)
    made.__annotations__ = made.__new__.__annotations__ = annotations
    return made  # type: ignore[no-any-return] # a class, as its function makes it


def _evaluated(text: str, names: dict[str, Any]) -> Any:
    """What `eval` gives for the text of a constructor."""
    fields = text[len(_BEGIN) : text.find(_MIDDLE)]
    if text != f"{_BEGIN}{fields}{_MIDDLE}{fields}))":
        return builtins.eval(text, names)  # noqa: S307 - as `collections` does
    arguments = fields.removesuffix(",").split(", ")
    code = _constructors.get(len(arguments))
    if code is None or not all(arguments):
        made = builtins.eval(text, names)  # noqa: S307 - as above
        if all(arguments):
            _constructors[len(arguments)] = made.__code__
        return made
    return FunctionType(code.replace(co_varnames=("_cls", *arguments)), names)
