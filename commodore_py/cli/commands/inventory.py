"""`commodore inventory …`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from commodore_py.cli import completion
from commodore_py.cli.command_classes import LazyGroup
from commodore_py.cli.output import inventory_formats as inventory_forms
from commodore_py.cli.output import messages, streams
from commodore_py.cli.output.problems import Outcome
from commodore_py.cli.settings import dynamic_facts
from commodore_py.cli.settings.options import (
    api_settings,
    config_of,
    own_api_options,
    problem_output_option,
    with_options,
)
from commodore_py.config import WorkPaths
from commodore_py.errors import CommodoreError
from commodore_py.inventory import lint as linting
from commodore_py.problems.judge import verdict_of
from commodore_py.workflows.inventory import hierarchy as inspect_hierarchy
from commodore_py.workflows.inventory import sources as inspect_sources

if TYPE_CHECKING:
    from collections.abc import Mapping

    from commodore_py.model.inventory import Parameters


_COMMANDS = {
    "explain": (".explain:explain", "Show why a parameter has its value."),
}
_LINTERS = ("components", "deprecated-parameters", "packages", "classes")
_FORMS = ("json", "yaml")


@click.group(cls=LazyGroup, commands_at=_COMMANDS, ours="explain")
def inventory() -> None:
    """Inspect and lint a hierarchy."""


_hierarchy = with_options(
    # A path that is not a folder is an error with status 1, as in Commodore.
    click.argument("global_config", required=False, type=click.Path(path_type=Path)),
    click.argument("tenant_config", required=False, type=click.Path(path_type=Path)),
    click.option(
        "-o",
        "--output-format",
        type=click.Choice(_FORMS),
        default="yaml",
        show_default=True,
        help="Format of the result on stdout.",
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
        help="Ignore missing classes, or report them as errors.",
    ),
    click.option(
        "--fact",
        multiple=True,
        allow_from_autoenv=False,
        metavar="KEY=VALUE",
        help="Fact of the cluster that overrides the known one; repeat for more.",
    ),
    click.option(
        "--cluster",
        allow_from_autoenv=False,
        metavar="CLUSTER",
        shell_complete=completion.clusters,
        help="Fetch the hierarchy of this cluster, instead of GLOBAL_CONFIG.",
    ),
    click.option(
        "--target",
        allow_from_autoenv=False,
        metavar="TARGET",
        shell_complete=completion.targets,
        help="Target of the cluster or working directory; `cluster` by default.",
    ),
    own_api_options,
)
"""Options for the hierarchy to read, and the form of the result."""


@inventory.command()
@_hierarchy
@click.pass_context
def show(ctx: click.Context, /, **options: Any) -> None:
    """Show all parameters of a hierarchy.

    \b
    Of two checkouts, for a cluster that may not exist:
      commodore inventory show ./global ./tenant --fact cloud=aws
    Of the working directory, as the last compile left it:
      commodore inventory show --target argocd
    Of a cluster, fetched for this:
      commodore inventory show --cluster c-demo-1
    """
    parameters = _parameters(ctx, options)
    streams.data(inventory_forms.data(parameters, options["output_format"]))


@inventory.command()
@_hierarchy
@click.pass_context
def components(ctx: click.Context, /, **options: Any) -> None:
    """Show the sources and versions of components in the hierarchy."""
    _show_key(ctx, options, "components")


@inventory.command()
@_hierarchy
@click.pass_context
def packages(ctx: click.Context, /, **options: Any) -> None:
    """Show the sources and versions of packages in the hierarchy."""
    _show_key(ctx, options, "packages")


@inventory.command(no_args_is_help=True)
@click.argument("target", nargs=-1, type=click.Path(exists=True, path_type=Path))
@click.option(
    "-l",
    "--linter",
    multiple=True,
    default=_LINTERS,
    type=click.Choice(_LINTERS, case_sensitive=False),
    help="Check to run, all by default; repeat for more.",
)
@click.option("--ignore-patterns", multiple=True, help="Files to ignore; repeat for more.")
@problem_output_option
@click.pass_context
def lint(
    ctx: click.Context,
    /,
    target: tuple[Path, ...],
    linter: tuple[str, ...],
    ignore_patterns: tuple[str, ...],
    output: str,
) -> int:
    """Check the YAML files in each TARGET for mistakes in components, packages and parameters.

    Given a global configuration and a tenant's, it also reports what neither of them uses.
    """
    if not target:
        raise click.exceptions.NoArgsIsHelpError(ctx)

    trees = [linting.read_tree(path, ignore_patterns) for path in target]
    for tree in trees:
        if tree.target.is_dir() and not tree.findings and not tree.has_classes:
            what = "classes: no rules of a hierarchy apply" if tree.documents else ""
            messages.warn(f"no {what or 'YAML files: nothing was checked'}", where=str(tree.target))
    defaults = WorkPaths(ctx.obj.working_dir).classes / "defaults"
    problems = (*linting.lint(trees, linter), *linting.unknown_parameters(trees, defaults))
    verdict = verdict_of(problems, target)
    outcome = Outcome(verdict, "inventory lint")
    streams.result(inventory_forms.findings(problems, outcome, output))
    return 1 if outcome.verdict.failing else 0


def _show_key(ctx: click.Context, options: dict[str, Any], key: str) -> None:
    content = _parameters(ctx, options).get(key, {})
    streams.data(inventory_forms.data(content, options["output_format"]))


def _parameters(ctx: click.Context, options: dict[str, Any]) -> Parameters:
    parsed = dynamic_facts.parse(options["fact"])
    settings = ctx.obj
    for warning in parsed.warnings:
        messages.warn(warning.removeprefix("dynamic "))
    if options["cluster"]:
        _refuse_beside(ctx, "--cluster", options, "global_config", "values")
        return inspect_sources.parameters_of_cluster(
            config_of(settings, **api_settings(options)),
            options["cluster"],
            options["target"],
            parsed.facts,
        )
    config = config_of(settings)
    if options["global_config"]:
        _refuse_beside(ctx, "GLOBAL_CONFIG", options, "target")
        _need_folders(options["global_config"], options["tenant_config"])
        source = inspect_sources.of_configuration(
            options["global_config"], options["tenant_config"], options["values"], parsed.facts
        )
    elif inspect_sources.is_compiled(config.paths):
        _refuse_beside(ctx, "the working directory", options, "values")
        source = inspect_sources.of_working_directory(config.paths, options["target"], parsed.facts)
    else:
        raise click.MissingParameter(
            "Name it, or --cluster; or compile in the working directory first.",
            ctx,
            next(param for param in ctx.command.params if param.name == "global_config"),
        )
    return inspect_hierarchy.parameters_of(
        source, engine=config.engine, missing_ok=options["allow_missing_classes"]
    )


def _refuse_beside(
    ctx: click.Context, source: str, options: Mapping[str, Any], *others: str
) -> None:
    for param in ctx.command.params:
        if param.name in others and options[param.name]:
            raise click.UsageError(f"{param.get_error_hint(ctx)} cannot go with {source}.", ctx)


def _need_folders(*given: Path | None) -> None:
    for path in given:
        if path is not None and not path.is_dir():
            raise CommodoreError(
                "not a directory" if path.exists() else "no such directory",
                where=str(path),
                hint="name the checkout of a global configuration, and of a tenant's if wanted;"
                " a target is named by --target",
            )
