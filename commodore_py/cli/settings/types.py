"""Types of option values that click does not have."""

from __future__ import annotations

import re
from typing import Any

import click

# Patterns are compiled when they are used: every command imports this.
# See git-check-ref-format: a typing mistake must not show up after a long compile.
_INVALID_BRANCH = r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|^[-/@]$|^[-/.]|/\.|[/.]$|\.lock(?:/|$)"
MOST_PROCESSES = 1_024
_MOST_BYTES = 1 << 63
_SIZE = r"(?i)(\d+(?:\.\d+)?)\s*([kmgt]?)(i?b)?"


MOST_SECONDS = 24 * 60 * 60
"""The longest time to wait; clocks of operating systems end somewhere above it."""


class Seconds(click.types.IntParamType):
    """A time to wait, in whole seconds."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number of seconds, at least one."""
        try:
            seconds = int(value)
        except ValueError:
            seconds = 0
        if seconds < 1:
            self.fail(f"{value!r} is not a number of whole seconds, at least 1.", param, ctx)
        if seconds > MOST_SECONDS:
            self.fail(f"{seconds} is more than a day ({MOST_SECONDS} seconds).", param, ctx)
        return seconds


class TimeLimit(click.types.StringParamType):
    """How long somebody may take: `git=600`; 0 for as long as it likes."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The text, if it names a limit."""
        from commodore_py.adapters.time_limits import TimeLimits

        name, _, seconds = str(value).partition("=")
        if name not in TimeLimits.names():
            names = ", ".join(TimeLimits.names())
            self.fail(f"{name!r} is not a time limit; these are: {names}.", param, ctx)
        # More would be more than ten years, and not every clock counts that far.
        if not re.fullmatch(r"[0-9]{1,8}(\.[0-9]{1,3})?", seconds):
            self.fail(f"{value!r} is not a time limit; write it like {name}=60.", param, ctx)
        return str(value)


class Timestamp(click.types.StringParamType):
    """A point in time, as Kubernetes writes it."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The time, if it is complete."""
        from commodore_py.manifests.health.assess import time_of

        found = time_of(value)
        if found is None:
            example = "2026-01-31T12:00:00Z"
            self.fail(f"{value!r} is not a time with its zone, such as {example}.", param, ctx)
        return found


class Size(click.types.StringParamType):
    """A number of bytes: 500M, 2GiB, 1.5G; units are powers of 1024."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number of bytes."""
        if isinstance(value, int):
            return value
        written = re.fullmatch(_SIZE, value.strip())
        if not written:
            self.fail(f"{value!r} is not a valid size; write it like 500M or 2GiB.", param, ctx)
        power = "bkmgt".index(written[2].lower() or "b")
        size = float(written[1]) * 1024**power
        if size > _MOST_BYTES:
            self.fail(f"{value!r} is larger than any file system.", param, ctx)
        return int(size)


class Branch(click.types.StringParamType):
    """The name of a Git branch."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name, if Git accepts it."""
        if value and (re.search(_INVALID_BRANCH, value) or value == "HEAD"):
            self.fail(f"{value!r} is not a valid branch name.", param, ctx)
        return str(value)


class PushUrl(click.types.StringParamType):
    """Where to push to: `ssh`, `same`, or one of them for a host."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The value, if it is a valid rule."""
        from commodore_py.adapters.git_urls import PushRule
        from commodore_py.errors import CommodoreError

        try:
            PushRule.parse([value])
        except CommodoreError as error:
            self.fail(f"{error}.", param, ctx)
        return str(value)
