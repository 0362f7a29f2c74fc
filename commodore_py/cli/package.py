"""`commodore package …`."""

from __future__ import annotations

from pathlib import Path
from typing import Never

import click

from commodore_py.errors import NotBuiltYet

from . import template_options as template
from .options import HELP, engine_options, verbose_option

_TEMPLATE = "https://github.com/projectsyn/commodore-config-package-template.git"


@click.group(context_settings=HELP)
@verbose_option
@click.pass_context
def package(ctx: click.Context, verbose: int) -> None:
    """Write and test packages (not built yet: the options are known, the work is not)."""
    ctx.obj = ctx.obj.more_verbose(verbose)


@package.command()
@click.argument("slug")
@template.new_options(_TEMPLATE)
@template.feature("golden-tests", default=True, about="Compare with a stored result.")
@template.test_case_option
@verbose_option
def new(**_options: object) -> Never:
    """Write a new package from the template."""
    raise NotBuiltYet.named("package new", instead="copy a package that you know")


@package.command()
@template.existing_folder("package_path")
@template.update_options(None)
@template.feature("golden-tests", default=None, about="Compare with a stored result.")
@template.test_case_option
@verbose_option
def update(**_options: object) -> Never:
    """Bring the package at PACKAGE_PATH up to date with its template."""
    raise NotBuiltYet.named("package update", instead="merge the template's changes with git")


@package.command(name="compile")
@template.existing_folder("path")
@click.argument("test_class", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "-f",
    "--values",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Class file to include before the test class; repeat for more.",
)
@click.option("--local", is_flag=True, help="Use the folder of --tmp-dir as it is.")
@click.option(
    "--fetch-dependencies/--no-fetch-dependencies",
    " /-F",
    default=True,
    help="With --local: fetch Jsonnet libraries and what components download, or not.",
)
@click.option(
    "-k",
    "--keep-dir/--no-keep-dir",
    default=False,
    show_default=True,
    help="Keep the folder in which it was compiled.",
)
@click.option(
    "--tmp-dir",
    default="",
    type=click.Path(),
    help="Compile in this folder, and keep it.",
)
@engine_options
@verbose_option
def compile_(**_options: object) -> Never:
    """Compile the package at PATH by itself, with the class file TEST_CLASS in it."""
    raise NotBuiltYet.named(
        "package compile", instead="compile a cluster of the demo that includes the package"
    )


@package.command()
@template.existing_file("package_list")
@template.sync_options
@verbose_option
def sync(**_options: object) -> Never:
    """Offer template updates to every package in PACKAGE_LIST, a YAML list of repositories."""
    raise NotBuiltYet.named("package sync", instead="update the packages one by one")
