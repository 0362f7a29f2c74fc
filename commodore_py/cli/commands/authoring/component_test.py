"""`commodore component test`, and what `package test` shares with it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from commodore_py.cli import completion
from commodore_py.cli.command_classes import Sectioned
from commodore_py.cli.output import formats, messages, streams, test_results
from commodore_py.cli.settings.options import (
    Globals,
    cache_option,
    cached_config,
    offline_option,
    output_option,
    own_lock_options,
    strict_option,
    with_options,
)
from commodore_py.cli.settings.types import MOST_PROCESSES, Checkout
from commodore_py.dependencies.lock.shared import SharedLock
from commodore_py.problems.refuse import refuse
from commodore_py.workflows.authoring.testing.cases import build_report, find_suite
from commodore_py.workflows.authoring.testing.compiles import component_cases, with_lock

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

    from commodore_py.config import Config
    from commodore_py.workflows.authoring.testing.cases import CaseRun, Outcome, Report, Suite

    Start = Callable[[Config, Suite, SharedLock | None], Generator[CaseRun, None, None]]

FAILED = 1
TEST_SECTIONS = {
    "Test cases": "case",
    "Fetching": "offline lock frozen",
    "Results": "update output",
    "Compiling": "strict processes cache",
}
_SECTIONS = {
    **TEST_SECTIONS,
    "Test cases": "name alias search_paths with_component case",
    "Fetching": "fetch_dependencies offline lock frozen",
}


fetch_option = click.option(
    "--fetch-dependencies/--no-fetch-dependencies",
    " /-F",
    default=True,
    help="Fetch Jsonnet libraries and downloads of components, or use what is there already.",
)
"""The option to fetch dependencies."""


beside_option = click.option(
    "--with-component",
    multiple=True,
    type=Checkout(),
    metavar="DIRECTORY",
    help="Another component whose defaults and libraries are available; may be repeated.",
)
"""The option for further components."""


test_options = with_options(
    click.option(
        "--case",
        multiple=True,
        metavar="NAME",
        shell_complete=completion.cases_to_test,
        help="Run only these test cases; * matches anything; may be repeated.",
    ),
    click.option(
        "--update",
        is_flag=True,
        help="Accept the output as expected output, and remove expected output without a"
        " test case.",
    ),
    click.option(
        "--processes",
        type=click.IntRange(min=0, max=MOST_PROCESSES),
        default=0,
        show_default=True,
        help="Number of cases compiled in parallel; 0 uses all available CPUs.",
    ),
    output_option,
    offline_option,
    own_lock_options,
    cache_option,
    strict_option,
)
"""The options of `component test` and `package test`."""


@click.command(name="test", cls=Sectioned, sections=_SECTIONS)
@click.argument("path", type=Checkout(), default=".")
@test_options
@click.option(
    "-J",
    "--search-paths",
    multiple=True,
    type=Checkout(),
    help="Folder to search for imports, by default the component; may be repeated.",
)
@click.option(
    "-n",
    "--name",
    default="",
    help="Name of the component; defaults to that of its template or folder.",
)
@click.option(
    "-a",
    "--alias",
    default="",
    metavar="ALIAS",
    help="Name of the instance to compile; {case} is replaced by the name of the case.",
)
@beside_option
@fetch_option
@click.pass_obj
def component_test(settings: Globals, /, path: Path, **options: Any) -> int:
    """Compile all test cases of the component at PATH and compare them with the expected output.

    \b
    Test cases are tests/*.yml, or those of .cruft.json. Expected output is in
    tests/golden/. To accept the new output:
      commodore component test --update
    """
    start = partial(
        component_cases,
        name=options["name"],
        alias=options["alias"],
        search_paths=tuple(folder.resolve() for folder in options["search_paths"]),
        beside=options["with_component"],
    )
    return run_tests(settings, path, options, start)


def run_tests(settings: Globals, path: Path, options: dict[str, Any], start: Start) -> int:
    """Run the tests; returns the exit code."""
    report = _report(cached_config(settings, options), path, options, start)
    formats.show(options["output"], test_results.as_data(report), test_results.ending(report))
    refused = report.refused
    messages.notices(notice for notice in report.notices() if notice not in refused)
    if refused:
        refuse(refused, strict=True)
    return 0 if report.good else FAILED


def _report(config: Config, path: Path, options: dict[str, Any], start: Start) -> Report:
    suite = find_suite(path, options["case"])
    messages.heading(test_results.opening(suite))
    lock = shared_lock(config)
    running = start(config, suite, lock)

    def show(outcome: Outcome) -> None:
        if options["output"] == "text":
            streams.result("\n".join(test_results.case_lines(outcome)))
        else:
            messages.info(test_results.progress(outcome))

    if lock is not None:
        running = with_lock(running, lock)
    report = build_report(
        suite,
        running,
        show,
        update=options["update"],
        everything=not options["case"],
        strict=options["strict"],
    )
    if lock is not None and (lock.refuses or not report.not_run):
        everything = not options["case"] and config.fetch_dependencies
        messages.notices(lock.finish(cases=len(suite.cases) if everything else 0))
    return report


def shared_lock(config: Config) -> SharedLock | None:
    """The lock of a component or a package, if the command line names one."""
    if config.lock_file is None:
        return None

    return SharedLock.open(config, config.lock_file)
