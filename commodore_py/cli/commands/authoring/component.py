"""`commodore component …`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from commodore_py.cli import completion
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
from commodore_py.workflows.authoring.component_compile import compile_component
from commodore_py.workflows.authoring.folders import ComponentFolder
from commodore_py.workflows.authoring.templates.kinds import COMPONENT

from . import sync as syncing
from . import templates
from .component_test import beside_option, component_test, fetch_option, shared_lock

_TEMPLATE = "builtin://component"
_COMPILE_SECTIONS = {
    "Input": "values name alias search_paths +with_component",
    "Fetching": "+fetch_dependencies +offline +lock +frozen",
    "Output": "output repo_directory",
    "Compiling": "+strict +cache",
}
_FEATURES: dict[str, bool | None] = {
    "golden-tests": True,
    "lib": False,
    "pp": False,
    "matrix-tests": True,
    "automerge-patch": True,
    "automerge-patch-v0": False,
    "autorelease": True,
}


@click.group(cls=LazyGroup, ours="test")
def component() -> None:
    """Create, compile and test components."""


component.add_command(component_test)


@component.command()
@click.argument("slug")
@template.new_options(_TEMPLATE)
@template.features(_FEATURES)
@template.automerge("add")
@template.test_case_option
@click.pass_obj
def new(settings: Globals, /, **options: Any) -> None:
    """Create the component SLUG from the built-in template or another one."""
    templates.new(COMPONENT, settings, options)


@component.command()
@click.argument("component_path", type=Checkout())
@template.update_options("")
@template.features(dict.fromkeys(_FEATURES))
@template.automerge("add")
@template.automerge("remove")
@template.test_case_option
def update(**options: Any) -> None:
    """Update the component at COMPONENT_PATH from its template."""
    templates.update(COMPONENT, options["component_path"], options)


@component.command()
@click.argument("slug", shell_complete=completion.components)
@click.option("--force/--no-force", default=False, show_default=True, help="Delete without asking.")
@click.pass_context
def delete(ctx: click.Context, /, slug: str, *, force: bool) -> None:
    """Delete the checkout of the component SLUG from the working directory."""
    templates.delete(ctx, slug, force=force)


@component.command(name="compile", cls=Sectioned, sections=_COMPILE_SECTIONS)
@click.argument("path", type=Checkout())
@click.option(
    "-f",
    "--values",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Class file to include; later files take precedence; may be repeated.",
)
@click.option(
    "-a",
    "--alias",
    metavar="ALIAS",
    shell_complete=completion.instances,
    help="Name of the instance to compile.",
)
@click.option(
    "-J",
    "--search-paths",
    multiple=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder to search for imports; may be repeated.",
)
@click.option(
    "-o",
    "--output",
    default="./",
    show_default=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder in which compiled/ is written.",
)
@click.option(
    "-r",
    "--repo-directory",
    default="",
    type=click.Path(file_okay=False),
    help="Ignored; accepted for compatibility.",
)
@click.option(
    "-n", "--name", default="", help="Name of the component; defaults to that of its folder."
)
@beside_option
@fetch_option
@offline_option
@own_lock_options
@strict_option
@cache_option
@click.pass_obj
def compile_(settings: Globals, /, path: Path, **options: Any) -> None:
    """Compile the component at PATH on its own, without a cluster.

    \b
    With the values of a test case, as `make test` of a component does:
      commodore component compile . -f tests/defaults.yml
    """
    if options["repo_directory"]:
        messages.warn("--repo-directory has no effect: omit it")
    config = cached_config(settings, options, local=False)
    alias = options["alias"] or ""
    component = ComponentFolder.find(
        path, options["values"], name=options["name"], alias=alias, beside=options["with_component"]
    )
    known_as = f" as {alias}" if alias else ""
    messages.heading(f"Compiling component {component.instance.component}{known_as}")
    compiled = compile_component(
        config,
        component,
        output=options["output"].resolve(),
        search_paths=tuple(folder.resolve() for folder in options["search_paths"]),
        lock=shared_lock(config),
    )
    streams.result(f"Component compiled to {compiled.folder}", bold=True)
    messages.notices(compiled.notices)


@component.command()
@template.existing_file("component_list")
@template.sync_options
@click.pass_obj
def sync(settings: Globals, /, **options: Any) -> None:
    """Propose template updates to every component in COMPONENT_LIST, a YAML list of repositories.

    \b
    Entries are owner/repository on GitHub:
      - acme/component-one
    """
    syncing.sync(COMPONENT, settings, options["component_list"], options)
