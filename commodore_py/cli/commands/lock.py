"""The commands about lock files."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from commodore_py.cli import completion
from commodore_py.cli.cluster_option import cluster_here
from commodore_py.cli.command_classes import LazyGroup
from commodore_py.cli.output import formats, locks, messages, streams
from commodore_py.cli.output.differences import text_of
from commodore_py.cli.settings.options import (
    Globals,
    compiling_config,
    compiling_options,
    config_of,
    diff_option,
    dry_run_option,
    output_option,
    strict_option,
)
from commodore_py.config import WorkPaths
from commodore_py.dependencies.lock.file import LockFile
from commodore_py.dependencies.lock.place import DEFAULT, OF_CLUSTER, default_lock, short_name
from commodore_py.errors import UsageError
from commodore_py.lieutenant.last_compile import cluster_id_in
from commodore_py.workflows.lock import check as checking
from commodore_py.workflows.lock import export as exporting
from commodore_py.workflows.lock import resolve
from commodore_py.workflows.lock.resolve import existing

if TYPE_CHECKING:
    from commodore_py.cli.output.differences import DiffForm
    from commodore_py.workflows.lock.resolve import Step


def _default(ctx: click.Context, parameter: click.Parameter, named: Path | None) -> Path | None:
    """The lock file that is named, or else the one of the working directory, if it is there."""
    if named is not None or ctx.resilient_parsing:
        return named
    file = _default_file(WorkPaths(ctx.obj.working_dir))
    if file is None:
        how = "`commodore lock create` writes one."
        raise click.MissingParameter(how, ctx, parameter)
    return file


def _default_file(paths: WorkPaths) -> Path | None:
    """The lock that compiles of the directory's cluster use, or else the one of any cluster."""
    file = None
    if paths.params_file.is_file():
        file = default_lock(paths.root, cluster_id_in(paths)).file
    if file is None:
        file = paths.root / DEFAULT
        if not file.is_file():
            return None
    cluster = LockFile.read(file).lock.cluster
    of = f" of cluster {cluster}" if cluster else ""
    messages.info(f"Using the lock file {short_name(file)}{of}")
    return file


_lock_file = click.option(
    "--lock",
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    callback=_default,
    envvar="COMMODORE_LOCK",
    metavar="FILE",
    help=f"The lock file; by default the one that compiles in the working directory use:"
    f" {OF_CLUSTER} or {DEFAULT}.",
)


@click.group(cls=LazyGroup)
def lock() -> None:
    """Lock all inputs of a cluster, and update them one by one.

    A lock file records what a catalog was compiled from: facts, commits, charts, downloads. A
    compile with --lock adds what is new; one with --frozen changes nothing.

    \b
      commodore lock create c-demo-1 --lock c-demo-1.lock
      commodore catalog compile c-demo-1 --lock c-demo-1.lock --frozen
      commodore lock update argocd --lock c-demo-1.lock
    """


@lock.command(short_help="Compile a cluster and lock its inputs.")
@click.argument(
    "cluster", required=False, callback=cluster_here, shell_complete=completion.clusters
)
@click.option(
    "--lock",
    "--out",
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The file to write; {cluster} stands for the id. By default, catalog.lock in the working"
    " directory, which compiles use, as they do locks/{cluster}.lock.",
)
@compiling_options
@click.pass_obj
def create(
    settings: Globals, /, cluster: str, file: Path | None, output: str, **options: Any
) -> None:
    """Compile CLUSTER and write what it is made of to FILE; the catalog is left alone.

    The commit of the tenant configuration is locked, unless FILE is part of it.

    \b
      commodore lock create c-demo-1 --lock locks/c-demo-1.lock
    """
    file = file or settings.working_dir / DEFAULT
    outcome = resolve.create(compiling_config(settings, options), cluster, file.absolute())
    if output != "text":
        streams.data(formats.structured(locks.created(outcome)))
    else:
        for line in locks.change_lines(outcome.changes):
            messages.info(line)
        messages.info(f"Wrote {short_name(Path(outcome.changes.file))}")
    messages.notices(outcome.notices)


