"""Options that the commands about edits share, and how these are carried out."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from commodore_py.cli import completion
from commodore_py.cli.exit_codes import CHANGES_FOUND
from commodore_py.cli.output import messages
from commodore_py.cli.settings.options import (
    Globals,
    api_options,
    api_settings,
    config_of,
    offline_option,
    output_option,
    strict_option,
    verbose_option,
    with_options,
)
from commodore_py.cli.settings.types import Branch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeAlias

    from commodore_py.config import Config
    from commodore_py.workflows.editing.commits import CommitRequest
    from commodore_py.workflows.editing.requests import Level, Operation, Request, Where
    from commodore_py.workflows.editing.rules import Rules

    _Command: TypeAlias = Callable[..., Any]

_LONGEST = 1 << 24
_VALIDATIONS = ("none", "syntax", "inventory", "compile")


def path_argument(command: _Command) -> _Command:
    """PATH, the path of a parameter."""
    return click.argument("path", shell_complete=completion.parameters)(command)


def parameter_options(command: _Command) -> _Command:
    """Add the options of an edit of a parameter."""
    return with_options(
        click.option(
            "--target",
            default="",
            metavar="INSTANCE",
            shell_complete=completion.targets,
            help="Look at the layers of this instance.",
        ),
        click.option("--through-anchor", is_flag=True, help="Also change what aliases lead to."),
        click.option(
            "--replace-reference", is_flag=True, help="Replace a value that is a reference."
        ),
        edit_options,
    )(command)


def edit_options(command: _Command) -> _Command:
    """Add the options of every edit."""
    return with_options(scope_options, transaction_options)(command)


def scope_options(command: _Command) -> _Command:
    """Add options about which class file is edited."""
    return with_options(
        click.option(
            "--tenant", is_flag=True, help="Edit a class of the tenant, not one of the cluster."
        ),
        click.option("--global", "everywhere", is_flag=True, help="Edit a class of all clusters."),
        click.option(
            "--at",
            type=click.Path(dir_okay=False, path_type=Path),
            metavar="FILE",
            help="Edit exactly this class file.",
        ),
    )(command)


def transaction_options(command: _Command) -> _Command:
    """Add options about how an edit is validated and written."""
    added: _Command = with_options(
        validation_options,
        click.option("--commit", is_flag=True, help="Commit the files of the edit, nothing else."),
        click.option("-m", "--message", default="", metavar="TEXT", help="Message of the commit."),
        click.option(
            "--branch",
            type=Branch(),
            default="",
            metavar="NAME",
            help="Commit on top of the remote's head as a new branch; the checkout stays as it is.",
        ),
        click.option("--push", is_flag=True, help="Push the commit; needs --commit or --branch."),
        click.option(
            "--clusters",
            default="",
            metavar="ID,…|all",
            help="Also compile these clusters with the edit, or all of the tenant; with --global"
            " all there are.",
        ),
        click.option(
            "--lock",
            envvar="COMMODORE_LOCK",
            type=click.Path(dir_okay=False, path_type=Path),
            metavar="FILE",
            help="Compile with the inputs that are locked in FILE, which stays as it is; {cluster}"
            " stands for the id.",
        ),
        offline_option,
        api_options,
        output_option,
        strict_option,
        verbose_option,
    )(click.pass_obj(command))
    return added


def validation_options(command: _Command) -> _Command:
    """Add options about how the outcome is validated, and what counts as success."""
    return with_options(
        click.option(
            "--validate",
            type=click.Choice(_VALIDATIONS),
            default="compile",
            show_default=True,
            help="How far to check the outcome before anything is written.",
        ),
        click.option("--dry-run", is_flag=True, help="Show what would change; write nothing."),
        click.option("--exit-code", is_flag=True, help="Exit with status 5 if there are changes."),
    )(command)


def value_options(command: _Command) -> _Command:
    """Add options about how VALUE is read."""
    return with_options(
        click.option("--string", is_flag=True, help="Take VALUE as text, not as YAML."),
        click.option(
            "--from-file",
            type=click.Path(exists=True, dir_okay=False, path_type=Path),
            metavar="FILE",
            help="Read VALUE from FILE.",
        ),
        click.option(
            "--no-references", is_flag=True, help="Take ${…} in VALUE as text, not as references."
        ),
    )(command)


def values_of(texts: tuple[str, ...], options: dict[str, Any]) -> tuple[Any, ...]:
    """The values of the command line, or the one in a file or on stdin."""
    from commodore_py.errors import UsageError

    if options["from_file"] is not None:
        if texts:
            raise UsageError("VALUE and --from-file exclude each other")
        texts = (options["from_file"].read_text("utf-8"),)
    if not texts:
        raise UsageError("VALUE is missing", hint="name it, `-` for stdin, or --from-file FILE")
    return tuple(_value(text, options) for text in texts)


def _value(text: str, options: dict[str, Any]) -> Any:
    from commodore_py.errors import CommodoreError, UsageError
    from commodore_py.inventory.engine.class_edits import value_of

    if text == "-":
        text = stdin_text()
        if not text and not options["string"]:
            raise UsageError("stdin is empty", hint="--string takes the empty text")
    if options["no_references"]:
        text = text.replace("${", "\\${")
    if options["string"]:
        return text
    try:
        return value_of(text)
    except CommodoreError as error:
        raise UsageError(
            f"VALUE cannot be used: {error}", where=error.where, hint="--string takes it as it is"
        ) from None


def stdin_text() -> str:
    """What stands on stdin."""
    from commodore_py.errors import UsageError

    text = sys.stdin.read(_LONGEST + 1)
    if len(text) > _LONGEST:
        raise UsageError(f"the text on stdin is longer than {_LONGEST:,} characters")
    return text


def run_requests(settings: Globals, requests: Iterable[Request], options: dict[str, Any]) -> int:
    """Carry out requests with one scope as one edit."""
    from commodore_py.workflows.editing.requests import Operation

    where = where_of(options)
    return run_operations(settings, [Operation(one, where) for one in requests], options)


def run_operations(settings: Globals, operations: list[Operation], options: dict[str, Any]) -> int:
    """Carry out operations as one edit, and show it."""
    from commodore_py.workflows.editing import transaction

    from . import result

    found = transaction.run(edit_config(settings, options), operations, rules_of(options))
    if not found.plan:
        files = dict.fromkeys(one.choice.shown for one in found.plan.planned)
        messages.info(f"Nothing to do: {', '.join(files)} has that already")
        return 0
    result.show(found, options["output"])
    if found.verdict.failing:
        return 1
    return CHANGES_FOUND if options["exit_code"] else 0


def edit_config(settings: Globals, options: dict[str, Any]) -> Config:
    """The settings of an edit: those of a compile, with its caches."""
    from commodore_py.cli.settings import directories

    caches = directories.caches_in(directories.cache_folder())
    lock = options["lock"].absolute() if options["lock"] is not None else None
    own = {"offline": options["offline"], "lock_file": lock, **caches, **api_settings(options)}
    return config_of(settings.more_verbose(options["verbose"]), **own)


def rules_of(options: dict[str, Any]) -> Rules:
    """How the options have an edit validated."""
    clusters = tuple(one for one in options["clusters"].split(",") if one)
    return validation_of(options)._replace(clusters=clusters, git=_commit_request(options))


def validation_of(options: dict[str, Any]) -> Rules:
    """How `validation_options` have an edit validated."""
    from commodore_py.workflows.editing.rules import Rules

    return Rules(
        options["validate"],
        strict=options["strict"],
        dry_run=options["dry_run"],
    )


def _commit_request(options: dict[str, Any]) -> CommitRequest:
    from commodore_py.errors import UsageError
    from commodore_py.workflows.editing.commits import CommitRequest

    if options["commit"] and options["branch"]:
        raise UsageError("--commit and --branch exclude each other")
    request = CommitRequest(
        options["commit"], options["message"], options["branch"], options["push"]
    )
    if request.push and not request:
        raise UsageError("--push needs --commit or --branch")
    if request.message and not request:
        raise UsageError("--message needs --commit or --branch")
    return request


def where_of(options: dict[str, Any]) -> Where:
    """What the options allow an edit to change."""
    from commodore_py.workflows.editing.requests import Where

    return Where(
        _level(options),
        options["at"],
        options.get("target", ""),
        through_anchors=options.get("through_anchor", False),
        replace_references=options.get("replace_reference", False),
    )


def _level(options: dict[str, Any]) -> Level:
    if options["tenant"] and options["everywhere"]:
        raise click.UsageError("--tenant and --global exclude each other.")
    if options["tenant"]:
        return "tenant"
    return "global" if options["everywhere"] else "cluster"
