"""The `.env` file: variables for the whole run, where the environment has none of that name."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from commodore_py.cli.output import messages

if TYPE_CHECKING:
    from pathlib import Path


_YES = ("1", "true", "t", "yes", "y")


@dataclass(frozen=True, slots=True)
class DotEnv:
    """The file that was taken, and the variables that come from it."""

    path: Path
    names: frozenset[str]


def load(start: Path) -> DotEnv | None:
    """Take variables from the nearest `.env`, upwards from a folder; those already set win."""
    if os.environ.get("PYTHON_DOTENV_DISABLED", "").casefold() in _YES:
        return None
    for folder in (start, *start.parents):
        file = folder / ".env"
        if _is_there(file):
            return _load(file)
    return None


def _is_there(file: Path) -> bool:
    try:
        return file.is_file() or file.is_fifo()
    except OSError:
        return False


def _load(file: Path) -> DotEnv | None:
    import logging
    from io import StringIO

    from dotenv import load_dotenv
    from dotenv.parser import parse_stream

    try:
        # Read once: it may be a pipe, from a password manager for example.
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        problem = getattr(error, "strerror", None) or "not a text in UTF-8"
        messages.warn(
            f"the .env file cannot be read and is passed over: {problem}", where=str(file)
        )
        return None
    for binding in parse_stream(StringIO(text)):
        if binding.error:
            place = f"{file}:{binding.original.line}"
            messages.warn("this is no NAME=VALUE and is passed over", where=place)
    # It names no file where it complains; we have just done that better.
    logging.getLogger("dotenv.main").setLevel(logging.ERROR)
    before = set(os.environ)
    load_dotenv(stream=StringIO(text))
    return DotEnv(file, frozenset(set(os.environ) - before))
