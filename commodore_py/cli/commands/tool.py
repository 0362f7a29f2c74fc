"""`commodore tool …`."""

from __future__ import annotations

import os
from datetime import datetime
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from commodore_py.cli.command_classes import LazyGroup
from commodore_py.cli.output import formats, messages, streams
from commodore_py.cli.settings import directories
from commodore_py.cli.settings.options import (
    github_token_option,
    output_option,
)
from commodore_py.errors import CommodoreError
from commodore_py.workflows.tools.folder import (
    BUILT_IN,
    OPTIONAL_TOOLS,
    TOOLS,
    ToolFolder,
    ToolStatus,
    installed_tools,
    located_tools,
    optional_tools,
)
from commodore_py.workflows.tools.releases import (
    Upstream,
    latest_version,
    release_of,
    version_given,
)
from commodore_py.workflows.tools.releases import install as install_release

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.workflows.tools.folder import Tool

_ALL = (*TOOLS, *OPTIONAL_TOOLS)


def _complete(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    return [name for name in _ALL if name.startswith(incomplete)]


_tool_argument = click.argument("tool", required=False, shell_complete=_complete)
_version_option = click.option(
    "--version", help="Version to install, with or without the leading v.  [default: the latest]"
)


@click.group(cls=LazyGroup)
@github_token_option
def tool(**_options: str) -> None:
    """Install the programs that components use (helm, jb, kustomize), and opa for policies.

    Managed tools are kept in a folder that takes precedence over PATH.
    """


@tool.command(name="list")
@click.option(
    "--version-check/--skip-version-check",
    " /-V",
    default=True,
    show_default=True,
    help="Query GitHub for the latest versions.",
)
@output_option
@github_token_option
@click.pass_context
def list_(ctx: click.Context, /, version_check: bool, output: str, **_options: str) -> None:
    """List the tools, their locations and available upgrades."""
    managed = _managed(_folder())
    tools = (*installed_tools(), *optional_tools())
    latest: dict[str, str] = {}
    if version_check:
        upstream = _upstream(ctx)
        messages.info("querying GitHub for the latest versions")
        try:  # the first error ends it
            for tool in tools:
                latest[tool.name] = latest_version(tool.name, upstream)
        except CommodoreError as error:
            messages.warn(str(error), where=error.where, hint=error.hint)
    rows = [
        ToolStatus(tool, tool.name in managed, managed.get(tool.name), latest.get(tool.name))
        for tool in tools
    ]
    content = {"schema": "tool-list/v1", "tools": [_fields(row) for row in rows]}
    lines = (line for row in rows for line in _lines(row, version_check=version_check))
    formats.show(output, content, lines)


@tool.command()
@_tool_argument
@_version_option
@click.option("--missing", is_flag=True, help="Install all tools that are not managed yet.")
@github_token_option
@click.pass_context
def install(
    ctx: click.Context,
    /,
    tool: str | None,
    version: str | None,
    missing: bool,
    **_options: str,
) -> None:
    """Install TOOL, or with --missing all tools that are not managed.

    Tools are installed to the folder of managed tools, even if the system has them. A tool that
    is managed already is not changed: use `tool upgrade`.
    """
    names, given = _chosen(tool, version, all_=missing, flag="--missing")
    folder = _own_folder()
    managed = _managed(folder)
    present = {name for name in managed if folder.program(name).is_file()}
    if missing and present.issuperset(names):
        messages.info("all tools are managed; use `commodore tool upgrade --all` to upgrade them")
        return
    upstream = _upstream(ctx)
    for name in names:
        if name in present:
            messages.info(
                f"{name} is already managed; use `commodore tool upgrade {name}` to upgrade it"
            )
            continue
        if name in managed:
            messages.warn(f"{name} is managed but missing: installing it again")
        _install(folder, name, given or latest_version(name, upstream), upstream)


@tool.command()
@_tool_argument
@_version_option
@click.option("--all", is_flag=True, help="Upgrade every managed tool.")
@github_token_option
@click.pass_context
def upgrade(
    ctx: click.Context,
    /,
    tool: str | None,
    version: str | None,
    all: bool,  # noqa: A002 - its variable is COMMODORE_TOOL_UPGRADE_ALL
    **_options: str,
) -> None:
    """Upgrade TOOL, or with --all every managed tool.

    Installs the latest version, or the one given with --version, which may be older. The present
    version is replaced after the new one was downloaded, verified and run.
    """
    names, given = _chosen(tool, version, all_=all, flag="--all")
    folder = _own_folder()
    managed = _managed(folder)
    if all:
        names = tuple(sorted({*names, *managed}.intersection(_ALL)))
    if all and not managed:
        messages.info(
            "no tools are managed; use `commodore tool install --missing` to install them"
        )
        return
    upstream = _upstream(ctx)
    for name in names:
        if name not in managed:
            messages.info(
                f"{name} is not managed; use `commodore tool install {name}` to install it"
            )
            continue
        target = given or latest_version(name, upstream)
        if folder.version_of(name) == target:
            messages.info(f"{name} {target} is already installed")
        else:
            _install(folder, name, target, upstream)


def _chosen(
    tool: str | None, version: str | None, *, all_: bool, flag: str
) -> tuple[tuple[str, ...], str]:
    """The tools to process and the requested version; empty is the latest."""
    if (tool is not None) == all_:
        raise CommodoreError(
            f"expected either a tool or {flag}", hint=f"available tools: {', '.join(_ALL)}"
        )
    if tool is None:
        if version:
            messages.warn(f"--version is ignored with {flag}: every tool has its own versions")
        return tuple(sorted(TOOLS)), ""
    if tool not in _ALL:
        raise CommodoreError(f"unknown tool {tool}", hint=f"available tools: {', '.join(_ALL)}")
    return (tool,), version_given(tool, version) if version else ""


def _install(folder: ToolFolder, tool: str, version: str, upstream: Upstream) -> None:
    release = release_of(tool, version, upstream)
    messages.heading(f"Installing {tool} {version}")
    install_release(folder, release, upstream, now=datetime.now())  # noqa: DTZ005 - Commodore's record has local times


def _folder() -> ToolFolder:
    folder = directories.tools_folder()
    if folder is None:
        raise CommodoreError("there is no directory for tools", hint="set HOME or XDG_CACHE_HOME")
    return ToolFolder(folder)


def _own_folder() -> ToolFolder:
    folder = _folder()
    if stranger := directories.not_own(folder.path):
        raise CommodoreError(
            "managed tools can be changed by another user",
            where=str(stranger),
            hint=f"remove {folder.path}",
        )
    return folder


def _managed(folder: ToolFolder) -> dict[str, str]:
    """The managed tools and their times; one that is found elsewhere is managed no more."""
    for tool in folder.drop_foreign(located_tools()):
        messages.warn(
            f"{tool.name} is no longer managed: another installation is used", where=str(tool.path)
        )
    return folder.managed()


def _upstream(ctx: click.Context) -> Upstream:
    token = _github_token(ctx)
    if not token and ctx.obj.verbosity:
        messages.warn("querying GitHub without a token: its rate limit is low")
    mirror = os.environ.get("COMMODORE_TOOL_MIRROR", "")
    return Upstream(token=token, timeout=ctx.obj.request_timeout, mirror=mirror)


def _github_token(ctx: click.Context) -> str:
    """The token of the command line, on any level, before that of the environment."""
    contexts = [context for context in (ctx, ctx.parent) if context]
    on_command_line = [
        context
        for context in contexts
        if context.get_parameter_source("github_token") is ParameterSource.COMMANDLINE
    ]
    tokens = (str(context.params["github_token"]) for context in (*on_command_line, *contexts))
    return next((token for token in tokens if token), "")


def _lines(row: ToolStatus, *, version_check: bool) -> Iterator[str]:
    tool = row.tool
    if not tool.works:
        yield _missing(tool)
        return
    # A program may print warnings beside its version.
    lines = f"{tool.name} {tool.version}".splitlines()
    yield from (streams.styled(line, bold=True) for line in lines)
    yield f"Location:       {tool.path}"
    yield f"Managed:        {row.managed}"
    yield f"Latest version: {row.latest or 'N/A'} ({_remark(row, version_check=version_check)})"
    yield f"Updated:        {row.updated or 'UNKNOWN'}"


def _missing(tool: Tool) -> str:
    if tool.path:
        return streams.styled(f"{tool.name} missing! ({tool.path} does not run)", fg="red")
    if use := BUILT_IN.get(tool.name):
        return streams.styled(f"{tool.name} built in (the program is {use})")
    return streams.styled(f"{tool.name} missing!", fg="red")


def _remark(row: ToolStatus, *, version_check: bool) -> str:
    if not version_check:
        return "Version check skipped"
    match row.upgradable:
        case None:
            return "Version check failed"
        case True:
            return streams.styled("Upgrade available!", fg="yellow")
        case False:
            return "No upgrade available"


def _fields(row: ToolStatus) -> dict[str, object]:
    tool = row.tool
    return {
        "name": tool.name,
        "path": tool.path,
        "version": tool.version or None,
        "managed": row.managed,
        "latest": row.latest,
        "upgradable": row.upgradable if tool.works else None,
        "remark": None if tool.works else BUILT_IN.get(tool.name),
        "updated": row.updated,
    }
