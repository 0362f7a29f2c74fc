"""`commodore edit log` and `commodore edit undo`."""

from __future__ import annotations

import click

from commodore_py.cli.output import messages, streams
from commodore_py.cli.settings.options import Globals, config_of, output_option, verbose_option


@click.command()
@click.argument("number", metavar="[ID]", default="")
@verbose_option
@click.pass_obj
def undo(settings: Globals, /, number: str, verbose: int) -> None:
    """Give files what they had before the last edit, or before edit ID.

    What was changed elsewhere in them stays. Undoing an edit that was undone makes it again.
    """
    from commodore_py.dependencies.protection.run_lock import exclusive_run
    from commodore_py.workflows.editing import undo as editing

    paths = config_of(settings.more_verbose(verbose)).paths
    with exclusive_run(paths):
        entry = editing.undo(paths, number)
    did = "Undid" if entry.undone else "Made again"
    files = ", ".join(one.file for one in entry.files)
    messages.info(f"{did} edit {entry.id}: {entry.operation} in {files}")
    if entry.commit:
        messages.info(f"Commit {entry.commit[:10]} stays: commit the reverted files, too")


@click.command()
@output_option
@verbose_option
@click.pass_obj
def log(settings: Globals, /, output: str, verbose: int) -> None:
    """List the edits that were written in this working directory."""
    from commodore_py.dependencies.protection import edit_journal

    entries = edit_journal.entries(config_of(settings.more_verbose(verbose)).paths)
    if output != "text":
        from commodore_py.cli.output import formats

        listed = [
            {
                **{key: getattr(entry, key) for key in ("id", "time", "operation", "undone")},
                "files": [one.file for one in entry.files],
                "commit": entry.commit or None,
            }
            for entry in entries
        ]
        streams.data(formats.structured({"schema": "edit-log/v1", "edits": listed}, output))
        return
    for entry in reversed(entries):
        files = " ".join(one.file for one in entry.files)
        undone = "  (undone)" if entry.undone else ""
        streams.result(f"{entry.id:>4}  {entry.time}  {entry.operation}  {files}{undone}")
