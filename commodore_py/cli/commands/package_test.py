"""`commodore package test`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from commodore_py.cli.command_classes import Sectioned
from commodore_py.errors import UsageError
from commodore_py.workflows.authoring.testing import package as flow

from .component_test import TEST_SECTIONS, run_tests, test_options

if TYPE_CHECKING:
    from commodore_py.cli.settings.options import Globals

_SECTIONS = {**TEST_SECTIONS, "Fetching": "tmp_dir offline lock frozen"}


@click.command(name="test", cls=Sectioned, sections=_SECTIONS)
@click.argument("path", type=click.Path(exists=True, file_okay=False, path_type=Path), default=".")
@test_options
@click.option(
    "--tmp-dir",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIRECTORY",
    help="Compile in this folder and keep what is fetched; required with --offline.",
)
@click.pass_obj
def package_test(settings: Globals, /, path: Path, **options: Any) -> int:
    """Compile all test cases of the package at PATH and compare them with the expected output.

    \b
    Test cases are tests/*.yml, or those that CI runs. Expected output is in
    tests/golden/. To accept the new output:
      commodore package test --update
    """
    keep: Path | None = options["tmp_dir"]
    if options["offline"] and keep is None and options["lock"] is None:
        raise UsageError(
            "--offline requires components that were fetched before",
            hint="run the tests once with --tmp-dir FOLDER, then with --offline --tmp-dir FOLDER",
        )
    return run_tests(
        "package",
        settings,
        path,
        options,
        lambda config, suite, lock: flow.compile_cases(config, suite, keep, lock),
    )
