"""Options that several commands share, and the Config that is built from them."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from commodore_py.cli.output import log, messages
from commodore_py.config import Config, WorkPaths
from commodore_py.dependencies.lock.place import NO_LOCK, DefaultLock, short_name
from commodore_py.errors import UsageError

from . import directories, origins, user_file
from .types import MOST_PROCESSES

if TYPE_CHECKING:
    from commodore_py.cache.signed import RemoteCache

_Command = TypeVar("_Command", bound=Callable[..., Any])

DIFF_FORMS = ("text", "objects", "stat", "none")
ENGINES = ("native", "reference")
ENGINE = "COMMODORE_ENGINE"
"""For developers: `reference` has Kapitan and reclass do everything."""
VERIFY_CACHE = "COMMODORE_VERIFY_CACHE"
"""For developers: compile what is cached, too, and fail if that differs."""


@dataclass(frozen=True, slots=True)
class Globals:
    """Global options, which precede the command."""

    working_dir: Path
    request_timeout: int = 5
    verbosity: int = 0
    quiet: bool = False
    plain: bool = False
    log_format: str = "text"
    cache_size: int = 2 << 30
    remote_cache: RemoteCache | None = None

    def more_verbose(self, count: int) -> Globals:
        """Add the `-v` of one more level."""
        louder = replace(self, verbosity=self.verbosity + count)
        log.set_up(louder.verbosity, quiet=self.quiet, plain=self.plain, form=self.log_format)
        return louder


def with_options(*options: Callable[[Any], Any]) -> Callable[[_Command], _Command]:
    """Add options in this order."""

    def add(command: _Command) -> _Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def _api_url(*more_names: str, automatic: bool = True) -> Callable[[Any], Any]:
    return click.option(
        "--api-url",
        *more_names,
        cls=user_file.SharedOption,
        envvar="COMMODORE_API_URL",
        allow_from_autoenv=automatic,
        metavar="URL",
        help="Lieutenant API, or a folder of cluster facts (./facts, /srv/facts, file:///…).",
    )


def _api_token(*, automatic: bool = True) -> Callable[[Any], Any]:
    return click.option(
        "--api-token",
        cls=user_file.SharedOption,
        envvar="COMMODORE_API_TOKEN",
        allow_from_autoenv=automatic,
        metavar="TOKEN",
        help="Token for the API, or a file that contains it.",
    )


_OIDC = (
    click.option(
        "--oidc-discovery-url",
        cls=user_file.SharedOption,
        envvar="COMMODORE_OIDC_DISCOVERY_URL",
        metavar="URL",
        help="URL of the identity provider's discovery document.",
    ),
    click.option(
        "--oidc-client",
        cls=user_file.SharedOption,
        envvar="COMMODORE_OIDC_CLIENT",
        metavar="TEXT",
        help="Client ID at the identity provider.",
    ),
)


def format_option(*forms: str) -> Callable[[_Command], _Command]:
    """`-o`: the format of the result; the first one is the default."""
    return click.option(
        "-o",
        "--output",
        allow_from_autoenv=False,
        type=click.Choice(forms),
        default=forms[0],
        show_default=True,
        help="Format of the result on stdout.",
    )


output_option = format_option("text", "json")
"""`-o` of most commands: for people, or for programs."""


problem_output_option = format_option("text", "json", "sarif", "markdown")
"""`-o` of commands that report problems."""


jobs_option = click.option(
    "--jobs",
    default=0,
    show_default=True,
    type=click.IntRange(min=0, max=MOST_PROCESSES),
    help="Number of clusters that are compiled at a time; 0 uses all available CPUs.",
)
strict_option = click.option(
    "--strict/--no-strict",
    cls=user_file.SharedOption,
    default=False,
    allow_from_autoenv=False,
    show_default=True,
    help="Treat problems that Commodore accepts as errors instead of warnings.",
)

dry_run_option = click.option(
    "--dry-run", is_flag=True, help="Show what would change; write nothing."
)
offline_option = click.option(
    "--offline",
    is_flag=True,
    help="Make no network connections: use the working directory as it is, and report what is"
    " missing.",
)

github_token_option = click.option(
    "--github-token",
    cls=user_file.SharedOption,
    envvar="COMMODORE_GITHUB_TOKEN",
    default="",
    metavar="TEXT",
    help="Token for GitHub's API.",
)


api_options = with_options(_api_url(), _api_token(), *_OIDC)
"""Options of the API and its authentication."""


own_api_options = with_options(_api_url(automatic=False), _api_token(automatic=False))
"""The API and its token, for commands that Commodore does not have."""


compiling_options = with_options(own_api_options, output_option, strict_option)
"""The options of commands of ours that compile."""


login_options = with_options(_api_url(), *_OIDC)
"""The options that a login needs."""


init_options = with_options(_api_url("--lieutenant"), *_OIDC)
"""The options about a server of `init`."""


destination_options = with_options(
    click.option("--push", is_flag=True, help="Commit and push the catalog if it changed."),
    click.option(
        "-i",
        "--interactive",
        is_flag=True,
        help="With --push: show the diff and ask before pushing.",
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
)
"""Options about publishing the catalog."""


def diff_option(default: str) -> Callable[[_Command], _Command]:
    """`--diff`: how changes are shown."""
    return click.option(
        "--diff",
        type=click.Choice(DIFF_FORMS),
        default=default,
        show_default=True,
        help="Show changes as lines, as Kubernetes objects, as numbers of lines, or not at all.",
    )


cache_option = click.option(
    "--cache/--no-cache",
    default=True,
    show_default=True,
    help="Use cached results of earlier runs, or compile everything from scratch.",
)


def cache_settings(options: dict[str, Any]) -> dict[str, Any]:
    """The caches and the value of `cache_option`, by the names of Config."""
    caches = directories.caches()
    if not options["cache"]:
        caches.pop("result_cache", None)
    is_verified = "result_cache" in caches and bool(os.environ.get(VERIFY_CACHE))
    return {**caches, "verify_cache": is_verified}


def _lock(about: str) -> Callable[[Any], Any]:
    return click.option(
        "--lock", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help=about
    )


_FROZEN = click.option(
    "--frozen", is_flag=True, help="With --lock: fail if FILE would have to change."
)


lock_options = with_options(
    _lock(
        "Use the inputs that are locked in FILE, and lock what is new; {cluster} stands for the id."
    ),
    _FROZEN,
    click.option(
        "--from-export",
        type=click.Path(exists=True, path_type=Path),
        metavar="PATH",
        help="Compile from an export of a lock, without a network; see `lock export`.",
    ),
)
"""Options about the lock of all inputs."""


own_lock_options = with_options(
    _lock(
        "Use the libraries, charts and other dependencies that are locked in FILE, and lock"
        " what is new."
    ),
    _FROZEN,
)
"""Options about the lock of a component or a package by itself."""


def lock_settings(options: dict[str, Any], default: DefaultLock | None = NO_LOCK) -> dict[str, Any]:
    """The values of `lock_options`, by the names of Config; empty without a lock.

    The default is a lock file that is there, and used without `--lock`; None if each cluster has
    its own.
    """
    file, export = options["lock"], options.get("from_export")
    if file is None and export is None and default is not None:
        file = lock_by_default(default, frozen=options["frozen"])
    if export is not None:
        options["offline"] = True
    elif file is None and not options["frozen"]:
        return {}
    return {
        "lock_file": file.absolute() if file is not None else None,
        "frozen": options["frozen"],
    }


_LOCKING = "`commodore lock create` writes one; or name its file: --lock FILE"


def lock_by_default(default_lock: DefaultLock, *, frozen: bool) -> Path | None:
    """The lock file that is used without `--lock`; says so, and which ones are not used."""
    if default_lock.file is not None:
        messages.announce(f"Using the lock file {short_name(default_lock.file)}")
    elif frozen:
        others = f" of the cluster: {', '.join(default_lock.others)}" if default_lock.others else ""
        raise UsageError(f"--frozen requires a lock{others}", hint=_LOCKING)
    for other in default_lock.others:
        messages.warn(f"{other}: not used")
    return default_lock.file


def config_of(settings: Globals, **values: Any) -> Config:
    """The frozen Config of this invocation."""
    engine = os.environ.get(ENGINE) or "native"
    if engine not in ENGINES:
        raise UsageError(f"{ENGINE} is {engine!r}", hint=f"one of {', '.join(ENGINES)}")
    connects = not (values.get("local") or values.get("offline"))
    shares = connects and values.get("result_cache") is not None
    return Config(
        paths=WorkPaths(settings.working_dir),
        remote_cache=settings.remote_cache if shares else None,
        request_timeout=settings.request_timeout,
        result_cache_limit=settings.cache_size,
        verbosity=settings.verbosity,
        **{"engine": engine, **values},
    ).checked()


def cached_config(
    settings: Globals,
    options: dict[str, Any],
    default: DefaultLock | None = NO_LOCK,
    **values: Any,
) -> Config:
    """The Config of a compile with cache and lock, from the options that the command has.

    Without a network and without a lock, checkouts are used as they are: as in local mode.
    """
    locked = lock_settings(options, default)
    local = options.get("local", False) or (options["offline"] and not locked)
    fetches = options.get("fetch_dependencies", True)
    if "local" in options and not local:
        if not fetches:
            messages.warn("--no-fetch-dependencies has no effect without --local")
        fetches = True
    given = {
        "strict": options["strict"],
        "local": local,
        "offline": options["offline"],
        "fetch_dependencies": fetches,
        "processes": options.get("processes", 0),
    }
    return config_of(settings, **{**given, **cache_settings(options), **locked, **values})


def compiling_config(settings: Globals, options: dict[str, Any], **values: Any) -> Config:
    """The Config of a command of ours that compiles: with caches, and with its own options."""
    values = {"strict": bool(options.get("strict")), **values}
    return config_of(settings, **directories.caches(), **api_settings(options), **values)


def api_settings(options: dict[str, Any], *, keep_token: bool = False) -> dict[str, str]:
    """Values of `api_options` and `login_options`, by the names of Config.

    With `keep_token`, the token is not sent to an API that only a `.env` file names.
    """
    ctx = click.get_current_context(silent=True)
    settings = {name: options.get(name) or "" for name in ("api_url", "api_token")}
    if ctx is not None:
        strict = bool(options.get("strict"))
        if origins.warn_of_redirected_token(ctx, strict=strict) and keep_token:
            settings["api_token"] = ""
    for name in ("oidc_discovery_url", "oidc_client"):
        settings[name] = (options[name] or "") if name in options else user_file.shared_text(name)
    set_at = {f"{name}_origin": origins.place_of(name) for name in ("api_url", "api_token")}
    return {**settings, **set_at}
