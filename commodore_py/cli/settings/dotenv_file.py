"""The `.env` file: variables for the whole run, where the environment has none of that name."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from commodore_py.cli.output import messages

if TYPE_CHECKING:
    from pathlib import Path


_YES = ("1", "true", "t", "yes", "y")


class DotEnv(NamedTuple):
    """The file that was read, and the variables set from it."""

    path: Path
    names: frozenset[str]


def load(start: Path) -> DotEnv | None:
    """Set variables from the nearest `.env` in a folder or its parents; existing variables win."""
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
        problem = getattr(error, "strerror", None) or "not valid UTF-8"
        messages.warn(f"ignoring the .env file, which cannot be read: {problem}", where=str(file))
        return None
    for binding in parse_stream(StringIO(text)):
        if binding.error:
            place = f"{file}:{binding.original.line}"
            messages.warn("ignoring this line: expected NAME=VALUE", where=place)
    # Its own warnings name no file; invalid lines were reported above.
    logging.getLogger("dotenv.main").setLevel(logging.ERROR)
    before = set(os.environ)
    load_dotenv(stream=StringIO(text))
    return DotEnv(file, frozenset(set(os.environ) - before))
