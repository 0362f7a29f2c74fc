"""Options of the commands that make, update and synchronise repositories from templates."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from .options import git_cache_option, github_token_option, push_url_option
from .types import Branch

_Command = TypeVar("_Command", bound=Callable[..., Any])
_Decorator = Callable[[Any], Any]

_LICENSES = ("BSD-3-Clause", "Apache-2.0", "MIT", "none")

# Which dependencies' updates are merged by themselves: each list by name and by pattern.
_AUTOMERGE_LISTS = {
    "patch-block": "never merged by themselves, not even for a patch release",
    "patch-v0-allow": "of version 0.x whose patch releases are merged by themselves",
    "minor-allow": "whose minor releases are merged by themselves",
}


def new_options(template: str) -> _Decorator:
    """Where a new repository comes from and belongs."""
    return _all(
        click.option("--name", metavar="TEXT", help="Name in the documentation; else the slug."),
        click.option(
            "--output-dir",
            default="",
            type=click.Path(file_okay=False),
            help="Parent folder; else it becomes a dependency of the working directory.",
        ),
        click.option(
            "--owner", default="", help="User or group at GitHub; else Git's setting github.user."
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
            help="Branch, tag or commit of the template; for the built-in, main is the newest.",
        ),
        click.option(
            "--copyright",
            "copyright_holder",
            default="",
            help="Who holds the copyright; else who commits.",
        ),
        click.option(
            "--license",
            "license",
            type=click.Choice(_LICENSES),
            default=_LICENSES[0],
            show_default=True,
            help="Licence that the built-in template writes.",
        ),
        *_ANY_TEMPLATE,
    )


def update_options(copyright_default: str | None) -> _Decorator:
    """What an update from the template may change besides the template's own changes."""
    return _all(
        click.option(
            "--copyright",
            "copyright_holder",
            default=copyright_default,
            help="New holder of the copyright; else as it is.",
        ),
        click.option(
            "--update-copyright-year/--no-update-copyright-year",
            default=False,
            show_default=True,
            help="Set the year of the copyright to this one.",
        ),
        click.option(
            "--remove-test-case",
            multiple=True,
            metavar="CASE",
            help="Test case to drop; repeat for more.",
        ),
        click.option(
            "--commit/--no-commit",
            default=True,
            show_default=True,
            help="Commit what changed, or only show it.",
        ),
        click.option(
            "--template-version", help="Branch, tag or commit of the template; else as it is."
        ),
        click.option("--diff", is_flag=True, help="Show what would change, and change nothing."),
        click.option(
            "--check",
            is_flag=True,
            help="Change nothing, and end with 5 if there is something to update.",
        ),
        click.option(
            "--conflicts",
            type=click.Choice(("refuse", "markers")),
            default="refuse",
            show_default=True,
            help="Where you and the template changed the same: change nothing, or write both sides"
            " into the files and commit nothing.",
        ),
        *_ANY_TEMPLATE,
    )


def sync_options(command: _Command) -> _Command:
    """How changes are offered to many repositories."""
    add = _all(
        github_token_option,
        click.option("--dry-run", is_flag=True, help="Commit, push and open nothing."),
        click.option(
            "-b",
            "--pr-branch",
            type=Branch(),
            default="template-sync",
            show_default=True,
            metavar="BRANCH",
            help="Branch of the pull requests.",
        ),
        click.option(
            "-l",
            "--pr-label",
            multiple=True,
            metavar="LABEL",
            help="Label of the pull requests; repeat for more.",
        ),
        click.option(
            "--pr-batch-size",
            default=10,
            show_default=True,
            type=int,
            metavar="COUNT",
            help="Pull requests before a pause; 0 for no pauses.",
        ),
        click.option(
            "--github-pause",
            default=120,
            show_default=True,
            type=int,
            metavar="DURATION",
            callback=_not_negative,
            help="Seconds of a pause.",
        ),
        click.option(
            "--filter",
            default="",
            metavar="REGEX",
            callback=_pattern,
            help="Only entries of the list in which this is found.",
        ),
        click.option(
            "--template-version", help="Branch, tag or commit of the template; implies --dry-run."
        ),
        click.option(
            "--github-url",
            default="https://api.github.com",
            show_default=True,
            metavar="URL",
            help="GitHub's API; of GitHub Enterprise it is https://HOST/api/v3.",
        ),
        push_url_option,
        git_cache_option,
        _TRUST,
    )
    done: _Command = add(command)
    return done


