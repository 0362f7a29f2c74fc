"""Flags and environment into one Config."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.config import Config

_Command = TypeVar("_Command", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Globals:
    """What was said before the sub-command."""

    working_dir: Path
    request_timeout: int
    verbosity: int = 0

    def more_verbose(self, count: int) -> Globals:
        """The same, with the `-v` of one more level added."""
        from .log import set_up  # noqa: PLC0415 - not for --help

        louder = replace(self, verbosity=self.verbosity + count)
        set_up(louder.verbosity)
        return louder


verbose_option = click.option(
    "-v", "--verbose", count=True, help="Tell more; repeat for even more."
)


def api_options(command: _Command) -> _Command:
    """Add where cluster facts come from, and how to be let in."""
    options = (
        click.option(
            "--api-url",
            envvar="COMMODORE_API_URL",
            metavar="URL",
            help="Lieutenant API, or a folder of cluster facts (./facts, /srv/facts, file:///…).",
        ),
        click.option(
            "--api-token",
            envvar="COMMODORE_API_TOKEN",
            metavar="TOKEN",
            help="Token for the API, or a file that holds it.",
        ),
        click.option(
            "--oidc-discovery-url",
            envvar="COMMODORE_OIDC_DISCOVERY_URL",
            metavar="URL",
            help="Discovery document of the identity provider.",
        ),
        click.option(
            "--oidc-client",
            envvar="COMMODORE_OIDC_CLIENT",
            metavar="TEXT",
            help="Client id at the identity provider.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def config_of(settings: Globals, **values: Any) -> Config:  # noqa: ANN401 - Config checks them by name
    """The frozen Config of this invocation."""
    from commodore_py.config import Config, WorkPaths  # noqa: PLC0415 - not for --help

    return Config(
        paths=WorkPaths(settings.working_dir),
        request_timeout=settings.request_timeout,
        verbosity=settings.verbosity,
        **values,
    )
