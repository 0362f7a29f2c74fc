"""`commodore live health`."""

from __future__ import annotations

from pathlib import Path

import click

from commodore_py.cli.output import formats, messages
from commodore_py.cli.settings.options import Globals, config_of, output_option
from commodore_py.model.names import counted
from commodore_py.workflows.live.health import health_of, run_tests
from commodore_py.workflows.live.own_rules import own_rules_here

_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
_TESTS_FAILED = 1


@click.command()
@click.argument("files", nargs=-1, metavar="[FILE]...")
@click.option(
    "--rules",
    multiple=True,
    type=_FOLDER,
    metavar="FOLDER",
    help="Rules in Lua, in Argo CD's layout GROUP/KIND/health.lua; may be repeated.",
)
@click.option(
    "--test",
    "tests",
    type=_FOLDER,
    metavar="FOLDER",
    help="Run the tests of the rules in FOLDER, the files health_test.yaml, instead.",
)
@output_option
@click.pass_obj
def health(
    settings: Globals,
    /,
    files: tuple[str, ...],
    rules: tuple[Path, ...],
    tests: Path | None,
    output: str,
) -> int:
    """Show the health of the objects in files and folders, and which rule decides it.

    FILE is - for stdin. Rules of the hierarchy that was compiled here
    (parameters.commodore.live.health) come first, then those of folders, those of Argo CD for
    Kubernetes' own kinds, and the conventions of kstatus. A sync of Argo CD does not wait for an
    object without health. `live status` judges the objects of a cluster.

    \b
    What is unhealthy in a namespace:
      kubectl get all -n some-namespace -o yaml | commodore live health -
    With rules of your own:
      commodore live health objects.yaml --rules rules/
    The tests of these rules:
      commodore live health --test rules/
    """
    if tests is not None:
        if files or rules:
            raise click.UsageError("--test takes no files and no rules.")
        return _tested(tests, output)
    if not files:
        raise click.UsageError("Name a file; - is stdin.")
    _judged(settings, files, rules, output)
    return 0


def _judged(
    settings: Globals, files: tuple[str, ...], rules: tuple[Path, ...], output: str
) -> None:
    from commodore_py.cli.output.live import health

    report = health_of(files, own_rules_here(config_of(settings)), rules)
    formats.show(output, health.report(report), health.report_lines(report))
    if report.others:
        messages.info(f"not objects: {counted(report.others, 'document')}")


def _tested(folder: Path, output: str) -> int:
    from commodore_py.cli.output.live import health

    cases = run_tests(folder)
    failed = [case for case in cases if not case.passed]
    lines = (line for case in failed for line in health.case_lines(case))
    formats.show(output, health.tests(cases), lines)
    if output == "text":
        messages.info(f"{counted(len(cases), 'case')}, {len(failed)} failed")
    return _TESTS_FAILED if failed else 0
