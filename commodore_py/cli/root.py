"""The `commodore` command itself and its global options."""

from __future__ import annotations

import os
from pathlib import Path

import click
from click.core import ParameterSource

from commodore_py import __version__
from commodore_py.adapters import time_limits
from commodore_py.errors import CommodoreError, UsageError

from .command_classes import VERBOSE_HELP, LazyGroup
from .output import log, messages
from .output.log import colours
from .settings import directories, origins, user_file
from .settings.options import Globals
from .settings.types import SECONDS, size_of

_WIDEST = 100
RESULT_CACHE_LIMIT = 2 << 30
_COMMANDS = {
    "bundle": (".bundle:bundle", "Publish and use tested sets of versions."),
    "cache": (".cache:cache", "Show and prune this user's caches."),
    "catalog": (".catalog:catalog", "Compile, list and clean cluster catalogs."),
    "cluster": (".edit.facts:cluster", "Add clusters to a folder of facts."),
    "component": (".authoring.component:component", "Create, compile and test components."),
    "completion": (".first_steps:completion", "Print the completion script for a shell."),
    "config": (".config:config", "Show settings and where they come from."),
    "demo": (".first_steps:demo", "Create a playground that needs no server."),
    "doctor": (".doctor:doctor", "Check this machine and report problems."),
    "edit": (".edit.commands:edit", "Change a parameter in the class file where it belongs."),
    "fetch-token": (".login:fetch_token", "Print a token for the API."),
    "init": (".first_steps:init", "Create an installation, or set up this machine."),
    "inventory": (".inventory:inventory", "Inspect and lint a hierarchy."),
    "live": (".live:live", "Compare a catalog with its cluster, and apply it."),
    "lock": (".lock:lock", "Lock all inputs of a cluster, and update them one by one."),
    "login": (".login:login", "Log in to the API."),
    "logout": (".login:logout", "Remove the token of a login."),
    "package": (".authoring.package:package", "Create, compile and test packages."),
    "plan": (".plan:plan", "Show, check and simulate the order of a deployment."),
    "serve": (
        "commodore_py.serve.command:serve",
        "Serve clusters over HTTP, with a page for people.",
    ),
    "tenant": (".edit.facts:tenant", "Add tenants to a folder of facts."),
    "tool": (".tool:tool", "Install helm, jb, kustomize and opa."),
    "version": (".version:version", "Show the versions of commodore and its tools."),
}
_SECTIONS = {
    "Every day": "catalog edit inventory",
    "Components and packages": "component package",
    "Configuration": "bundle cluster lock tenant",
    "Deployment": "live plan serve",
    "Setup": "cache completion config demo doctor fetch-token init login logout tool version",
}


_ANYWHERE = ("completion", "component", "demo", "init", "package", "version")


class _Root(LazyGroup):
    """Reads the user's settings file before the options."""

    adds_verbose = False

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the global options; help needs no settings, and works with broken ones."""
        ctx.meta[origins.DOTENV] = ctx.obj
        if not {"-h", "--help", "--version"} & set(args):
            try:
                user_file.keep(ctx, user_file.read(ctx, self))
            except CommodoreError:
                rest = super().parse_args(ctx, args)
                if ctx.resilient_parsing:  # completion works in spite of it
                    return rest
                # Reported in the requested format.
                log.set_up(form=ctx.params["log_format"])
                raise
        return super().parse_args(ctx, args)


class _NoColor(click.Option):
    """Set by NO_COLOR with any value; see https://no-color.org."""

    def resolve_envvar_value(self, ctx: click.Context) -> str | None:
        """Return whether one of its variables is set."""
        return "true" if os.environ.get("NO_COLOR") else super().resolve_envvar_value(ctx)


@click.command(
    cls=_Root,
    commands_at=_COMMANDS,
    ours="bundle cache cluster completion config demo doctor edit init live lock logout plan"
    " serve tenant",
    sections=_SECTIONS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": _WIDEST},
    epilog="New here? `commodore demo` creates a playground, and `commodore init DIRECTORY` an"
    " installation.",
)
# COMMODORE_VERSION may be set for other purposes, such as container tags.
# Its name differs from the command `version`, which may have a section in the settings file.
@click.version_option(
    __version__, "--version", "show_version", prog_name="commodore", allow_from_autoenv=False
)
@click.option("-v", "--verbose", count=True, help=VERBOSE_HELP)
@click.option(
    "-d",
    "--working-dir",
    default="./",
    show_default=True,
    envvar="COMMODORE_WORKING_DIR",
    type=click.Path(file_okay=False, path_type=Path),
    help="Working directory, with inventory, dependencies and catalog.",
)
@click.option(
    "--request-timeout",
    default=5,
    show_default=True,
    envvar="COMMODORE_REQUEST_TIMEOUT",
    type=SECONDS,
    help="Timeout of HTTP requests, in seconds.",
)
@click.option(
    "-q", "--quiet", is_flag=True, help="Print only results, notices, warnings and errors."
)
@click.option("--no-color", is_flag=True, cls=_NoColor, envvar="NO_COLOR", help="Disable colours.")
@click.option(
    "--log-format",
    type=click.Choice(tuple(log.FORMS)),
    default="text",
    show_default=True,
    help="Format of messages on stderr; github turns warnings and errors into annotations.",
)
@click.pass_context
def commodore(
    ctx: click.Context,
    verbose: int,
    working_dir: Path,
    request_timeout: int,
    quiet: bool,
    no_color: bool,
    log_format: str,
) -> None:
    """Compile the catalogs that Argo CD applies to your Kubernetes clusters."""
    ctx.color = False if no_color else colours()
    settings = Globals(
        _working_directory(ctx, working_dir.resolve()),
        request_timeout,
        quiet=quiet,
        plain=no_color,
        log_format=log_format,
        cache_size=_cache_size(ctx),
        remote_cache=user_file.remote_cache(ctx),
    )
    if limits := user_file.of(ctx).content.get("time-limits"):
        time_limits.use(time_limits.TimeLimits().with_(limits.items()))
    ctx.obj = settings.more_verbose(verbose)
    if settings.working_dir != working_dir.resolve():
        messages.info(f"Working directory: {settings.working_dir}")


def _working_directory(ctx: click.Context, named: Path) -> Path:
    """The working directory: the one around the current folder, if that is a part of it."""
    around = directories.working_directory_around(named)
    if around is None or ctx.invoked_subcommand in _ANYWHERE:
        return named
    if ctx.get_parameter_source("working_dir") is ParameterSource.DEFAULT:
        return around
    if ctx.invoked_subcommand != "catalog":
        return named
    raise UsageError(
        "the working directory is a part of another one",
        where=f"{named}\n{around}",
        hint="use that one, or a folder outside of it",
    )


def _cache_size(ctx: click.Context) -> int:
    text = user_file.shared_text("cache_size")
    size, problem = size_of(text) if text else (RESULT_CACHE_LIMIT, "")
    if problem:
        raise click.UsageError(f"COMMODORE_CACHE_SIZE: {problem}", ctx)
    return size
