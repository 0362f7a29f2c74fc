"""`commodore component test`, and what `package test` shares with it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from commodore_py.cli import completion
from commodore_py.cli.command_classes import Sectioned
from commodore_py.cli.output import streams
from commodore_py.cli.recording import recording, recording_options
from commodore_py.cli.settings.options import (
    DIFF_FORMS,
    Globals,
    cache_options,
    cache_settings,
    config_of,
    engine_options,
    helm_option,
    lock_settings,
    offline_option,
    output_option,
    own_lock_options,
    verbose_option,
)
from commodore_py.cli.settings.types import MOST_PROCESSES

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from commodore_py.config import Config
    from commodore_py.dependencies.lock.shared import SharedLock
    from commodore_py.model.problems.checks import CheckSettings
    from commodore_py.workflows.authoring.folder_kind import Kind
    from commodore_py.workflows.authoring.testing.cases import Suite
    from commodore_py.workflows.authoring.testing.report import Report
    from commodore_py.workflows.authoring.testing.run import CaseRun

    Start = Callable[[Config, Suite, SharedLock | None], Generator[CaseRun, None, None]]

FAILED = 1
TEST_SECTIONS = {
    "Test cases": "case fail_fast watch",
    "Fetching": "offline lock frozen",
    "Results": "update diff output junit",
    "Compiling": "strict helm_nondeterminism engine",
    "Performance": "processes cache verify_cache explain_cache timings trace",
}
_SECTIONS = {
    **TEST_SECTIONS,
    "Test cases": "name alias search_paths with_component case fail_fast watch",
    "Fetching": "fetch_dependencies offline lock frozen",
    "Checks": "check check_only",
}

# What a compile writes by itself, at the top of a repository.
_GENERATED = (
    *(".cache", "compiled", "dependencies", "helmcharts", "jsonnetfile.lock.json", "vendor"),
)
_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


def fetch_option(command: Any) -> Any:
    """Add the option to fetch dependencies."""
    return click.option(
        "--fetch-dependencies/--no-fetch-dependencies",
        " /-F",
        default=True,
        help="Fetch Jsonnet libraries and downloads of components, or use what is there already.",
    )(command)


def beside_option(command: Any) -> Any:
    """Add the option for further components."""
    return click.option(
        "--with-component",
        multiple=True,
        type=_FOLDER,
        metavar="DIRECTORY",
        help="Another component whose defaults and libraries are available; may be repeated.",
    )(command)


def test_options(command: Any) -> Any:
    """Add the options of `component test` and `package test`."""
    for option in reversed(
        (
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
            click.option("--fail-fast", is_flag=True, help="Stop at the first case that fails."),
            click.option(
                "--diff",
                type=click.Choice(DIFF_FORMS),
                default="objects",
                show_default=True,
                help="Show differences as lines, as Kubernetes objects, as numbers of lines, or"
                " not at all.",
            ),
            click.option(
                "--junit",
                type=click.Path(dir_okay=False, path_type=Path),
                metavar="FILE",
                help="Also write a JUnit report to FILE.",
            ),
            click.option(
                "--watch",
                is_flag=True,
                help="Run the tests again whenever a file changes, until Ctrl-C.",
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
            cache_options,
            engine_options,
            helm_option,
            recording_options,
            verbose_option,
        )
    ):
        command = option(command)
    return command


@click.command(name="test", cls=Sectioned, sections=_SECTIONS)
@click.argument("path", type=_FOLDER, default=".")
@test_options
@click.option(
    "-J",
    "--search-paths",
    multiple=True,
    type=_FOLDER,
    help="Folder to search for imports, instead of those in the Makefile; may be repeated.",
)
@click.option(
    "-n", "--name", default="", help="Name of the component; defaults to that in the Makefile."
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
@click.option(
    "--check",
    is_flag=True,
    help="Also check the output of each case, as `catalog check` does; an error fails the case.",
)
@click.option(
    "--check-only",
    multiple=True,
    metavar="NAME",
    help="Also check the output by this check; may be repeated.",
)
@click.pass_obj
@recording
def component_test(settings: Globals, /, path: Path, **options: Any) -> int:
    """Compile all test cases of the component at PATH and compare them with the expected output.

    \b
    Test cases are tests/*.yml, as listed in the Makefile and in CI. Expected output is in
    tests/golden/. To accept the new output:
      commodore component test --update
    """
    from commodore_py.workflows.authoring.testing import component as flow

    compile_settings = flow.Settings(
        name=options["name"],
        alias=options["alias"],
        search_paths=tuple(folder.resolve() for folder in options["search_paths"]),
        beside=options["with_component"],
    )
    return run_tests(
        "component",
        settings,
        path,
        options,
        lambda config, suite, lock: flow.compile_cases(config, suite, compile_settings, lock),
        watched=options["with_component"],
    )


def run_tests(
    kind: Kind,
    settings: Globals,
    path: Path,
    options: dict[str, Any],
    start: Start,
    *,
    watched: tuple[Path, ...] = (),
) -> int:
    """Run the tests once, or after every change; returns the exit code."""
    from commodore_py.cli.output import messages
    from commodore_py.errors import CommodoreError, UsageError

    if options["watch"] and (options["output"] != "text" or options["junit"]):
        raise UsageError(
            "--watch cannot be combined with --output or --junit",
            hint="omit --watch, or --output and --junit",
        )
    config = _config(settings, options)
    if not options["watch"]:
        report = _run_once(kind, config, path, options, start)
        _write(report, options)
        _print_notices(report)
        return _code(report)
    from commodore_py.adapters.files.watch import Watched
    from commodore_py.cli.output import test_results
    from commodore_py.inventory.engine.reader import warn_again

    last: Report | None = None
    files = Watched((folder.resolve() for folder in (path, *watched)), _GENERATED)
    try:
        while True:
            try:
                warn_again()
                report = _run_once(kind, config, path, options, start)
                streams.result(test_results.changes_since(last, report, options["diff"]))
                last = report
                _print_notices(report)
            except CommodoreError as error:
                messages.error(error)
            messages.info("Waiting for changes; press Ctrl-C to stop")
            messages.heading(f"Changed: {test_results.shortened(files.wait())}")
    except KeyboardInterrupt:
        return 0 if last is None else _code(last)


def _run_once(
    kind: Kind, config: Config, path: Path, options: dict[str, Any], start: Start
) -> Report:
    from commodore_py.cli.output import cache_use, messages, test_results
    from commodore_py.workflows.authoring.testing.cases import find_suite
    from commodore_py.workflows.authoring.testing.report import RunOptions, build_report
    from commodore_py.workflows.authoring.testing.run import with_lock

    suite = find_suite(kind, path, options["case"])
    messages.heading(test_results.opening(suite))
    manner = RunOptions(
        options["update"],
        options["fail_fast"],
        everything=not options["case"],
        strict=options["strict"],
    )
    lock = shared_lock(config)
    with cache_use.reported(config):
        running = start(config, suite, lock)
        if lock is not None:
            running = with_lock(running, lock)
        report = build_report(
            suite,
            running,
            manner,
            on_outcome=lambda outcome: messages.info(test_results.progress(outcome)),
        )
    if lock is not None and (lock.refuses or not report.not_run):
        everything = manner.everything and config.fetch_dependencies
        messages.notices(lock.finish(cases=len(suite.cases) if everything else 0))
    return report


def shared_lock(config: Config) -> SharedLock | None:
    """The lock of a component or a package, if the command line names one."""
    if config.lock_file is None:
        return None
    from commodore_py.dependencies.lock.shared import SharedLock

    return SharedLock.open(config, config.lock_file)


def _write(report: Report, options: dict[str, Any]) -> None:
    from commodore_py.cli.output import formats, test_results

    if options["junit"]:
        test_results.write_junit(options["junit"], report)
    if options["output"] == "text":
        streams.result(test_results.report(report, options["diff"]))
    else:
        streams.data(formats.structured(test_results.as_data(report), options["output"]))


def _print_notices(report: Report) -> None:
    from commodore_py.cli.output import messages

    refused = report.refused
    messages.notices(notice for notice in report.notices() if notice not in refused)
    if refused:
        from commodore_py.pipeline import raise_refused

        raise_refused(refused, strict=True)


def _code(report: Report) -> int:
    return 0 if report.good else FAILED


def _config(settings: Globals, options: dict[str, Any]) -> Config:
    from commodore_py.cli.settings import directories

    locked = lock_settings(options)
    return config_of(
        settings.more_verbose(options["verbose"]),
        engine=options["engine"],
        strict=options["strict"],
        helm_nondeterminism=options["helm_nondeterminism"],
        offline=options["offline"],
        local=options["offline"] and not locked,
        fetch_dependencies=options.get("fetch_dependencies", True),
        processes=options["processes"],
        checks=_checks(options),
        **locked,
        **{**directories.caches_in(directories.cache_folder()), **cache_settings(options)},
    )


def _checks(options: dict[str, Any]) -> CheckSettings | None:
    if not (options.get("check") or options.get("check_only")):
        return None
    from commodore_py.model.problems.checks import CheckSettings
    from commodore_py.workflows.catalog.check import refuse_unknown

    refuse_unknown(options["check_only"])
    return CheckSettings(options["check_only"])
