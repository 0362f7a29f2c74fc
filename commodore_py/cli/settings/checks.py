"""Options about what checks use besides the catalog."""

from __future__ import annotations

from typing import Any

import click

from commodore_py.cli.settings.options import with_options

POLICY_ENGINES = ("built-in", "opa")


def check_options(command: Any) -> Any:
    """Add options for the checks that need more than the objects."""
    return with_options(
        click.option(
            "--policy-engine",
            type=click.Choice(POLICY_ENGINES),
            default=POLICY_ENGINES[0],
            show_default=True,
            help="What evaluates policies: the library of the extra [policy], or the program opa.",
        ),
    )(command)
