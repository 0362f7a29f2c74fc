"""The log on stderr: text, JSON lines, or annotations of GitHub."""

from __future__ import annotations

import filecmp
import logging
import os
import re
import textwrap
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from commodore_py.adapters import escaping
from commodore_py.adapters.masking import REDACTOR
from commodore_py.adapters.time_limits import SHOWN

from . import streams

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from contextlib import AbstractContextManager

NOTICE = 25
"""Between progress and warnings: shown with `--quiet`, but not a problem."""

_SHOWN_AT_ONCE = ("commodore_py.cli", "commodore_py.pipeline")
_HEADINGS = "commodore_py.pipeline"
_WIDTH = 100
_BELOW = "    "
_LEVELS = {
    logging.DEBUG: "debug",
    logging.INFO: "info",
    SHOWN: "info",
    NOTICE: "notice",
}
# Compiled when it is used: every command imports this.
_FILE_AND_LINE = r"(?P<file>[^:\n]+):(?P<line>\d+)(?::(?P<column>\d+))?(?!\S)"


PROGRESS_LINES: list[Callable[[], AbstractContextManager[None]]] = []
"""Context managers that remove a progress line while a log line is written."""


class Lines(logging.Handler):
    """Writes each record as lines on stderr."""

    def __init__(self, form: str, *, plain: bool) -> None:
        super().__init__()
        self.form = form
        self.plain = plain

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record."""
        with ExitStack() as stack:
            for aside in PROGRESS_LINES:
                stack.enter_context(aside())
            for line in FORMS[self.form](record):
                streams.error_line(line, color=False if self.plain else colours())


class Collected(logging.Handler):
    """Collects warnings, for results in JSON and YAML."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.warnings: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep one record."""
        self.warnings.append(REDACTOR.message(record.getMessage()))


def set_up(
    verbosity: int = 0, *, quiet: bool = False, plain: bool = False, form: str = "text"
) -> None:
    """Show progress and warnings; details from `-v` on, everything from `-vv` on."""
    ours = logging.getLogger("commodore_py")
    collected = [handler for handler in ours.handlers if isinstance(handler, Collected)]
    ours.handlers = [Lines(form, plain=plain), *collected]
    ours.propagate = False
    by_verbosity = (SHOWN, logging.INFO, logging.DEBUG)
    level = NOTICE if quiet else by_verbosity[min(verbosity, 2)]
    ours.setLevel(level)
    for name in _SHOWN_AT_ONCE:
        logging.getLogger(name).setLevel(level if quiet else min(logging.INFO, level))


def form() -> str:
    """The format that was requested."""
    handlers = logging.getLogger("commodore_py").handlers
    return next((handler.form for handler in handlers if isinstance(handler, Lines)), "text")


def plain() -> bool:
    """Return whether nothing may be coloured."""
    handlers = logging.getLogger("commodore_py").handlers
    return any(isinstance(handler, Lines) and handler.plain for handler in handlers)


def as_text(record: logging.LogRecord) -> Iterator[str]:
    """Text: headings in bold, warnings in yellow, place and hint below."""
    kind = _kind(record)
    text = streams.shown(record.getMessage(), message=kind != "plain")
    if kind not in ("heading", "plain", "notice"):
        # A line of its own would pass for one of ours.
        text = text.replace("\n", f"\n{_BELOW}")
    match kind:
        case "heading":
            yield click.style(text, bold=True)
        case "plain":
            yield text
        case "notice":
            # A paragraph of a list; addresses stay whole.
            yield from textwrap.wrap(
                text,
                _WIDTH,
                initial_indent=" > ",
                subsequent_indent="   ",
                break_long_words=False,
                break_on_hyphens=False,
            )
        case "warning":
            yield click.style(f"warning: {text}", fg="yellow")
        case "error":
            yield click.style("error:", fg="red", bold=True) + f" {text}"
        case _:
            yield f" > {text}"
    indent = "   " if kind == "notice" else "  "
    yield from (f"{indent}{from_here(line)}" for line in _more(record, "where").splitlines())
    yield from (f"{indent}{line}" for line in _more(record, "notes").splitlines())
    if _more(record, "hint"):
        yield ""
        yield click.style("hint:", bold=True) + f" {_more(record, 'hint')}"
    if _more(record, "gap"):
        yield ""


