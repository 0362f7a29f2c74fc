"""`commodore serve`."""

from __future__ import annotations

import logging
import os
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from commodore_py.adapters.files.file_lock import locked
from commodore_py.adapters.http.listener import listen
from commodore_py.cli.command_classes import verbose_option
from commodore_py.cli.output import messages, streams
from commodore_py.cli.settings.options import (
    Globals,
    compiling_config,
    jobs_option,
    own_api_options,
)
from commodore_py.cli.settings.types import SECONDS
from commodore_py.config import Author, user_folder
from commodore_py.dependencies.protection.journal import prepare
from commodore_py.errors import CommodoreError, UsageError

if TYPE_CHECKING:
    from commodore_py.config import Config

_PORT, _POLL = "8064", 60
_MOST_PORTS = 65_535
_EXTRA = "install commodore-py with its extra serve"
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command()
@click.option(
    "--port",
    default=_PORT,
    show_default=True,
    metavar="[ADDRESS:]PORT",
    help="Where to listen, by default on 127.0.0.1 only; port 0 is any free one.",
)
@click.option(
    "--tls", type=_FILE, metavar="FILE", help="Certificate and private key in PEM, for HTTPS."
)
@click.option(
    "--behind-proxy",
    "proxied",
    multiple=True,
    metavar="HOST[:PORT]",
    help="Host name under which a proxy with TLS serves the daemon; may be repeated.",
)
@click.option(
    "--token-file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Lines of NAME TOKEN, readable by you only; by default serve-tokens beside your settings.",
)
@jobs_option
@click.option(
    "--reconcile",
    is_flag=False,
    flag_value=_POLL,
    type=SECONDS,
    metavar="[SECONDS]",
    help="Compile and push clusters whenever a repository that they use changes; repositories are"
    f" looked at after a webhook, and every so many seconds, by default {_POLL}.",
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
      commodore serve --behind-proxy clusters.example.com --reconcile
    """
    try:
        from .server import serve as run
        from .settings import WEBHOOK, Settings, read_tokens
    except ImportError as error:
        if str(error.name).startswith("commodore_py"):
            raise
        raise CommodoreError(f"{error.name} is not installed", hint=_EXTRA) from error
    tls, proxied = options["tls"], options["proxied"]
    address, port = _place(options["port"], secure=bool(tls or proxied))
    with listen(address, port) as listener:
        hosts = proxied or _hosts(address, listener.getsockname()[1], tls)
        scheme = "https" if tls or proxied else "http"
        origins = tuple(f"{scheme}://{host.lower()}" for host in hosts)
        author = Author(
            os.environ.get("GIT_AUTHOR_NAME", ""), os.environ.get("GIT_AUTHOR_EMAIL", "")
        )
        config = compiling_config(settings, options, may_log_in=False, author=author)
        file = _token_file(options["token_file"], config)
        prepare(config.paths.state)
        # Two would push the same.
        lock = config.paths.state / "serve" / "lock"
        with locked(lock, what="this working directory, and serves it", patience=0):
            tokens, new_token = read_tokens(file.absolute())
            secret = tokens.pop(WEBHOOK, None)
            daemon_settings = Settings(
                config,
                tokens,
                frozenset(origins),
                options["jobs"] or os.cpu_count() or 1,
                reconciles=options["reconcile"] is not None,
                poll=float(options["reconcile"] or _POLL),
                hook_secret=secret.value if secret else "",
            )

            def ready() -> None:
                streams.result(f"Serving {config.paths.root} at {origins[0]}/")
                if new_token:
                    messages.announce("A new token; it is printed this once")
                    streams.secret(f"{origins[0]}/login?token={new_token}")

            logging.getLogger("uvicorn").setLevel(logging.WARNING)
            run(daemon_settings, [listener], ready=ready, tls=tls, behind_proxy=bool(proxied))
    messages.info("Stopped")


def _place(text: str, *, secure: bool) -> tuple[str, int]:
    """The address and the port of `--port`; without TLS, no address that others reach."""
    address, _, port = text.rpartition(":")
    address = address.strip("[]") or "127.0.0.1"
    if not port.isdecimal() or int(port) > _MOST_PORTS:
        raise click.BadParameter(f"{text!r} is not [ADDRESS:]PORT.", param_hint="--port")
    is_loopback = address == "localhost"
    with suppress(ValueError):
        is_loopback = is_loopback or ip_address(address).is_loopback
    if not is_loopback and not secure:
        raise UsageError(
            f"{address} can be reached from other machines, and tokens would not be encrypted",
            hint="add --tls or --behind-proxy",
        )
    return address, int(port)


def _hosts(address: str, port: int, tls: Path | None) -> tuple[str, ...]:
    """The hosts that requests may name: those of the certificate, and of the address."""
    shown = f"[{address}]" if ":" in address else address
    names = (*_names_in(tls), shown, "localhost") if tls else (shown, "localhost")
    # Browsers leave out the usual port.
    ports = ("", f":{port}") if port == (443 if tls else 80) else (f":{port}",)
    return tuple(dict.fromkeys(f"{name}{port}" for port in ports for name in names))


def _names_in(certificate: Path) -> list[str]:
    from cryptography import x509

    try:
        loaded = x509.load_pem_x509_certificate(certificate.read_bytes())
        names = loaded.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except (OSError, ValueError, x509.ExtensionNotFound) as error:
        raise UsageError(
            f"the certificate cannot be used: {error}", where=str(certificate)
        ) from error
    return [name for name in names.get_values_for_type(x509.DNSName) if "*" not in name]


def _token_file(file: Path | None, config: Config) -> Path:
    """The token file, outside of the working directory."""
    if file is None:
        folder = user_folder("XDG_CONFIG_HOME", ".config")
        if folder is None:
            raise UsageError("there is no home directory", hint="name a file with --token-file")
        file = folder / "serve-tokens"
    if file.resolve().is_relative_to(config.paths.root.resolve()):
        raise UsageError(
            "the token file is in the working directory, which components may read",
            where=str(file),
            hint="keep it elsewhere",
        )
    return file
