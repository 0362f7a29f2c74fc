"""Several clusters in one working directory: compiled one after the other, or one of them used."""

from __future__ import annotations

from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

import click

from commodore_py.dependencies.git import remotes
from commodore_py.dependencies.lock.place import default_lock
from commodore_py.errors import UsageError
from commodore_py.inventory.engine.reader import warn_again
from commodore_py.workflows.catalog import several

from . import completion, failures
from .exit_codes import worst
from .output import compile_results
from .settings.options import lock_by_default

if TYPE_CHECKING:
    from collections.abc import Callable

    from commodore_py.config import Config
    from commodore_py.model.published import Published

    from .output.compile_result import CompileReporter, Form
    from .output.compile_results import ClusterResult

    Compile = Callable[[Config, str, CompileReporter], Published]


cluster_option = click.option(
    "--cluster",
    default="",
    metavar="ID",
    shell_complete=completion.clusters,
    help="The cluster, where several were compiled in the working directory.",
)


class Selection(NamedTuple):
    """The clusters that the user wants."""

    clusters: tuple[str, ...]
    everything: bool
    tenant: str
    fail_fast: bool


def check(selection: Selection) -> None:
    """Refuse a selection that names no cluster, or names them twice over."""
    ways = {
        "CLUSTER": bool(selection.clusters),
        "--all": selection.everything,
        "--tenant": bool(selection.tenant),
    }
    given = [name for name, is_given in ways.items() if is_given]
    if len(given) > 1:
        raise UsageError(f"{' and '.join(given)} cannot be combined", hint=f"omit {given[-1]}")
    if not given:
        ctx = click.get_current_context()
        raise click.MissingParameter(ctx=ctx, param_hint="'CLUSTER'", param_type="argument")


def compile_clusters(
    config: Config,
    selection: Selection,
    form: Form,
    compile_one: Compile,
) -> int:
    """Compile all of them whatever happens to one; returns the exit code of the worst."""
    several.check_folder(config)
    clusters = tuple(dict.fromkeys(selection.clusters)) or several.select(config, selection.tenant)
    results: list[ClusterResult] = []
    try:
        with remotes.listed_once():
            for number, cluster in enumerate(clusters, start=1):
                compile_results.show_heading(cluster, number, len(clusters), form.output)
                results.append(_compiled(config, cluster, form, compile_one))
                if selection.fail_fast and results[-1].errors:
                    break
    finally:  # also if the user interrupts it: what was done is done
        rest = clusters[len(results) :]
        skipped = [compile_results.ClusterResult(cluster, "skipped") for cluster in rest]
        code = worst(one.code for one in results)
        compile_results.show((*results, *skipped), form.output, code=code)
    return code


def _compiled(config: Config, cluster: str, form: Form, compile_one: Compile) -> ClusterResult:
    started = monotonic()
    reporter = compile_results.ClusterReporter(form)
    warn_again()
    with reporter.collecting() as show, show.collecting_errors():
        try:
            own = several.config_for(config, cluster)
            if own.lock_file is None:
                found = default_lock(config.paths.root, cluster)
                own = replace(own, lock_file=lock_by_default(found, frozen=own.frozen))
            published = compile_one(own, cluster, show)
            code = show.outcome(own, cluster, published)
        except Exception as error:  # noqa: BLE001 - the other clusters are compiled all the same
            return show.failed(cluster, failures.report(error), monotonic() - started)
    return show.result(own, published, code, monotonic() - started)
