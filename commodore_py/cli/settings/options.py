"""Options that several commands share, and the Config that is built from them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from commodore_py.cli.output import log

from . import origins, user_file
from .types import Branch, PushUrl

if TYPE_CHECKING:
    from collections.abc import Iterable

    from commodore_py.adapters.git_urls import PushRule
    from commodore_py.config import Config

_Command = TypeVar("_Command", bound=Callable[..., Any])
_Option = Callable[[_Command], _Command]

HELP = {"help_option_names": ["-h", "--help"]}
OUTPUTS = ("text", "json", "yaml")
DIFF_OUTPUTS = (*OUTPUTS, "markdown")
DIFF_FORMS = ("text", "objects", "stat", "none")
_SIMILAR = 0.75
ENGINES = ("native", "reference")


class Globals(NamedTuple):
    """Global options, which precede the command."""

    working_dir: Path
    request_timeout: int = 5
    verbosity: int = 0
    quiet: bool = False
    plain: bool = False
    log_format: str = "text"
    cache_size: int = 2 << 30

    def more_verbose(self, count: int) -> Globals:
        """The same, with the `-v` of one more level added."""
        louder = self._replace(verbosity=self.verbosity + count)
        log.set_up(louder.verbosity, quiet=self.quiet, plain=self.plain, form=self.log_format)
        return louder


verbose_option = click.option(
    "-v", "--verbose", count=True, help="Increase verbosity; may be repeated."
)

output_option = click.option(
    "-o",
    "--output",
    type=click.Choice(OUTPUTS),
    default="text",
    show_default=True,
    help="Format of the result on stdout.",
)


def _push_rule(_: click.Context, __: click.Parameter, words: tuple[str, ...]) -> PushRule:
    from commodore_py.adapters.git_urls import PushRule

    return PushRule.parse(words)


push_url_option = click.option(
    "--push-url",
    type=PushUrl(),
    multiple=True,
    metavar="[HOST=]ssh|same",
    callback=_push_rule,
    help="How to push to repositories that are fetched over HTTP: over SSH (the default) or to"
    " the same URL; may be repeated for single hosts.",
)

strict_option = click.option(
    "--strict/--no-strict",
    default=False,
    show_default=True,
    help="Treat problems that Commodore accepts as errors instead of warnings.",
)

offline_option = click.option(
    "--offline",
    is_flag=True,
    help="Make no network connections: use the working directory as it is, and report what is"
    " missing.",
)

helm_option = click.option(
    "--helm-nondeterminism",
    type=click.Choice(("warn", "error", "ignore")),
    default="warn",
    show_default=True,
    help="What to do about charts whose output differs in every compile.",
)

git_cache_option = click.option(
    "--git-cache/--no-git-cache",
    default=True,
    show_default=True,
    help="Share Git objects between clones through this user's cache.",
)

github_token_option = click.option(
    "--github-token",
    envvar="COMMODORE_GITHUB_TOKEN",
    default="",
    metavar="TEXT",
    help="Token for GitHub's API.",
)


def api_options(command: _Command) -> _Command:
    """Add options of the API and its authentication."""
    return with_options(_API_URL, _API_TOKEN, *_OIDC)(command)


def own_api_options(command: _Command) -> _Command:
    """Add the API and its token, for commands that Commodore does not have."""
    return with_options(_API_URL, _API_TOKEN)(command)


def login_options(command: _Command) -> _Command:
    """Add the options that a login needs."""
    return with_options(_API_URL, *_OIDC)(command)


def destination_options(command: _Command) -> _Command:
    """Add options about publishing the catalog."""
    return with_options(
        click.option("--push", is_flag=True, help="Commit and push the catalog if it changed."),
        click.option(
            "-i",
            "--interactive",
            is_flag=True,
            help="With --push: show the diff and ask before pushing.",
        ),
        push_url_option,
        click.option(
            "--catalog-branch",
            type=Branch(),
            default="",
            metavar="NAME",
            help="Compare with this branch of the catalog and push to it, for a review; a new"
            " branch starts at the default branch.",
        ),
        click.option(
            "--output-dir",
            type=click.Path(file_okay=False, path_type=Path),
            metavar="DIR",
            help="Write the catalog to a plain directory instead of its repository.",
        ),
        click.option(
            "--dry-run",
            is_flag=True,
            help="Show what would change, without writing to the working directory.",
        ),
    )(command)


def diff_options(default: str) -> Callable[[_Command], _Command]:
    """Add options about differences."""
    return with_options(
        click.option(
            "--diff",
            type=click.Choice(DIFF_FORMS),
            default=default,
            show_default=True,
            help="Show changes as lines, as Kubernetes objects, as numbers of lines, or not at"
            " all.",
        ),
        click.option(
            "--ignore/--no-ignore",
            default=True,
            show_default=True,
            help="With --diff objects: hide changes that match ignore rules of the hierarchy, and"
            " count them.",
        ),
    )


def engine_options(command: _Command) -> _Command:
    """Add options of the engine and of strictness."""
    return with_options(
        click.option(
            "--engine",
            type=click.Choice(ENGINES),
            default="native",
            show_default=True,
            help="Use the built-in engine where possible, or Kapitan and reclass for everything.",
        ),
        strict_option,
    )(command)


def cache_options(command: _Command) -> _Command:
    """Add options about cached results."""
    return with_options(
        click.option(
            "--cache/--no-cache",
            default=True,
            show_default=True,
            help="Use cached results of earlier runs, or compile everything from scratch.",
        ),
        click.option(
            "--verify-cache",
            is_flag=True,
            help="Compile everything and fail if a cached result differs.",
        ),
        click.option(
            "--explain-cache",
            is_flag=True,
            help="Report cache hits, and the reason for each cache miss.",
        ),
    )(command)


def cache_settings(options: dict[str, Any]) -> dict[str, Any]:
    """The caches and values of `cache_options`, by the names of Config."""
    from commodore_py.errors import UsageError

    from . import directories

    if options["verify_cache"] and not options["cache"]:
        raise UsageError("--verify-cache and --no-cache cannot be combined")
    folder = directories.cache_folder() if options["cache"] else None
    return {
        "result_cache": directories.result_cache(folder) if folder else None,
        "recompile": not options["cache"],
        "verify_cache": options["verify_cache"],
        "explain_cache": options["explain_cache"],
    }


def lock_options(command: _Command) -> _Command:
    """Add options about the lock of all inputs."""
    return with_options(
        click.option(
            "--lock",
            envvar="COMMODORE_LOCK",
            type=click.Path(dir_okay=False, path_type=Path),
            metavar="FILE",
            help="Use the inputs that are locked in FILE, and lock what is new; {cluster} stands"
            " for the id.",
        ),
        click.option(
            "--frozen",
            is_flag=True,
            help="With --lock: fail if FILE would have to change.",
        ),
        click.option(
            "--from-export",
            type=click.Path(exists=True, path_type=Path),
            metavar="PATH",
            help="Compile from an export of a lock, without a network; see `lock export`.",
        ),
    )(command)


def own_lock_options(command: _Command) -> _Command:
    """Add options about the lock of a component or a package by itself."""
    return with_options(
        click.option(
            "--lock",
            type=click.Path(dir_okay=False, path_type=Path),
            metavar="FILE",
            help="Use the libraries, charts and other dependencies that are locked in FILE, and"
            " lock what is new.",
        ),
        click.option(
            "--frozen",
            is_flag=True,
            help="With --lock: fail if FILE would have to change.",
        ),
    )(command)


def lock_settings(options: dict[str, Any]) -> dict[str, Any]:
    """The values of `lock_options`, by the names of Config; empty without a lock."""
    from commodore_py.errors import UsageError

    file, export = options["lock"], options.get("from_export")
    if export is not None:
        options["offline"] = True
    elif file is None:
        if options["frozen"]:
            raise UsageError("--frozen requires a lock", hint="name its file: --lock FILE")
        return {}
    return {
        "lock_file": file.absolute() if file is not None else None,
        "frozen": options["frozen"],
        "export": export.absolute() if export is not None else None,
    }


def refuse_misspelled(option: str, value: str, known: Iterable[str]) -> None:
    """Refuse what is most likely a misspelled value of an option that takes any word."""
    from difflib import get_close_matches

    from commodore_py.errors import UsageError

    near = get_close_matches(value, list(known), n=1, cutoff=_SIMILAR)
    if near:
        raise UsageError(f"{option} {value}: unknown value", hint=f"did you mean {near[0]}?")


def refuse_online(options: dict[str, Any]) -> None:
    """Refuse options that need the network together with --offline."""
    from commodore_py.errors import UsageError

    if options["offline"] and options["push"]:
        raise UsageError("--push requires network access", hint="omit --offline or --push")
    if options["offline"] and options["jsonnet_bundler"] == "jb":
        raise UsageError("jb requires network access", hint="omit --jsonnet-bundler jb")


def config_of(settings: Globals, **values: Any) -> Config:
    """The frozen Config of this invocation."""
    from commodore_py.config import Config, WorkPaths

    return Config(
        paths=WorkPaths(settings.working_dir),
        request_timeout=settings.request_timeout,
        result_cache_limit=settings.cache_size,
        verbosity=settings.verbosity,
        **values,
    ).checked()


def api_settings(options: dict[str, Any]) -> dict[str, str]:
    """Values of `api_options` and `login_options`, by the names of Config."""
    ctx = click.get_current_context(silent=True)
    if ctx is not None:
        origins.warn_of_redirected_token(ctx, strict=bool(options.get("strict")))
    found = {name: options.get(name) or "" for name in ("api_url", "api_token")}
    for name in ("oidc_discovery_url", "oidc_client"):
        found[name] = (options[name] or "") if name in options else user_file.shared_text(name)
    return {**found, "api_url_origin": origins.place_of("api_url")}


def with_options(*options: _Option[_Command]) -> _Option[_Command]:
    """Add options in this order."""

    def add(command: _Command) -> _Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


_API_URL = click.option(
    "--api-url",
    envvar="COMMODORE_API_URL",
    metavar="URL",
    help="Lieutenant API, or a folder of cluster facts (./facts, /srv/facts, file:///…).",
)
_API_TOKEN = click.option(
    "--api-token",
    envvar="COMMODORE_API_TOKEN",
    metavar="TOKEN",
    help="Token for the API, or a file that contains it.",
)
_OIDC = (
    click.option(
        "--oidc-discovery-url",
        envvar="COMMODORE_OIDC_DISCOVERY_URL",
        metavar="URL",
        help="URL of the identity provider's discovery document.",
    ),
    click.option(
        "--oidc-client",
        envvar="COMMODORE_OIDC_CLIENT",
        metavar="TEXT",
        help="Client ID at the identity provider.",
    ),
)
