"""Run a command: failures to words and exit codes, in one place."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from commodore_py.errors import CommodoreError, SeveralErrors, notes_of

from .colour import colours
from .root import commodore

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

OUR_BUG = 3
INTERRUPTED = 130


def run(arguments: Sequence[str]) -> int:  # noqa: PLR0911 - a line per way a run can end
    """Run the command line once and return its exit code."""
    _prefer_managed_tools()
    try:
        _load_dotenv(Path.cwd())
        result = commodore.main(
            args=list(arguments),
            prog_name="commodore",
            auto_envvar_prefix="COMMODORE",
            standalone_mode=False,
        )
        return result if isinstance(result, int) else 0
    except click.exceptions.Exit as exit_:
        return exit_.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except click.Abort as abort:
        return _aborted(abort)
    except KeyboardInterrupt:
        _tell("interrupted")
        return INTERRUPTED
    except CommodoreError as error:
        _tell(*describe(error))
        return error.exit_code
    except BrokenPipeError:
        # Whoever read our output has seen enough; Python must not try to flush it again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as error:  # noqa: BLE001 - the last door: what gets here is our bug
        return _our_bug(error)


def describe(error: CommodoreError) -> Iterator[str]:
    """An error as lines: what, where, on the way to what, and what to do."""
    if isinstance(error, SeveralErrors):
        for one in error.errors:
            yield from describe(one)
            yield ""
    yield click.style("error:", fg="red", bold=True) + f" {error}"
    if error.where:
        yield from (f"  {line}" for line in error.where.splitlines())
    yield from (f"  {note}" for note in notes_of(error))
    if error.hint:
        yield ""
        yield click.style("hint:", bold=True) + f" {error.hint}"


def _aborted(abort: click.Abort) -> int:
    if isinstance(abort.__cause__, KeyboardInterrupt):
        _tell("interrupted")
        return INTERRUPTED
    _tell("Aborted!")
    return 1


def _tell(*lines: str) -> None:
    for line in lines:
        click.echo(line, err=True, color=colours())


def _our_bug(error: Exception) -> int:
    import tempfile  # noqa: PLC0415 - only when all else failed
    import traceback  # noqa: PLC0415

    from commodore_py import __version__  # noqa: PLC0415

    with tempfile.NamedTemporaryFile(
        "w", prefix="commodore-", suffix=".log", delete=False, encoding="utf-8"
    ) as log:
        log.write(f"commodore {__version__}, Python {sys.version}\n")
        traceback.print_exception(error, file=log)
    _tell(
        click.style("error:", fg="red", bold=True)
        + f" this is a bug of commodore: {type(error).__name__}: {error}",
        f"  {log.name}",
        "",
        click.style("hint:", bold=True) + " please send us that file, and what you did",
    )
    return OUR_BUG


def _prefer_managed_tools() -> None:
    """Tools that `tool install` manages come before those of the system."""
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    folder = str(Path(cache) / "commodore" / "tools")
    path = os.environ.get("PATH", "")
    if folder not in path.split(os.pathsep):
        os.environ["PATH"] = f"{folder}{os.pathsep}{path}"


def _load_dotenv(start: Path) -> None:
    """Take variables from the nearest `.env`; those already set win."""
    for folder in (start, *start.parents):
        file = folder / ".env"
        if file.is_file() or file.is_fifo():
            from dotenv import load_dotenv  # noqa: PLC0415 - most runs have no such file

            load_dotenv(file, encoding="utf-8")
            return
