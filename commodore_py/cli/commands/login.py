"""`commodore login`, `logout` and `fetch-token`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from commodore_py.cli.command_classes import verbose_option
from commodore_py.cli.output import messages, streams
from commodore_py.cli.settings import user_file
from commodore_py.cli.settings.options import (
    Globals,
    api_settings,
    config_of,
    login_options,
    with_options,
)
from commodore_py.cli.settings.types import SECONDS
from commodore_py.lieutenant.auth.session import log_in, log_out

if TYPE_CHECKING:
    from commodore_py.config import Config


_way_options = with_options(
    click.option(
        "--device",
        is_flag=True,
        allow_from_autoenv=False,
        help="Log in on another device: print a URL and a code to enter there.",
    ),
    click.option(
        "--timeout",
        allow_from_autoenv=False,
        type=SECONDS,
        default=300,
        show_default=True,
        help="Seconds to wait for the login.",
    ),
)


@click.command()
@login_options
@_way_options
@click.pass_obj
def login(settings: Globals, /, **options: Any) -> None:
    """Log in to the API and save a token for other commands.

    Does nothing if the saved token is still valid.
    """
    config = _config(settings, options)
    token = log_in(config, device=options["device"])
    if config.api_url:
        messages.info(f"Logged in to {config.api_url}")
    else:
        # Not saved without an API: printed, as Commodore does.
        streams.secret(token)


@click.command()
@click.option(
    "--api-url",
    cls=user_file.SharedOption,
    envvar="COMMODORE_API_URL",
    metavar="URL",
    help="Lieutenant API.",
)
@click.pass_obj
def logout(settings: Globals, api_url: str | None) -> None:
    """Remove the saved token of the API; tokens of other APIs are kept."""
    config = config_of(settings, api_url=api_url or "")
    if log_out(config):
        messages.info(f"Logged out of {config.api_url}")
    else:
        messages.info(f"Not logged in to {config.api_url}")


@click.command(name="fetch-token")
@login_options
@_way_options
@verbose_option
@click.pass_obj
def fetch_token(settings: Globals, /, **options: Any) -> None:
    """Print a valid token for the API; log in first if necessary.

    \b
    In a shell:
      curl --header "Authorization: Bearer $(commodore fetch-token)" ...
    """
    from commodore_py.lieutenant.auth.session import fetch_token

    config = _config(settings, options)
    streams.secret(fetch_token(config, device=options["device"]))


def _config(settings: Globals, options: dict[str, Any]) -> Config:
    return config_of(
        settings,
        **api_settings(options),
        oidc_listen=user_file.shared_text("oidc_listen"),
        login_timeout=options["timeout"],
    )
