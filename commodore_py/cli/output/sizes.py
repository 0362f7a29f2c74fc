"""Sizes of files, as people write and read them."""

from __future__ import annotations

import re
from typing import Any

import click

_KIBI = 1024
_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")
_WRITTEN = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt]?)(i?b)?", re.IGNORECASE)


class Size(click.types.StringParamType):
    """A number of bytes: 500M, 2GiB, 1.5G; units are powers of 1024."""

    def convert(
        self,
        value: Any,  # noqa: ANN401 - click's own
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> Any:  # noqa: ANN401 - click's own
        """The number of bytes, if it is one that we understand."""
        if isinstance(value, int):
            return value
        written = _WRITTEN.fullmatch(value.strip())
        if not written:
            self.fail(f"{value!r} is no size; write 500M or 2GiB, say.", param, ctx)
        power = "bkmgt".index(written[2].lower() or "b")
        return int(float(written[1]) * _KIBI**power)


def shown(count: int) -> str:
    """A number of bytes in the unit that suits it."""
    size, unit = float(count), _UNITS[0]
    for larger in _UNITS[1:4]:
        if size >= _KIBI:
            size, unit = size / _KIBI, larger
    return f"{size:.0f} B" if unit == "B" else f"{size:.1f} {unit}"