def from_here(place: str) -> str:
    """A place as the user can type it: a path below the current folder is relative."""
    with suppress(OSError):
        return place.removeprefix(f"{os.getcwd().rstrip('/')}/")  # noqa: PTH109 - a text
    return place


def as_data(record: logging.LogRecord) -> dict[str, str]:
    """A record for programs."""
    parts = {name: _plain(_raw(record, name)) for name in ("where", "notes", "hint")}
    return {
        "level": _LEVELS.get(record.levelno, record.levelname.lower()),
        "message": _plain(record.getMessage()),
        **{name: text for name, text in parts.items() if text},
    }


def as_json(record: logging.LogRecord) -> Iterator[str]:
    """JSON: one object per line."""
    import json

    yield json.dumps({"schema": "log/v1", **as_data(record)}).replace("##", "#\\u0023")


def as_github(record: logging.LogRecord) -> Iterator[str]:
    """Workflow commands for GitHub's runners: problems become annotations of their lines."""
    # https://docs.github.com/actions/reference/workflow-commands-for-github-actions
    if record.levelno < NOTICE:
        yield from as_text(record)
        return
    where = _more(record, "where")
    place = re.match(_FILE_AND_LINE, where)
    lines = [_plain(record.getMessage()), "" if place else where]
    lines += [_more(record, name) for name in ("notes", "hint")]
    level = _LEVELS.get(record.levelno, record.levelname.lower())
    text = _escaped(escaping.lines(REDACTOR.message("\n".join(filter(None, lines)))))
    properties = ",".join(_properties(place.groupdict())) if place else ""
    yield f"::{level}{' ' if properties else ''}{properties}::{text}"


FORMS: dict[str, Callable[[logging.LogRecord], Iterable[str]]] = {
    "text": as_text,
    "json": as_json,
    "github": as_github,
}


def colours() -> bool | None:
    """Return whether to colour: never against NO_COLOR; otherwise click decides by the stream."""
    return False if os.environ.get("NO_COLOR") else None


def _kind(record: logging.LogRecord) -> str:
    if record.levelno >= logging.ERROR:
        return "error"
    if record.levelno >= logging.WARNING:
        return "warning"
    kind = _raw(record, "kind")
    return kind or ("heading" if record.name == _HEADINGS else "")


def _plain(text: str) -> str:
    return REDACTOR.message(streams.unstyled(text))


def _more(record: logging.LogRecord, name: str) -> str:
    value = _raw(record, name)
    return streams.shown(value, message=True) if value else ""


def _raw(record: logging.LogRecord, name: str) -> str:
    return str(getattr(record, name, ""))


def _properties(place: Mapping[str, str | None]) -> Iterator[str]:
    names = {"file": "file", "line": "line", "column": "col"}
    for group, text in place.items():
        if text:
            value = path_in_job(text) if group == "file" else text
            yield f"{names[group]}={_escaped(value).replace(':', '%3A').replace(',', '%2C')}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def path_in_job(file: str) -> str:
    """A path relative to the checkout of the job, if that has the file too; else as it is.

    A job compiles in a working directory of its own, with checkouts of what it compiles: the file
    `inventory/classes/<tenant>/common.yml` there is `common.yml` of the tenant's repository.
    """
    workspace = os.environ.get("GITHUB_WORKSPACE")
    if not workspace:
        return file
    full, path = Path(file).absolute(), file
    for start in range(1, len(full.parts)):
        inside = Path(*full.parts[start:])
        if _has_same_content(full, workspace / inside):
            path = str(inside)
            if not full.samefile(workspace / inside):  # the working directory may be in there
                break
    return path


def _has_same_content(file: Path, other: Path) -> bool:
    try:
        return other.is_file() and filecmp.cmp(file, other, shallow=False)
    except OSError:
        return False
