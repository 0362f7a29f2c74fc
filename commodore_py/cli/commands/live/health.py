"""`commodore live health`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from commodore_py.cli.output import formats, messages
from commodore_py.cli.output.live.clusters import NO_HEALTH, status_word
from commodore_py.cli.settings.options import Globals, config_of, output_option
from commodore_py.model.names import counted
from commodore_py.workflows.live.health import health_of, own_rules_here, run_tests

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.workflows.live.health import Case, Judged

_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
_TESTS_FAILED = 1
_VERDICT = ("status", "message")


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
    report = health_of(files, own_rules_here(config_of(settings)), rules)
    content = {
        "schema": "live-health/v1",
        "objects": [
            {**asdict(judged.object.id), "file": judged.object.file, **asdict(judged.health)}
            for judged in report.objects
        ],
        "worst": report.worst,
        "others": report.others,
    }
    formats.show(output, content, map(_line, report.objects))
    if report.others:
        messages.info(f"not objects: {counted(report.others, 'document')}")


def _line(judged: Judged) -> str:
    health = judged.health
    about = [str(judged.object.id), health.message, f"({health.source})"]
    return f"{status_word(health.status)}  {'  '.join(filter(None, about))}"


def _tested(folder: Path, output: str) -> int:
    cases = run_tests(folder)
    failed = [case for case in cases if not case.passed]
    content = {
        "schema": "live-health-test/v1",
        "passed": len(cases) - len(failed),
        "failed": len(failed),
        "cases": [
            {
                "folder": case.folder,
                "input": case.input,
                "passed": case.passed,
                "expected": dict(zip(_VERDICT, case.expected, strict=True)),
                "found": dict(zip(_VERDICT, case.actual, strict=True)),
            }
            for case in cases
        ],
    }
    formats.show(output, content, (line for case in failed for line in _case_lines(case)))
    if output == "text":
        messages.info(f"{counted(len(cases), 'case')}, {len(failed)} failed")
    return _TESTS_FAILED if failed else 0


def _case_lines(case: Case) -> Iterator[str]:
    """A failed test for people."""
    yield f"{case.folder}: {case.input}"
    for word, (status, message) in (("expected", case.expected), ("found", case.actual)):
        yield f"  {word:8}  {status or NO_HEALTH}  {message}".rstrip()
