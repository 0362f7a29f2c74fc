"""`commodore catalog affected`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from commodore_py.cli.output import streams
from commodore_py.cli.settings.options import Globals, config_of, output_option, verbose_option

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from commodore_py.config import Config
    from commodore_py.workflows.affected import Affected
    from commodore_py.workflows.changed_files import ChangedFile


@click.command()
@click.option(
    "--since",
    default="",
    metavar="REV",
    help="Branch, tag or commit to compare with: in the checkout that contains the current"
    " folder, otherwise in every checkout of the working directory that has it.",
)
@click.option(
    "--path",
    "paths",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="File in which anything may change; may be repeated.",
)
@output_option
@verbose_option
@click.pass_obj
def affected(
    settings: Globals, /, since: str, paths: tuple[Path, ...], verbose: int, output: str
) -> None:
    """List the instances affected by a change, one per line.

    This is decided by what each instance read when the working directory was last compiled: files,
    folders and parameters of the hierarchy. -v also shows the reasons.

    \b
    Uncommitted changes:
      commodore catalog affected --since HEAD
    A file, before it is edited:
      commodore catalog affected --path inventory/classes/global/commodore.yml
    A whole branch, as JSON:
      commodore catalog affected --since origin/master -o json
    """
    if not since and not paths:
        raise click.UsageError("Name a commit with --since, or files with --path.")
    from commodore_py.cli.output import formats, messages
    from commodore_py.workflows import affected as workflow

    config = config_of(settings.more_verbose(verbose))
    changes: list[ChangedFile] = []
    found = workflow.affected(config.paths, _changes(config, paths, since, changes))
    reached = {reason.file for one in found for reason in one.reasons}
    for path in paths:
        if not path.is_file() and os.path.relpath(path, config.paths.root) not in reached:
            messages.warn(
                f"{path} does not exist, and no instance looked for it",
                hint="give paths relative to the current folder",
            )
    if output != "text":
        streams.data(formats.structured(_content(found, len(changes)), output))
        return
    for one in found:
        streams.result(one.instance)
        if config.verbosity:
            for reason in one.reasons:
                messages.info(f"{one.instance}: {reason.file}: {reason.why}")
    if not found:
        messages.info("No instances are affected")


def _changes(
    config: Config, files: Iterable[Path], since: str, seen: list[ChangedFile]
) -> Iterator[ChangedFile]:
    """The changed files; each is added to `seen` when it is consumed."""
    from commodore_py.workflows import changed_files

    further = changed_files.since(config.paths, since) if since else ()
    for one in (*changed_files.named(files), *further):
        seen.append(one)
        yield one


def _content(found: Iterable[Affected], changes: int) -> dict[str, Any]:
    return {
        "schema": "catalog-affected/v1",
        "changed_files": changes,
        "instances": [
            {
                "name": one.instance,
                "component": one.component,
                "reasons": [{"file": reason.file, "why": reason.why} for reason in one.reasons],
            }
            for one in found
        ],
    }
