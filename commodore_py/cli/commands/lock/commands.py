"""The commands about lock files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from commodore_py.cli import completion
from commodore_py.cli.command_classes import LazyGroup
from commodore_py.cli.exit_codes import CHANGES_FOUND
from commodore_py.cli.output import messages, streams
from commodore_py.cli.settings.options import (
    HELP,
    Globals,
    api_options,
    api_settings,
    config_of,
    output_option,
    strict_option,
    verbose_option,
)

if TYPE_CHECKING:
    from commodore_py.cli.output.differences import DiffForm
    from commodore_py.config import Config
    from commodore_py.workflows.lock.resolve import Step

_lock_file = click.option(
    "--lock",
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    envvar="COMMODORE_LOCK",
    metavar="FILE",
    help="The lock file.",
)

_lock_files = click.option(
    "--lock",
    "files",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    multiple=True,
    envvar="COMMODORE_LOCK",
    metavar="FILE",
    help="The lock file; may be repeated.",
)

_out_file = click.option(
    "-o",
    "--out",
    "--lock",
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    metavar="FILE",
    help="The file to write; {cluster} stands for the id.",
)

_result_format = click.option(  # where `-o` names a file
    "--output",
    type=click.Choice(("text", "json", "yaml")),
    default="text",
    show_default=True,
    help="Format of the result on stdout.",
)


@click.group(cls=LazyGroup, context_settings=HELP)
@verbose_option
@click.pass_context
def lock(ctx: click.Context, verbose: int) -> None:
    """Lock all inputs of a cluster, and update them one by one.

    \b
    A lock file records what a catalog was compiled from: facts, commits, charts, downloads.
      commodore lock create c-demo-1 -o c-demo-1.lock
      commodore catalog compile c-demo-1 --lock c-demo-1.lock --frozen
      commodore lock update argocd --lock c-demo-1.lock
    """
    ctx.obj = ctx.obj.more_verbose(verbose)


@lock.command(short_help="Compile a cluster and lock its inputs.")
@click.argument("cluster", shell_complete=completion.clusters)
@_out_file
@click.option(
    "--pin-tenant/--no-pin-tenant",
    default=None,
    help="Whether the commit of the tenant configuration is locked; by default, unless FILE is part"
    " of it.",
)
@click.option(
    "--facts",
    type=click.Choice(("values", "digest")),
    default="values",
    show_default=True,
    help="Lock facts, or only their digest.",
)
@_result_format
@api_options
@strict_option
@verbose_option
@click.pass_obj
def create(
    settings: Globals,
    /,
    cluster: str,
    file: Path,
    pin_tenant: bool | None,
    facts: str,
    output: str,
    **options: Any,
) -> None:
    """Compile CLUSTER and write what it is made of to FILE; the catalog is left alone.

    \b
      commodore lock create c-demo-1 -o locks/c-demo-1.lock
    """
    from commodore_py.workflows.lock import resolve

    outcome = resolve.create(
        _config(settings, options),
        cluster,
        file.absolute(),
        pin_tenant=pin_tenant,
        digest_only=facts == "digest",
    )
    _report(outcome, "lock-create/v1", output)


@lock.command(short_help="Lock new and changed requests.")
@_lock_file
@click.option("--check", is_flag=True, help="Write nothing; exit with status 6 if it is outdated.")
@output_option
@api_options
@strict_option
@verbose_option
@click.pass_obj
def sync(settings: Globals, /, file: Path, check: bool, output: str, **options: Any) -> None:
    """Lock new and changed requests, complete pins, and remove what nothing requests.

    Other pins stay. In CI, run it on the branches of bots that edit lock files.
    """
    from commodore_py.workflows.lock import resolve

    outcome = resolve.sync(_config(settings, options), file.absolute(), check=check)
    _report(outcome, "lock-sync/v1", output)


@lock.command(short_help="Update inputs one by one.")
@click.argument("names", nargs=-1, metavar="[NAME]...", shell_complete=completion.locked_inputs)
@_lock_files
@click.option(
    "--to",
    default="",
    metavar="VERSION",
    shell_complete=completion.locked_versions,
    help="A commit or version to update NAME to.",
)
@click.option("--dry-run", is_flag=True, help="Show what would change; write nothing.")
@click.option(
    "--diff",
    type=click.Choice(("objects", "text", "stat", "none")),
    default="objects",
    show_default=True,
    help="How to show what each update changes in the catalog.",
)
@output_option
@api_options
@strict_option
@verbose_option
@click.pass_obj
def update(
    settings: Globals,
    /,
    names: tuple[str, ...],
    files: tuple[Path, ...],
    to: str,
    dry_run: bool,
    diff: DiffForm,
    output: str,
    **options: Any,
) -> int:
    """Resolve inputs again, one at a time, and show what each changes in the catalog.

    Without NAME, all that follow a branch or the newest version are updated. NAME is argocd, or
    component/argocd where that is ambiguous. With several locks, each cluster is compiled in its
    folder below clusters/.

    \b
      commodore lock update argocd --lock c-demo-1.lock --dry-run
    """
    from commodore_py.cli.output import formats, locks
    from commodore_py.errors import UsageError
    from commodore_py.workflows.lock import several

    if to and len(names) != 1:
        raise UsageError("--to requires one NAME")
    updated = several.update(
        _config(settings, options),
        tuple(file.absolute() for file in files),
        names,
        to=to,
        dry_run=dry_run,
        compare=diff != "none",
    )
    every = [step for steps in updated.values() for step in steps]
    changed = any(name for step in every for names in step.changes[1:] for name in names)
    if output != "text":
        written = changed and not dry_run
        content = {"schema": "lock-update/v1", "file": str(files[0]), "written": written}
        content["updates"] = [
            {**locks.step(step), "lock": file} for file, steps in updated.items() for step in steps
        ]
        streams.data(formats.structured(content, output))
    for file, steps in updated.items() if output == "text" else ():
        if len(updated) > 1:
            messages.heading(f"{file}:")
        for step in steps:
            _print_step(step, diff)
    if output == "text":
        whole = ", ".join(map(str, files))
        wrote = f"Not written, because of --dry-run: {whole}" if dry_run else f"Wrote {whole}"
        messages.info(wrote if changed else "Nothing changed")
    return 1 if any(one.error for one in every) else 0


def _print_step(step: Step, diff: DiffForm) -> None:
    from commodore_py.cli.output import locks
    from commodore_py.cli.output.differences import DiffOptions, text_of

    messages.heading(_heading(step))
    if step.error is not None:
        messages.warn(f"{step.name} is not updated: {step.error}", where=step.error.where)
        return
    for line in locks.change_lines(step.changes):
        messages.info(line)
    if step.change is not None and (step.change or step.before != step.after):
        streams.result(text_of(step.change, DiffOptions(diff)))


def _heading(step: Step) -> str:
    if step.error is not None:
        return step.name
    if step.before == step.after:
        return f"{step.name}: {', '.join(filter(None, (step.after, 'up to date')))}"
    return f"{step.name}: {step.before} -> {step.after}" if step.after else step.name


@lock.command(short_help="Show what is locked.")
@click.argument("names", nargs=-1, metavar="[NAME]...", shell_complete=completion.locked_inputs)
@_lock_files
@output_option
@verbose_option
@click.pass_obj
def show(
    settings: Globals, names: tuple[str, ...], files: tuple[Path, ...], output: str, verbose: int
) -> None:
    """Show what is requested, what is locked for it, and its size if it is here.

    In a working directory in which the cluster was compiled, with the lines that request it.
    """
    from commodore_py.cli.output import formats, locks
    from commodore_py.workflows.lock import several

    config = _local_config(settings.more_verbose(verbose))
    found = several.show(config, tuple(map(str, files)), names)
    if output != "text":
        streams.data(formats.structured(locks.shown(found), output))
        return
    for lock in found:
        if len(found) > 1:
            messages.heading(f"{lock.file}:")
        for line in locks.input_lines(lock.inputs):
            streams.result(line)


@lock.command(short_help="Compare two lock files.")
@click.argument("before", metavar="A")
@click.argument("after", metavar="B")
@click.option("--exit-code", is_flag=True, help="Exit with status 5 if they differ.")
@output_option
@verbose_option
@click.pass_obj
def diff(
    settings: Globals,
    before: str,
    after: str,
    exit_code: bool,
    output: str,
    verbose: int,
) -> int:
    """Show what differs between two lock files; each is a file, or REV:PATH in Git.

    \b
      commodore lock diff HEAD~1:c-demo-1.lock c-demo-1.lock
    """
    from commodore_py.cli.output import formats, locks
    from commodore_py.workflows.lock import compare

    config = config_of(settings.more_verbose(verbose))
    found = compare.differences(compare.lock_at(before), compare.lock_at(after), config.paths)
    if output != "text":
        content = {"schema": "lock-diff/v1", "inputs": [locks.difference(one) for one in found]}
        streams.data(formats.structured(content, output))
    else:
        for line in locks.difference_lines(found):
            streams.result(line)
    return CHANGES_FOUND if exit_code and found else 0


@lock.command(short_help="Compare a lock with what servers have.")
@_lock_files
@output_option
@strict_option
@verbose_option
@click.pass_obj
def check(
    settings: Globals, files: tuple[Path, ...], output: str, strict: bool, verbose: int
) -> int:
    """Compare what is locked with what servers have now.

    Moved tags, commits that are gone, charts that were removed from their server, changed
    content and withdrawn bundles are errors.
    What is behind its branch, and servers that do not respond, are only shown.
    """
    from commodore_py.cli.output import formats, locks
    from commodore_py.workflows.lock import check as checking
    from commodore_py.workflows.lock.compare import lock_at

    config = config_of(settings.more_verbose(verbose))
    found = {str(file): checking.check_lock(config, lock_at(str(file))) for file in files}
    every = [one for findings in found.values() for one in findings]
    bad = [one for one in every if one.state in checking.BAD or (strict and one.state == "unknown")]
    if output != "text":
        rows = [{**row, "lock": file} for file in found for row in locks.findings(found[file])]
        streams.data(formats.structured({"schema": "lock-check/v1", "inputs": rows}, output))
    else:
        for file, findings in found.items():
            if len(found) > 1:
                messages.heading(f"{file}:")
            for line in locks.finding_lines(one for one in findings if one.state != "same"):
                streams.result(line)
        messages.info(f"{len(every)} inputs, {len(bad)} problems")
    return 1 if bad else 0


@lock.command(short_help="Write all inputs to a folder or an archive.")
@_lock_file
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    required=True,
    metavar="PATH",
    help="A new folder, or a file that ends with .tar, .tar.gz or .tar.zst.",
)
@click.option(
    "--shallow",
    is_flag=True,
    help="Only the locked commits of repositories, without their history.",
)
@_result_format
@api_options
@strict_option
@verbose_option
@click.pass_obj
def export(
    settings: Globals, /, file: Path, out: Path, shallow: bool, output: str, **options: Any
) -> None:
    """Write everything that a compile of the lock needs to PATH, for a machine without a network.

    \b
      commodore lock export --lock c-demo-1.lock -o c-demo-1.tar.gz
      commodore catalog compile c-demo-1 --from-export c-demo-1.tar.gz
    """
    from commodore_py.workflows.lock import export as exporting

    config = _config(settings, options)
    exported = exporting.export(config, file.absolute(), out.absolute(), shallow=shallow)
    if output != "text":
        from commodore_py.cli.output import formats, locks

        streams.data(formats.structured(locks.exported(exported), output))
        return
    messages.info(f"Wrote {out}")


@lock.command("from-catalog", short_help="Lock what a catalog was compiled from.")
@click.argument("revision", metavar="[REV]", default="HEAD")
@_out_file
@click.option(
    "--cluster",
    default="",
    metavar="ID",
    shell_complete=completion.clusters,
    help="The cluster; by default, the one that was compiled here.",
)
@click.option(
    "--catalog",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="PATH",
    help="A clone of the catalog; by default, catalog/ in the working directory.",
)
@click.option(
    "--verify/--no-verify",
    default=True,
    show_default=True,
    help="Compile with the lock, and compare with the files of REV.",
)
@_result_format
@api_options
@strict_option
@verbose_option
@click.pass_obj
def from_catalog(
    settings: Globals,
    /,
    revision: str,
    file: Path,
    cluster: str,
    catalog: Path | None,
    verify: bool,
    output: str,
    **options: Any,
) -> int:
    """Write the lock of what REV of a catalog was compiled from; compiling with it is a rollback.

    The commit message names versions and commits. Libraries are guessed by its time, charts and
    files as they are now: these are marked. Exits with status 5 if the result differs from REV,
    with 1 if a commit of the message is not known.

    \b
      commodore lock from-catalog HEAD~1 -o before.lock
    """
    from commodore_py.dependencies.lock.place import short_name
    from commodore_py.workflows.lock import from_catalog as guessing

    config = _config(settings, options)
    outcome = guessing.from_catalog(
        config,
        revision,
        file.absolute(),
        cluster_id=cluster,
        catalog=catalog.absolute() if catalog is not None else config.paths.catalog,
        verify=verify,
    )
    for one in outcome.left_out:
        messages.warn(str(one), where=one.where, hint=one.hint)
    if output != "text":
        from commodore_py.cli.output import formats, locks

        streams.data(formats.structured(locks.from_catalog(outcome), output))
    else:
        messages.info(f"Wrote {short_name(Path(outcome.file))}")
        for name in outcome.guessed:
            messages.info(f"guessed: {name}")
        for path in outcome.differing or ():
            streams.result(path)
    if outcome.differing == () and output == "text":
        messages.info(f"What it compiles to is equal to {revision}")
    if outcome.left_out:
        return 1
    return CHANGES_FOUND if outcome.differing else 0


def _config(settings: Globals, options: dict[str, Any]) -> Config:
    from commodore_py.cli.settings import directories

    caches = directories.caches_in(directories.cache_folder())
    return config_of(
        settings.more_verbose(options["verbose"]),
        **api_settings(options),
        strict=options["strict"],
        **caches,
    )


def _local_config(settings: Globals) -> Config:
    from commodore_py.cli.settings import directories

    return config_of(settings, **directories.caches_in(directories.cache_folder()))


def _report(outcome: Any, schema: str, output: str) -> None:
    from commodore_py.cli.output import formats, locks
    from commodore_py.dependencies.lock.place import short_name

    if output != "text":
        streams.data(formats.structured(locks.outcome(schema, outcome), output))
    else:
        for line in locks.change_lines(outcome.changes):
            messages.info(line)
        written = outcome.changes.written
        messages.info(f"Wrote {short_name(Path(outcome.file))}" if written else "Nothing changed")
    messages.notices(outcome.notices)
