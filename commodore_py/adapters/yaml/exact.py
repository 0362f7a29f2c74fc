"""YAML for components: as Kapitan reads it, by PyYAML's loader in Python, which takes longer.

libyaml reads nearly everything in the same way; what it cannot read, or reads otherwise, is read by
the loader in Python.
"""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Any

import yaml

from .bounds import Refused
from .loader import FAILURES, Bounded, Loader, adapt, line_at, problem_in

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

log = logging.getLogger(__name__)

# libyaml reads these otherwise: a tag that is nothing but its mark, a byte order mark.
_PECULIAR = re.compile(r"(?:^|[\s,:?\[{-])!(?=\s|\Z)|\ufeff", re.MULTILINE)


class _LoaderInPython(Bounded, yaml.SafeLoader):
    """PyYAML's own parser."""


adapt(_LoaderInPython)


def load(text: str, *, name: str) -> Any:
    """The single document of a text; `name` is where it came from."""
    return _read(yaml.load, text, name)


def load_all(text: str, *, name: str) -> list[Any]:
    """Every document of a text, empty ones as None."""
    documents: list[Any] = _read(_all_documents, text, name)
    return documents


def place_of(text: str, path: Sequence[object], *, name: str) -> str:
    """File and line of a value of a readable text; see `line_at` for the path."""
    try:
        return f"{name}:{line_at(text, path)}"
    except FAILURES:
        return name


def _all_documents(text: str, loader: type[yaml.SafeLoader | yaml.CSafeLoader]) -> list[Any]:
    return list(yaml.load_all(text, loader))


def _read(call: Callable[..., Any], text: str, name: str) -> Any:
    if not _PECULIAR.search(text):
        try:
            return call(text, Loader)
        except Refused as refused:
            raise problem_in(refused, name, text) from refused
        except FAILURES as error:
            log.debug("%s: libyaml cannot read it: %s", name, error)
    try:
        return call(text, _LoaderInPython)
    except FAILURES as error:
        raise problem_in(error, name, text) from error
