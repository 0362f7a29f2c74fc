"""`commodore package …`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from commodore_py.cli.command_classes import LazyGroup, Sectioned
from commodore_py.cli.output import messages, streams
from commodore_py.cli.settings import template_options as template
from commodore_py.cli.settings.options import (
    Globals,
    cache_option,
    cached_config,
    offline_option,
    own_lock_options,
    strict_option,
)
from commodore_py.cli.settings.types import Checkout
from commodore_py.errors import UsageError
from commodore_py.workflows.authoring.folders import PackageFolder
from commodore_py.workflows.authoring.package_compile import compile_package
from commodore_py.workflows.authoring.templates.kinds import PACKAGE
from commodore_py.workflows.authoring.testing.compiles import package_cases

from . import sync as syncing
from . import templates
from .component_test import TEST_SECTIONS, run_tests, shared_lock, test_options

_SECTIONS = {**TEST_SECTIONS, "Fetching": "tmp_dir offline lock frozen"}


@click.command(name="test", cls=Sectioned, sections=_SECTIONS)
@click.argument("path", type=Checkout(), default=".")
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
    Test cases are tests/*.yml, or those of .cruft.json. Expected output is in
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
        settings,
        path,
        options,
        lambda config, suite, lock: package_cases(config, suite, keep, lock),
    )


_TEMPLATE = "builtin://package"
_COMPILE_SECTIONS = {
    "Input": "values",
    "Fetching": "local fetch_dependencies +offline +lock +frozen",
    "Working directory": "tmp_dir keep_dir",
    "Compiling": "+strict +cache",
}


@click.group(cls=LazyGroup, ours="test")
def package() -> None:
    """Create, compile and test packages."""


package.add_command(package_test)


@package.command()
@click.argument("slug")
@template.new_options(_TEMPLATE)
@template.features({"golden-tests": True})
@template.test_case_option
@click.pass_obj
def new(settings: Globals, /, **options: Any) -> None:
    """Create the package SLUG from the built-in template or another one."""
    templates.new(PACKAGE, settings, options)


@package.command()
@click.argument("package_path", type=Checkout())
@template.update_options(None)
@template.features({"golden-tests": None})
@template.test_case_option
def update(**options: Any) -> None:
    """Update the package at PACKAGE_PATH from its template."""
    templates.update(PACKAGE, options["package_path"], options)


@package.command(name="compile", cls=Sectioned, sections=_COMPILE_SECTIONS)
@click.argument("path", type=Checkout())
@click.argument("test_class", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "-f",
    "--values",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Class file to include before the test class; may be repeated.",
)
@click.option("--local", is_flag=True, help="Use the folder of --tmp-dir as it is.")
@click.option(
    "--fetch-dependencies/--no-fetch-dependencies",
    " /-F",
    default=True,
    help="With --local: fetch or do not fetch Jsonnet libraries and downloads of components.",
)
@click.option(
    "-k",
    "--keep-dir/--no-keep-dir",
    default=False,
    show_default=True,
    help="Keep the temporary working directory.",
)
@click.option(
    "--tmp-dir",
    default="",
    type=click.Path(),
    help="Compile in this folder and keep it.",
)
@offline_option
@own_lock_options
@strict_option
@cache_option
@click.pass_obj
def compile_(settings: Globals, /, path: Path, test_class: Path, **options: Any) -> None:
    """Compile the package at PATH on its own, with the class file TEST_CLASS."""
    config, tmp_dir = cached_config(settings, options), options["tmp_dir"]
    package = PackageFolder.find(path, test_class, options["values"])
    messages.heading(f"Compiling package {package.name} with {test_class}")
    keep = settings.working_dir / tmp_dir if tmp_dir else None
    lock = shared_lock(config)
    compiled = compile_package(config, package, keep=keep, kept=options["keep_dir"], lock=lock)
    streams.result(f"Package compiled to {compiled.folder}", bold=True)
    if compiled.kept:
        messages.info(
            f"Kept the working directory {compiled.kept}; to use it again without fetching:"
            f" --tmp-dir {compiled.kept} --local"
        )
    messages.notices(compiled.notices)


@package.command()
@template.existing_file("package_list")
@template.sync_options
@click.pass_obj
def sync(settings: Globals, /, **options: Any) -> None:
    """Propose template updates to every package in PACKAGE_LIST, a YAML list of repositories.

    \b
    Entries are owner/repository on GitHub:
      - acme/package-one
    """
    syncing.sync(PACKAGE, settings, options["package_list"], options)
