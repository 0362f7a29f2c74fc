"""`commodore catalog affected`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

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
    help="Branch, tag or commit: what differs from it in the checkout around the current folder,"
    " or else in every checkout of the working directory that has it.",
)
@click.option(
    "--path",
    "paths",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A file of which anything may change; repeat for more.",
)
@output_option
@verbose_option
@click.pass_obj
def affected(
    settings: Globals, /, since: str, paths: tuple[Path, ...], verbose: int, output: str
) -> None:
    """List the instances that a change reaches, one per line.

    It goes by what each instance looked at when the working directory was compiled last: files,
    folders, and parameters of the hierarchy. -v also says why.

    \b
    What is edited here, and not committed:
      commodore catalog affected --since HEAD
    Before a file is touched:
      commodore catalog affected --path inventory/classes/global/commodore.yml
    Of a whole branch, for programs:
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
                f"there is no file {path}, and no instance looked for one",
                hint="name files, as seen from the current folder",
            )
    if output != "text":
        click.echo(formats.structured(_content(found, len(changes)), output))
        return
    for one in found:
        click.echo(one.instance)
        if config.verbosity:
            for reason in one.reasons:
                messages.step(f"{one.instance}: {reason.file}: {reason.why}")
    if not found:
        messages.step("No instance is reached")


def _changes(
    config: Config, files: Iterable[Path], since: str, seen: list[ChangedFile]
) -> Iterator[ChangedFile]:
    """What was named, as it is asked for; all of it is in `seen` afterwards."""
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
