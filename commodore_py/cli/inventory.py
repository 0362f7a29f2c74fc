"""`commodore inventory …`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Never, TypeVar

import click

from commodore_py.errors import CommodoreError, NotBuiltYet

from .options import HELP, verbose_option

_Command = TypeVar("_Command", bound=Callable[..., Any])

_LINTERS = ("components", "deprecated-parameters", "packages")
_FORMS = ("json", "yaml")
_SEE_TARGETS = "`catalog compile` leaves inventory/ behind: look at its targets and classes"


@click.group(context_settings=HELP)
@verbose_option
@click.pass_context
def inventory(ctx: click.Context, verbose: int) -> None:
    """Look into a hierarchy, and check it."""
    ctx.obj = ctx.obj.more_verbose(verbose)


def _hierarchy(command: _Command) -> _Command:
    """Which configuration to read, and how to show what is in it."""
    options = (
        # Anything that is no folder ends with our own words and status 1, as it always did.
        click.argument("global_config", type=click.Path(path_type=Path)),
        click.argument("tenant_config", required=False, type=click.Path(path_type=Path)),
        click.option(
            "-o",
            "--output-format",
            type=click.Choice(_FORMS),
            default="yaml",
            show_default=True,
            help="Form of the result on stdout.",
        ),
        click.option(
            "-f",
            "--values",
            multiple=True,
            type=click.Path(exists=True, dir_okay=False, path_type=Path),
            help="Class file with facts and ids of a cluster; repeat for more.",
        ),
        click.option(
            "--allow-missing-classes/--no-allow-missing-classes",
            " /-A",
            default=True,
            help="Pass over classes that are not there, or refuse them.",
        ),
        verbose_option,
    )
    for option in reversed(options):
        command = option(command)
    return command


@inventory.command()
@_hierarchy
def show(global_config: Path, tenant_config: Path | None, **_options: object) -> Never:
    """Show all parameters that a global and a tenant's configuration give."""
    _need_folders(global_config, tenant_config)
    raise NotBuiltYet.named("inventory show", instead=_SEE_TARGETS)


@inventory.command()
@_hierarchy
def components(global_config: Path, tenant_config: Path | None, **_options: object) -> Never:
    """Show where the hierarchy takes components from, and in which version."""
    _need_folders(global_config, tenant_config)
    raise NotBuiltYet.named("inventory components", instead=_SEE_TARGETS)


@inventory.command()
@_hierarchy
def packages(global_config: Path, tenant_config: Path | None, **_options: object) -> Never:
    """Show where the hierarchy takes packages from, and in which version."""
    _need_folders(global_config, tenant_config)
    raise NotBuiltYet.named("inventory packages", instead=_SEE_TARGETS)


@inventory.command(no_args_is_help=True)
@click.argument("target", nargs=-1, type=click.Path(exists=True, path_type=Path))
@click.option(
    "-l",
    "--linter",
    multiple=True,
    default=_LINTERS,
    type=click.Choice(_LINTERS, case_sensitive=False),
    help="Check to run; all unless named; repeat for more.",
)
@click.option("--ignore-patterns", multiple=True, help="Files to pass over; repeat for more.")
@verbose_option
@click.pass_context
def lint(ctx: click.Context, /, target: tuple[Path, ...], **_options: object) -> Never:
    """Check the YAML files in each TARGET for mistakes in components, packages and parameters."""
    if not target:
        raise click.exceptions.NoArgsIsHelpError(ctx)
    raise NotBuiltYet.named("inventory lint", instead="`catalog compile` finds some mistakes too")


def _need_folders(*given: Path | None) -> None:
    for path in given:
        if path is not None and not path.is_dir():
            raise CommodoreError(
                "not a directory" if path.exists() else "no such directory",
                where=str(path),
                hint="name the checkout of a global configuration, and of a tenant's if wanted",
            )
