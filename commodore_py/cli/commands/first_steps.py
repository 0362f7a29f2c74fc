"""`commodore demo` and `commodore init`: a playground, and an installation."""

from __future__ import annotations

import os
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from commodore_py.adapters import desktop
from commodore_py.cli.command_classes import verbose_option
from commodore_py.cli.output import formats, messages, streams
from commodore_py.cli.settings import directories, user_file
from commodore_py.cli.settings.options import (
    Globals,
    api_settings,
    config_of,
    init_options,
    output_option,
)
from commodore_py.config import facts_folder
from commodore_py.errors import CommodoreError, UsageError
from commodore_py.lieutenant import clusters
from commodore_py.lieutenant.auth.session import log_in
from commodore_py.lieutenant.urls import base_url
from commodore_py.workflows.demo import write_demo
from commodore_py.workflows.installation import (
    Installation,
    write_installation,
    write_working_directory,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from commodore_py.workflows.demo import Demo

_KEY = "api-url"
_QUESTION = "Install completion for %s in %s?"
_COMMENT = "completion of `commodore`, added by `commodore init`"


@click.command()
@click.argument("directory", default="commodore-demo", type=click.Path(path_type=Path))
@output_option
def demo(directory: Path, output: str) -> None:
    """Create a playground in DIRECTORY: two clusters, their configuration and components.

    Everything is a local Git repository or a file: no server, no token and no network are needed.
    """
    written = write_demo(directory)
    content = {
        "schema": "demo/v1",
        "directory": str(directory.resolve()),
        "clusters": list(written.clusters),
        "next_steps": list(written.next_steps),
    }
    done = f"Created a playground with {len(written.clusters)} clusters in {directory}"
    formats.show(output, content, (streams.styled(done, bold=True), *_suggested(written)))


def _suggested(made: Demo | Installation) -> Iterator[str]:
    """Lines with commands to try."""
    yield from ("", "Try:")
    yield from (f"  {step}" for step in made.next_steps)


@dataclass(frozen=True, slots=True)
class Step:
    """Result of one step."""

    name: str
    result: str
    """`written`, `unchanged`, `done` or `skipped`."""
    detail: str = ""


@click.command()
@click.argument("directory", required=False, type=click.Path(path_type=Path))
@init_options
@click.option(
    "--repository", default="", metavar="URL", help="With DIRECTORY: the tenant's configuration."
)
@click.option(
    "--global-repository",
    default="",
    metavar="URL",
    help="With DIRECTORY: the global configuration.",
)
@click.option(
    "--catalog", default="", metavar="URL", help="With DIRECTORY: the repository of the catalog."
)
@click.option(
    "--login/--skip-login", "login", default=None, help="Log in to the API, or do not ask."
)
@output_option
@verbose_option
@click.pass_context
def init(ctx: click.Context, /, directory: Path | None, output: str, **options: Any) -> None:
    """Create an installation in DIRECTORY, or set up this machine.

    An installation is a tenant, a cluster, their configuration and a first component, in files and
    bare Git repositories below DIRECTORY. With --api-url, DIRECTORY becomes a working directory for
    that server.

    Without DIRECTORY: set the API or the folder of facts for all working directories. Prompts for
    what is not given, if there is a terminal: API, login, shell completion. What is set up stays as
    it is.

    \b
      commodore init fleet
      commodore init fleet --api-url https://lieutenant.example.com
      commodore init --api-url https://lieutenant.example.com --skip-login
    """
    settings: Globals = ctx.obj
    given = ctx.get_parameter_source("api_url") is click.core.ParameterSource.COMMANDLINE
    if directory is not None:
        made = _installed(settings, directory, options, given=given)
        steps = [Step("directory", "written", str(directory))]
        # The directory names its API, which is none of other directories.
        api = Step("api-url", "written" if given else "skipped")
    else:
        _check(options, given=given)
        made = Installation(next_steps=("commodore doctor", "commodore catalog list"))
        api = _api(settings, options, given=given)
        steps = [api]
    if directory is None or given:
        steps.append(_login(settings, options, api))
    steps.append(_completion())
    content = {
        "schema": "init/v1",
        "steps": [asdict(step) for step in steps],
        "cluster": made.cluster,
        "tenant": made.tenant,
        "next_steps": list(made.next_steps),
    }
    lines = (f"{step.name:<12}{step.result:<11}{step.detail}".rstrip() for step in steps)
    formats.show(output, content, (*lines, *_suggested(made)))


def _installed(
    settings: Globals, directory: Path, options: dict[str, Any], *, given: bool
) -> Installation:
    remotes = {name: options[name] for name in ("global_repository", "repository", "catalog")}
    if not given:
        return write_installation(config_of(settings), directory, **remotes)
    if any(remotes.values()):
        raise UsageError(
            "the repositories of a cluster are configured on the server",
            where="--api-url",
            hint="omit --repository, --global-repository and --catalog",
        )
    url = _checked_url(settings, options["api_url"])
    return write_working_directory(directory, url)


def _may_prompt() -> bool:
    """Return whether the user can answer: is_interactive accepts a terminal for output alone."""
    return desktop.is_interactive() and sys.stdin is not None and sys.stdin.isatty()


def _check(options: dict[str, Any], *, given: bool) -> None:
    if not _may_prompt() and not given and options["login"] is None:
        raise UsageError(
            "nothing to set up: there is no terminal to prompt, and no option says what to do",
            hint="use --api-url or --login; `commodore init DIRECTORY` creates an installation",
        )


def _api(settings: Globals, options: dict[str, Any], *, given: bool) -> Step:
    from commodore_py.cli.settings import written

    file = directories.config_file()
    if not (given or _may_prompt()):
        return Step("api-url", "skipped")
    if file is None:
        raise CommodoreError("there is no home directory for the settings", hint="set HOME")
    current = str(user_file.of(click.get_current_context()).content.get(_KEY, ""))
    if given:
        url = _checked_url(settings, options["api_url"])
    else:
        url = _answered(
            f"API URL, or a folder of cluster facts [{current or 'empty to skip'}]",
            lambda answer: _checked_url(settings, answer or current),
        )
    if not url:
        return Step("api-url", "skipped")
    options["api_url"] = url
    changed = written.set_shared(file, _KEY, url)
    return Step("api-url", "written" if changed else "unchanged", f"{url} in {file}")


def _checked_url(settings: Globals, url: str) -> str:
    """The URL, or the absolute path of a folder; a server that does not respond is a warning."""
    if not url:
        return ""
    folder = facts_folder(url)
    if folder is not None:
        absolute = str(Path(os.path.abspath(folder)))  # noqa: PTH100 - links are kept
        clusters.list_clusters(config_of(settings, api_url=absolute))
        return absolute
    base_url(url)
    config = config_of(settings, api_url=url)
    try:
        clusters.check_reachable(config)
    except CommodoreError as error:
        messages.warn(
            f"the API does not respond: {error}", where=url, hint="check the URL, and the network"
        )
    return url


def _login(settings: Globals, options: dict[str, Any], api: Step) -> Step:
    url = options["api_url"] or ""
    if options["login"] is False or (url and facts_folder(url) is not None):
        detail = "a folder of facts needs no login" if options["login"] is not False else ""
        return Step("login", "skipped", detail)
    if options["login"] and not url:
        raise CommodoreError("no API URL", hint="set --api-url to a Lieutenant API")
    if options["login"] is None and not (
        url and _may_prompt() and api.result != "skipped" and _agreed(f"Log in to {url} now?")
    ):
        return Step("login", "skipped", "later: commodore login" if url else "")

    log_in(config_of(settings, **api_settings(options)))
    return Step("login", "done", url)


def _completion() -> Step:
    from commodore_py.cli.settings import written

    shell = Path(os.environ.get("SHELL", "")).name
    file = _file_of(shell)
    is_offered = shell in INSTALL and _may_prompt()
    if not is_offered or not (
        written.has_line(file, INSTALL[shell][1]) or _agreed(_QUESTION % (shell, file))
    ):
        return Step("completion", "skipped", "later: commodore completion --help")
    changed = written.add_line(file, INSTALL[shell][1], _COMMENT)
    return Step("completion", "written" if changed else "unchanged", f"{shell}, in {file}")


def _file_of(shell: str) -> Path:
    """The file that a shell reads when it starts."""
    home = Path(os.path.expanduser("~"))  # noqa: PTH111 - never raises
    match shell:
        case "zsh":
            return Path(os.environ.get("ZDOTDIR") or home) / ".zshrc"
        case "fish":
            config = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
            return config / "fish/completions/commodore.fish"
        case _:
            return home / ".bashrc"


def _answered(question: str, check: Callable[[str], str]) -> str:
    """The first answer that is right; what is wrong with others is reported."""
    while True:
        answer = messages.ask(question)
        try:
            return check(answer)
        except CommodoreError as error:
            messages.error(error)


def _agreed(question: str) -> bool:
    return messages.confirm(
        question, undone="nothing more is set up", in_advance="options; see commodore init --help"
    )


_VARIABLE = "_COMMODORE_COMPLETE"
# The file of each shell, and the line that installs completion.
INSTALL = {
    "bash": (
        "~/.bashrc",
        'eval "$(commodore completion bash)"',
    ),
    "zsh": (
        "~/.zshrc, after compinit",
        'eval "$(commodore completion zsh)"',
    ),
    "fish": (
        "~/.config/fish/completions/commodore.fish",
        "commodore completion fish | source",
    ),
}


@click.command()
@click.argument("shell", type=click.Choice(tuple(INSTALL)))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the script that completes commands, options and names in SHELL.

    \b
    To install it, add a line to a file that the shell reads:
      bash  ~/.bashrc   eval "$(commodore completion bash)"
      zsh   ~/.zshrc    eval "$(commodore completion zsh)"     (after compinit)
      fish  ~/.config/fish/completions/commodore.fish
                        commodore completion fish | source
    """
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"there is no completion for {shell}", ctx)
    file, line = INSTALL[shell]
    script = kind(ctx.find_root().command, {}, "commodore", _VARIABLE).source()
    streams.result(f"{script.rstrip()}\n\n# To install it, add this line to {file}:\n#   {line}")
