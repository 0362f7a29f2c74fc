"""Types of option values that click does not have."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click

MOST_PROCESSES = 1_024
_MOST_BYTES = 1 << 63
# Patterns are compiled when they are used: every command imports this.
# See git-check-ref-format: a typing mistake must not show up at the first push.
_INVALID_BRANCH = r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|^[-/@]$|^[-/.]|/\.|[/.]$|\.lock(?:/|$)"
_SIZE = r"(?i)(\d+(?:\.\d+)?)\s*([kmgt]?)(i?b)?"


MOST_SECONDS = 24 * 60 * 60
"""The longest time to wait; clocks of operating systems end somewhere above it."""


SECONDS = click.IntRange(1, MOST_SECONDS)
"""A time to wait, in whole seconds."""


class Checkout(click.Path):
    """The directory of a component or a package."""

    def __init__(self) -> None:
        super().__init__(exists=True, file_okay=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The directory; the error for a name alone suggests the checkout of that name."""
        checkout = Path("dependencies") / value
        if not Path(value).exists() and checkout.is_dir():
            message = f"Directory {str(value)!r} does not exist. Did you mean {str(checkout)!r}?"
            self.fail(message, param, ctx)
        return super().convert(value, param, ctx)


def size_of(text: str) -> tuple[int, str]:
    """The number of bytes in 500M, 2GiB or 1.5G, and what is wrong with the text."""
    written = re.fullmatch(_SIZE, text.strip())
    if not written:
        return 0, f"{text!r} is not a valid size; write it like 500M or 2GiB"
    size = float(written[1]) * 1024 ** "bkmgt".index(written[2].lower() or "b")
    if size > _MOST_BYTES:
        return 0, f"{text!r} is larger than any file system"
    return int(size), ""


class Branch(click.types.StringParamType):
    """The name of a Git branch."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name, if Git accepts it."""
        if value and (re.search(_INVALID_BRANCH, value) or value == "HEAD"):
            self.fail(f"{value!r} is not a valid branch name.", param, ctx)
        return str(value)
