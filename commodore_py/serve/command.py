"""`commodore serve`."""

from __future__ import annotations

import logging
import os
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from commodore_py.adapters.http.listener import listen
from commodore_py.cli.output import messages, streams
from commodore_py.cli.settings.options import (
    HELP,
    Globals,
    compiling_config,
    own_api_options,
    verbose_option,
)
from commodore_py.cli.settings.types import MOST_PROCESSES, Seconds
from commodore_py.config import Author, user_folder
from commodore_py.errors import CommodoreError, UsageError

if TYPE_CHECKING:
    from .settings import Settings

_PORT = 8064
_MOST_PORTS = 65_535
_EXTRA = "install it: pip install 'commodore-py[serve]'"
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command(context_settings=HELP)
@click.option("--address", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port",
    default=_PORT,
    show_default=True,
    type=click.IntRange(min=0, max=_MOST_PORTS),
    help="Port to listen on; 0 chooses a free one.",
)
@click.option(
    "--public-name",
    "public_names",
    multiple=True,
    metavar="HOST[:PORT]",
    help="Host name under which browsers and programs reach the daemon; may be repeated.",
)
@click.option(
    "--behind-proxy", is_flag=True, help="A proxy in front terminates TLS for --public-name."
)
@click.option("--tls-cert", type=_FILE, metavar="FILE", help="Certificate, for HTTPS.")
@click.option("--tls-key", type=_FILE, metavar="FILE", help="Its private key.")
@click.option(
    "--token-file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Lines of NAME TOKEN, readable by you only; by default serve-tokens beside your settings.",
)
@click.option("--read-only", is_flag=True, help="Refuse everything that changes anything.")
@click.option(
    "--jobs",
    default=0,
    show_default=True,
    type=click.IntRange(min=0, max=MOST_PROCESSES),
    help="Number of clusters that are compiled at a time; 0 uses all available CPUs.",
)
@click.option(
    "--reconcile",
    is_flag=True,
    help="Compile and push clusters whenever a repository that they use changes.",
)
@click.option(
    "--poll",
    default=60,
    show_default=True,
    type=Seconds(),
    help="Seconds between two looks at the repositories.",
)
@click.option(
    "--hook-secret",
    type=_FILE,
    metavar="FILE",
    help="File with the secret of webhooks of GitHub and GitLab.",
)
@own_api_options
@verbose_option
@click.pass_obj
def serve(settings: Globals, /, **options: Any) -> None:
    """Serve the clusters of the working directory over HTTP, with a page for people.

    The page shows clusters, changes, problems, and where values come from. Edits are compiled and
    checked before they are written, and become commits of the caller in the tenant's repository;
    compiles and pushes run in a queue.

    The first start makes a token, and prints it once as part of a URL.

    \b
    On this machine:
      commodore serve
      curl -H "Authorization: Bearer $TOKEN" http://127.0.0.1:8064/v1/clusters
    Behind a proxy, pushing whatever changes:
      commodore serve --behind-proxy --public-name clusters.example.com --reconcile
    """
    try:
        from . import app
    except ImportError as error:
        if str(error.name).startswith("commodore_py"):
            raise
        raise CommodoreError(f"{error.name} is not installed", hint=_EXTRA) from error
    settings = settings.more_verbose(options["verbose"])
    tls = _tls(options)
    listener = _listener(options, secure=tls is not None or options["behind_proxy"])
    port = listener.getsockname()[1]
    scheme = "https" if tls or options["behind_proxy"] else "http"
    own_names = () if options["behind_proxy"] else _names_of(options["address"], port)
    origins = tuple(f"{scheme}://{one.lower()}" for one in (*options["public_names"], *own_names))
    with listener:
        made, new_token = _settings(settings, options, frozenset(origins))

        def ready() -> None:
            streams.result(f"Serving {made.config.paths.root} at {origins[0]}/")
            if new_token:
                messages.announce("A new token; it is printed this once")
                streams.secret(f"{origins[0]}/login?token={new_token}")

        logging.getLogger("uvicorn").setLevel(logging.WARNING)
        app.serve(made, [listener], ready=ready, tls=tls, behind_proxy=options["behind_proxy"])
    messages.info("Stopped")


def _tls(options: dict[str, Any]) -> tuple[Path, Path] | None:
    cert, key = options["tls_cert"], options["tls_key"]
    if (cert is None) != (key is None):
        raise UsageError("--tls-cert and --tls-key belong together")
    return None if cert is None else (cert, key)


def _listener(options: dict[str, Any], *, secure: bool) -> Any:
    """The socket of the daemon; addresses that others reach need TLS."""
    address = options["address"]
    is_loopback = address == "localhost"
    with suppress(ValueError):
        is_loopback = is_loopback or ip_address(address).is_loopback
    if not is_loopback and not secure:
        raise UsageError(
            f"{address} can be reached from other machines, and tokens would not be encrypted",
            hint="add --tls-cert and --tls-key, or --behind-proxy",
        )
    if not options["public_names"] and (not is_loopback or options["behind_proxy"]):
        raise UsageError("--public-name is missing", hint="name the host that browsers reach")
    if options["reconcile"] and options["read_only"]:
        raise UsageError("--reconcile and --read-only cannot be combined")
    return listen(address, options["port"])


def _names_of(address: str, port: int) -> tuple[str, ...]:
    shown = f"[{address}]" if ":" in address else address
    return tuple(dict.fromkeys((f"{shown}:{port}", f"localhost:{port}")))


def _settings(
    settings: Globals, options: dict[str, Any], origins: frozenset[str]
) -> tuple[Settings, str]:
    """The settings of the daemon, and a token that was made now."""
    from .access import read_tokens
    from .settings import Settings

    author = Author(os.environ.get("GIT_AUTHOR_NAME", ""), os.environ.get("GIT_AUTHOR_EMAIL", ""))
    config = compiling_config(settings, options, may_log_in=False, author=author)
    file = options["token_file"] or _token_file()
    if file.resolve().is_relative_to(config.paths.root.resolve()):
        raise UsageError(
            "the token file is in the working directory, which components may read",
            where=str(file),
            hint="keep it elsewhere",
        )
    tokens, new_token = read_tokens(file.absolute())
    secret = ""
    if options["hook_secret"] is not None:
        secret = options["hook_secret"].read_text("utf-8").strip()
    made = Settings(
        config,
        tokens,
        origins,
        options["jobs"] or os.cpu_count() or 1,
        read_only=options["read_only"],
        reconciles=options["reconcile"],
        poll=float(options["poll"]),
        hook_secret=secret,
    )
    return made, new_token


def _token_file() -> Path:
    folder = user_folder("XDG_CONFIG_HOME", ".config")
    if folder is None:
        raise UsageError("there is no home directory", hint="name a file with --token-file")
    return folder / "serve-tokens"