def test_case_option(command: _Command) -> _Command:
    """Test cases besides `defaults`."""
    return click.option(
        "-t",
        "--additional-test-case",
        multiple=True,
        metavar="CASE",
        help="Test case to add; repeat for more.",
    )(command)


def feature(name: str, *, default: bool | None, about: str) -> _Decorator:
    """A part of the template that can be had or not; unset keeps what there is."""
    return click.option(
        f"--{name}/--no-{name}", default=default, show_default=default is not None, help=about
    )


def component_features(defaults: dict[str, bool]) -> _Decorator:
    """The parts that only components have; without a default a part stays as it is."""
    about = {
        "lib": "A Jsonnet library for other components.",
        "pp": "Filters over the compiled manifests.",
        "matrix-tests": "Tests of every case side by side.",
        "automerge-patch": "Merge patch releases of dependencies by themselves.",
        "automerge-patch-v0": "The same for version 0.x; implies --automerge-patch.",
        "autorelease": "Release after dependencies were merged by themselves.",
    }
    parts = [feature(name, default=defaults.get(name), about=text) for name, text in about.items()]
    return _all(*parts, *_automerge("add"))


def automerge_removals(command: _Command) -> _Command:
    """The reverse of the `--add-automerge-…` options."""
    done: _Command = _all(*_automerge("remove"))(command)
    return done


def existing_folder(name: str) -> _Decorator:
    """The argument that names a checkout."""
    return click.argument(name, type=click.Path(exists=True, file_okay=False, path_type=Path))


def existing_file(name: str) -> _Decorator:
    """The argument that names a list."""
    return click.argument(name, type=click.Path(exists=True, dir_okay=False, path_type=Path))


_TRUST = click.option(
    "--trust",
    is_flag=True,
    help="Run the programs that a template of others brings along, after showing them.",
)
_ANY_TEMPLATE = (
    click.option(
        "--set",
        "set",
        multiple=True,
        metavar="KEY=VALUE",
        help="Set any variable of the template; repeat for more.",
    ),
    _TRUST,
)


def _pattern(ctx: click.Context, parameter: click.Parameter, value: str) -> re.Pattern[str] | None:
    try:
        return re.compile(value) if value else None
    except re.error as error:
        at = "" if error.pos is None else f" at position {error.pos}: {value[error.pos :]!r}"
        raise click.BadParameter(
            f"{value!r} is no regular expression: {error.msg}{at}.", ctx, parameter
        ) from error


def _not_negative(ctx: click.Context, parameter: click.Parameter, value: int) -> int:
    if value < 0:
        raise click.BadParameter(f"{value} is below zero.", ctx, parameter)
    return value


def _automerge(verb: str) -> list[_Decorator]:
    return [
        click.option(
            f"--{verb}-automerge-{kind}-{by}",
            multiple=True,
            metavar=metavar,
            help=f"{verb.capitalize()} {what} of dependencies {about}; repeat for more.",
        )
        for kind, about in _AUTOMERGE_LISTS.items()
        for by, metavar, what in (("depname", "NAME", "a name"), ("pattern", "PATTERN", "a regex"))
    ]


def _all(*options: _Decorator) -> _Decorator:
    def add(command: Any) -> Any:
        for option in reversed(options):
            command = option(command)
        return command

    return add
