"""Options of the commands that create, update and synchronise repositories from templates."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from .options import github_token_option, with_options
from .types import MOST_SECONDS, Branch

_Decorator = Callable[[Any], Any]

FEATURES = {
    "golden-tests": ("add_golden", "Compare the output with expected output."),
    "lib": ("add_lib", "A Jsonnet library for other components."),
    "pp": ("add_pp", "Postprocessing filters."),
    "matrix-tests": ("add_matrix", "A matrix of CI jobs for the test cases."),
    "automerge-patch": (
        "automerge_patch",
        "Merge patch releases of dependencies automatically.",
    ),
    "automerge-patch-v0": (
        "automerge_patch_v0",
        "The same for version 0.x; implies --automerge-patch.",
    ),
    "autorelease": ("auto_release", "Release automatically after dependencies were merged."),
}
"""Parts of a template by their options, with the variable of each."""
AUTOMERGE_LISTS = {
    "patch-block": (
        "automerge_patch_regexp_blocklist",
        "that is never merged automatically, not even patch releases",
    ),
    "patch-v0-allow": (
        "automerge_patch_v0_regexp_allowlist",
        "at version 0.x whose patch releases are merged automatically",
    ),
    "minor-allow": (
        "automerge_minor_regexp_allowlist",
        "whose minor releases are merged automatically",
    ),
}
"""Which updates of dependencies are merged automatically; each list by name and by pattern."""


_TRUST = click.option(
    "--trust",
    is_flag=True,
    allow_from_autoenv=False,
    help="Use a third-party template, which can run code; its hooks are shown.",
)


def _pattern(ctx: click.Context, parameter: click.Parameter, value: str) -> re.Pattern[str] | None:
    try:
        return re.compile(value) if value else None
    except re.error as error:
        at = "" if error.pos is None else f" at position {error.pos}: {value[error.pos :]!r}"
        raise click.BadParameter(
            f"{value!r} is not a valid regular expression: {error.msg}{at}.", ctx, parameter
        ) from error


sync_options = with_options(
    github_token_option,
    click.option("--dry-run", is_flag=True, help="Do not commit, push or open pull requests."),
    click.option(
        "-b",
        "--pr-branch",
        type=Branch(),
        default="template-sync",
        show_default=True,
        metavar="BRANCH",
        help="Branch for the pull requests.",
    ),
    click.option(
        "-l",
        "--pr-label",
        multiple=True,
        metavar="LABEL",
        help="Label of the pull requests; may be repeated.",
    ),
    click.option(
        "--pr-batch-size",
        default=10,
        show_default=True,
        type=int,
        metavar="COUNT",
        help="Number of pull requests between pauses; 0 for no pauses.",
    ),
    click.option(
        "--github-pause",
        default=120,
        show_default=True,
        type=click.IntRange(0, MOST_SECONDS),
        metavar="DURATION",
        help="Length of a pause, in seconds.",
    ),
    click.option(
        "--filter",
        default="",
        metavar="REGEX",
        callback=_pattern,
        help="Process only entries of the list that match this regular expression.",
    ),
    click.option(
        "--template-version", help="Branch, tag or commit of the template; implies --dry-run."
    ),
    _TRUST,
)
"""The options of `sync`."""

test_case_option = click.option(
    "-t",
    "--additional-test-case",
    multiple=True,
    metavar="CASE",
    help="Test case to add; may be repeated.",
)
"""The option for further test cases."""


def new_options(template: str) -> _Decorator:
    """Add the options of `new`."""
    return with_options(
        click.option(
            "--name", metavar="TEXT", help="Name in the documentation; defaults to the slug."
        ),
        click.option(
            "--output-dir",
            default="",
            type=click.Path(file_okay=False),
            help="Parent folder of the repository; by default it becomes a dependency of the"
            " working directory.",
        ),
        click.option(
            "--owner",
            default="projectsyn",
            show_default=True,
            help="User or organization on GitHub.",
        ),
        click.option(
            "--template-url",
            default=template,
            show_default=True,
            help="Git URL or folder of a cookiecutter template; the default is built in.",
        ),
        click.option(
            "--template-version",
            default="main",
            show_default=True,
            help="Branch, tag or commit of the template; main is the newest version of the"
            " built-in one.",
        ),
        click.option(
            "--copyright",
            "copyright_holder",
            default="",
            help="Copyright holder; defaults to the committer.",
        ),
        click.option(
            "--set",
            "set",
            multiple=True,
            allow_from_autoenv=False,
            metavar="KEY=VALUE",
            help="Set any variable of the template, such as license=MIT; may be repeated.",
        ),
        _TRUST,
    )


def update_options(copyright_default: str | None) -> _Decorator:
    """Add the options of `update`."""
    return with_options(
        click.option(
            "--copyright",
            "copyright_holder",
            default=copyright_default,
            help="New copyright holder; unchanged by default.",
        ),
        click.option(
            "--update-copyright-year/--no-update-copyright-year",
            default=False,
            show_default=True,
            help="Set the copyright year to the current year.",
        ),
        click.option(
            "--remove-test-case",
            multiple=True,
            metavar="CASE",
            help="Test case to remove; may be repeated.",
        ),
        click.option(
            "--commit/--no-commit",
            default=True,
            show_default=True,
            help="Commit the changes, or leave them uncommitted.",
        ),
        click.option(
            "--template-version",
            help="Branch, tag or commit of the template; unchanged by default.",
        ),
        _TRUST,
    )


def features(defaults: dict[str, bool | None]) -> _Decorator:
    """Add options for parts of the template; without a default, a part stays as it is."""
    return with_options(
        *(
            click.option(
                f"--{name}/--no-{name}",
                default=default,
                show_default=default is not None,
                help=FEATURES[name][1],
            )
            for name, default in defaults.items()
        )
    )


def automerge(verb: str) -> _Decorator:
    """Add the options that add dependencies to lists, or remove them."""
    return with_options(
        *(
            click.option(
                f"--{verb}-automerge-{kind}-{by}",
                multiple=True,
                metavar=metavar,
                help=f"{verb.capitalize()} {what} {about}; may be repeated.",
            )
            for kind, (_, about) in AUTOMERGE_LISTS.items()
            for by, metavar, what in (
                ("depname", "NAME", "a dependency"),
                ("pattern", "PATTERN", "a regular expression for a dependency"),
            )
        )
    )


def existing_file(name: str) -> _Decorator:
    """The argument that names a list."""
    return click.argument(name, type=click.Path(exists=True, dir_okay=False, path_type=Path))