@lock.command(short_help="Update inputs one by one.")
@click.argument("names", nargs=-1, metavar="[NAME]...", shell_complete=completion.locked_inputs)
@_lock_file
@click.option(
    "--to",
    default="",
    metavar="VERSION",
    shell_complete=completion.locked_versions,
    help="A commit or version to update NAME to.",
)
@dry_run_option
@diff_option("objects")
@compiling_options
@click.pass_obj
def update(
    settings: Globals,
    /,
    names: tuple[str, ...],
    file: Path,
    to: str,
    dry_run: bool,
    diff: DiffForm,
    output: str,
    **options: Any,
) -> int:
    """Resolve inputs again, one at a time, and show what each changes in the catalog.

    Without NAME, all that follow a branch or the newest version are updated. NAME is argocd, or
    component/argocd where that is ambiguous.

    \b
      commodore lock update argocd --lock c-demo-1.lock --dry-run
    """
    if to and len(names) != 1:
        raise UsageError("--to requires one NAME")
    steps = resolve.update(
        compiling_config(settings, options),
        file.absolute(),
        names,
        to=to,
        dry_run=dry_run,
        compare=diff != "none",
    )
    changes = [step.changes for step in steps]
    changed = any(change.added or change.changed or change.removed for change in changes)
    if output != "text":
        written = changed and not dry_run
        content = {"schema": "lock-update/v1", "file": str(file), "written": written}
        content["updates"] = [locks.step(step) for step in steps]
        streams.data(formats.structured(content))
    else:
        for step in steps:
            _print_step(step, diff)
        wrote = f"Not written, because of --dry-run: {file}" if dry_run else f"Wrote {file}"
        messages.info(wrote if changed else "Nothing changed")
    return 1 if any(step.error for step in steps) else 0


def _print_step(step: Step, diff: DiffForm) -> None:
    messages.heading(_heading(step))
    if step.error is not None:
        messages.warn(f"{step.name} is not updated: {step.error}", where=step.error.where)
        return
    for line in locks.change_lines(step.changes):
        messages.info(line)
    if step.change is not None and (step.change or step.before != step.after):
        streams.result(text_of(step.change, diff))


def _heading(step: Step) -> str:
    if step.error is not None:
        return step.name
    if step.before == step.after:
        return f"{step.name}: {', '.join(filter(None, (step.after, 'up to date')))}"
    return f"{step.name}: {step.before} -> {step.after}" if step.after else step.name


@lock.command(short_help="Compare a lock with what servers have.")
@_lock_file
@output_option
@strict_option
@click.pass_obj
def check(settings: Globals, file: Path, output: str, strict: bool) -> int:
    """Compare what is locked with what servers have now.

    Moved tags, commits that are gone, charts that were removed from their server, changed
    content and withdrawn bundles are errors.
    What is behind its branch, and servers that do not respond, are only shown.
    """
    findings = checking.check_lock(config_of(settings), existing(file).lock)
    bad = [
        finding
        for finding in findings
        if finding.state in checking.BAD or (strict and finding.state == "unknown")
    ]
    content = {
        "schema": "lock-check/v1",
        "file": str(file),
        "inputs": [asdict(finding) for finding in findings],
    }
    differing = (finding for finding in findings if finding.state != "same")
    formats.show(output, content, locks.finding_lines(differing))
    if output == "text":
        messages.info(f"{len(findings)} inputs, {len(bad)} problems")
    return 1 if bad else 0


@lock.command(short_help="Write all inputs to a folder or an archive.")
@click.argument(
    "argument", required=False, metavar="[FILE]", type=click.Path(dir_okay=False, path_type=Path)
)
@click.option(
    "--lock",
    "option",
    type=click.Path(dir_okay=False, path_type=Path),
    envvar="COMMODORE_LOCK",
    metavar="FILE",
    help="The lock file, unless FILE is given; by default as for `lock check`.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    required=True,
    metavar="PATH",
    help="A new folder, or a file that ends with .tar or .tar.gz.",
)
@compiling_options
@click.pass_context
def export(
    ctx: click.Context,
    /,
    argument: Path | None,
    option: Path | None,
    out: Path,
    output: str,
    **options: Any,
) -> None:
    """Write everything that a compile of lock FILE needs to PATH, for a machine without a network.

    \b
      commodore lock export c-demo-1.lock --out c-demo-1.tar.gz
      commodore catalog compile c-demo-1 --from-export c-demo-1.tar.gz
    """
    settings: Globals = ctx.obj
    file = argument or option or _default_file(WorkPaths(settings.working_dir))
    if file is None:
        raise click.MissingParameter(ctx=ctx, param_hint="'FILE'", param_type="argument")
    by_option = ctx.get_parameter_source("option") is ParameterSource.COMMANDLINE
    if argument is not None and by_option:
        raise UsageError("FILE and --lock exclude each other")
    exported = exporting.export(
        compiling_config(settings, options),
        file.absolute(),
        out.absolute(),
    )
    if output != "text":
        streams.data(formats.structured({"schema": "lock-export/v1", **asdict(exported)}))
        return
    messages.info(f"Wrote {out}")
