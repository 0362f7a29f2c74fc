"""Options about which problems are accepted, and where reports are written."""

from __future__ import annotations

from datetime import UTC
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from commodore_py.cli.settings.options import with_options

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from commodore_py.model.problems.tolerance import Ignore, Tolerance

REPORT_FORMS = ("json", "yaml", "sarif", "junit", "markdown", "github")
PROBLEM_OUTPUTS = ("text", *REPORT_FORMS)

problem_output_option = click.option(
    "-o",
    "--output",
    type=click.Choice(PROBLEM_OUTPUTS),
    default="text",
    show_default=True,
    help="Format of the result on stdout.",
)


class _Report(click.ParamType[tuple[str, Path]]):
    """A form and a file."""

    name = "text"

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[str, Path]:
        """Parse `sarif=problems.sarif`."""
        if isinstance(value, tuple):
            return value
        form, mark, file = str(value).partition("=")
        if not mark or not file or form not in REPORT_FORMS:
            self.fail(
                f"{value!r} is not FORM=FILE with one of {', '.join(REPORT_FORMS)}", param, ctx
            )
        return form, Path(file)


def tolerance_options(command: Any, ignore: str = "--ignore") -> Any:
    """Add options about which problems are accepted."""
    return with_options(
        click.option(
            "--max-severity",
            type=click.Choice(("info", "warning", "error")),
            help="Worst severity that does not fail the command; warning by default.",
        ),
        click.option(
            ignore,
            "ignore_problems",
            multiple=True,
            metavar="CODE[:PATTERN]",
            help="Ignore problems of CODE, or of `area/*`, about files, fields or objects that"
            " match; may be repeated.",
        ),
        click.option(
            "--baseline",
            type=click.Path(exists=True, dir_okay=False, path_type=Path),
            metavar="FILE",
            help="Accept the problems that FILE lists.",
        ),
        click.option(
            "--write-baseline",
            type=click.Path(dir_okay=False, path_type=Path),
            metavar="FILE",
            help="Write the problems that are there now to FILE, for --baseline.",
        ),
        click.option(
            "--report",
            "reports",
            type=_Report(),
            multiple=True,
            metavar="FORM=FILE",
            help="Also write the problems to FILE, as json, yaml, sarif, junit, markdown or"
            " github; may be repeated.",
        ),
    )(command)


def compile_tolerance_options(command: Any) -> Any:
    """The same for a command that has an `--ignore` about something else."""
    return tolerance_options(command, "--ignore-problem")


def tolerance_of(options: Mapping[str, Any]) -> Tolerance:
    """What the options accept."""
    from commodore_py.model.problems.tolerance import DEFAULT, Tolerance
    from commodore_py.problems.baseline import read_baseline

    return Tolerance(
        options["max_severity"] or DEFAULT.max_severity,
        tuple(map(_ignore, options["ignore_problems"])),
        read_baseline(options["baseline"]) if options["baseline"] else DEFAULT.baseline,
        options["write_baseline"],
    )


def is_given(options: Mapping[str, Any]) -> bool:
    """Whether any of the options is set."""
    names = ("max_severity", "ignore_problems", "baseline", "write_baseline", "reports")
    return any(options[name] for name in names)


def _ignore(text: str) -> Ignore:
    from commodore_py.errors import UsageError
    from commodore_py.model.problems.codes import is_known
    from commodore_py.model.problems.tolerance import Ignore
    from commodore_py.problems.ignore_file import nearest

    code, _, pattern = text.partition(":")
    if not is_known(code):
        raise UsageError(f"{text}: no problem has the code {code}", hint=nearest(code))
    return Ignore(code, pattern)


def today() -> date:
    """The day in UTC, by which entries of ignore files expire."""
    from datetime import datetime

    return datetime.now(UTC).date()
