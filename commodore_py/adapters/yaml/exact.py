"""YAML as PyYAML itself reads it, nearly always by libyaml, which is faster."""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Any

import yaml

from . import plain as yaml_plain
from .bounds import Refused
from .reading import FAILURES, Bounded, Loader, adapt, line_at, problem_in

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

log = logging.getLogger(__name__)

# libyaml reads these otherwise: a tag that is nothing but its mark, a byte order mark.
_PECULIAR = re.compile(r"(?:^|[\s,:?\[{-])!(?=\s|\Z)|\ufeff", re.MULTILINE)


class _Slow(Bounded, yaml.SafeLoader):
    """PyYAML's own."""


adapt(_Slow)


def load(text: str, *, name: str) -> Any:
    """The single document of a text; `name` is where it came from."""
    plain = yaml_plain.load(text)
    return _read(yaml.load, text, name) if plain is yaml_plain.UNUSUAL else plain


def load_all(text: str, *, name: str) -> list[Any]:
    """Every document of a text, empty ones as None."""
    documents: list[Any] = yaml_plain.load_all(text)
    return _read(_all, text, name) if documents is yaml_plain.UNUSUAL else documents


def place_of(text: str, path: Sequence[object], *, name: str) -> str:
    """File and line of a value of a readable text; see `line_at` for the path."""
    try:
        return f"{name}:{line_at(text, path)}"
    except FAILURES:
        return name


def _all(text: str, Loader: type[yaml.SafeLoader]) -> list[Any]:  # noqa: N803 - as PyYAML has it
    return list(yaml.load_all(text, Loader=Loader))


def _read(call: Callable[..., Any], text: str, name: str) -> Any:
    if not _PECULIAR.search(text):
        try:
            return call(text, Loader=Loader)
        except Refused as refused:
            raise problem_in(refused, name) from refused
        except FAILURES as error:
            log.debug("%s: libyaml cannot read it: %s", name, error)
    try:
        return call(text, Loader=_Slow)
    except FAILURES as error:
        raise problem_in(error, name) from error
