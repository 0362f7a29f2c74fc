"""`commodore live health`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from commodore_py.cli.output import streams
from commodore_py.cli.settings.options import Globals, config_of, output_option, verbose_option
from commodore_py.cli.settings.types import Timestamp

from .reach import REACH, check_unused, opened, optional_cluster

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from commodore_py.workflows.live.health import Case, HealthReport

_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
_TESTS_FAILED = 1


_FILES = ("files", "rules", "argocd", "as_argocd", "tests", "now")


@click.command()
@optional_cluster
@click.option(
    "-f",
    "--file",
    "files",
    multiple=True,
    metavar="FILE",
    help="File or folder with objects as the cluster has them, - for stdin; may be repeated.",
)
@click.option(
    "--rules",
    multiple=True,
    type=_FOLDER,
    metavar="FOLDER",
    help="Rules in Lua, in Argo CD's layout GROUP/KIND/health.lua; may be repeated.",
)
@click.option(
    "--settings",
    "argocd",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Settings of Argo CD with rules: the ConfigMap argocd-cm, or the object ArgoCD.",
)
@click.option(
    "--as-argocd", is_flag=True, help="Judge as Argo CD does, without the conventions of kstatus."
)
@click.option(
    "--now",
    type=Timestamp(),
    metavar="TIME",
    help="Judge as if it were TIME, such as 2026-01-31T12:00:00Z: what is in its grace depends"
    " on it.",
)
@click.option(
    "--test",
    "tests",
    type=_FOLDER,
    metavar="FOLDER",
    help="Run the tests of the rules in FOLDER, the files health_test.yaml, instead.",
)
@output_option
@verbose_option
@click.pass_obj
def health(
    settings: Globals,
    /,
    cluster: str | None,
    files: tuple[str, ...],
    rules: tuple[Path, ...],
    argocd: Path | None,
    as_argocd: bool,
    now: datetime | None,
    tests: Path | None,
    output: str,
    verbose: int,
    **options: Any,
) -> int:
    """Show the health of objects, and which rule decides it.

    With CLUSTER, of those of its catalog as the cluster has them; else of objects in files.
    Rules of the hierarchy that was compiled here (parameters.commodore.live.health) come first,
    then those of settings and of folders, those of Argo CD for Kubernetes' own kinds, and the
    conventions of kstatus. A sync of Argo CD does not wait for an object without health.

    \b
    The objects of a catalog in its cluster:
      commodore live health c-demo-1
    What is unhealthy in a namespace:
      kubectl get all -n some-namespace -o yaml | commodore live health -f -
    With rules of your own:
      commodore live health -f objects.yaml --rules rules/
    The tests of these rules:
      commodore live health --test rules/
    """
    settings = settings.more_verbose(verbose)
    ctx = click.get_current_context()
    if cluster:
        check_unused(ctx, _FILES, "is for files: leave out the cluster.")
        _of_cluster(settings, {"cluster": cluster, **options}, output)
        return 0
    check_unused(ctx, REACH, "needs a cluster.")
    if tests is not None:
        if files or rules or argocd or as_argocd or now:
            raise click.UsageError("--test takes no files, rules, settings or time.")
        return _tested(tests, output)
    if not files:
        raise click.UsageError("Name a cluster, or a file with -f; - is stdin.")
    from commodore_py.workflows.live.health import RulesFrom, health_of
    from commodore_py.workflows.live.own_rules import own_rules_here

    own = {} if as_argocd else own_rules_here(config_of(settings))
    report = health_of(files, RulesFrom(own, rules, argocd, as_argocd), now=now)
    _show(report, output)
    return 0


def _of_cluster(settings: Globals, options: dict[str, Any], output: str) -> None:
    from commodore_py.cli.output import messages
    from commodore_py.cli.output.live import clusters
    from commodore_py.workflows.live.health import health_in_cluster

    with opened(settings, options) as cluster:
        report, unseen = health_in_cluster(cluster)
        confirmed = cluster.identity.confirmed_by
    _show(report, output)
    for note in clusters.asides(unseen, confirmed):
        messages.info(note)


def _show(report: HealthReport, output: str) -> None:
    from commodore_py.cli.output import formats, messages
    from commodore_py.cli.output.live import health

    if output != "text":
        streams.data(formats.structured(health.report(report), output))
    else:
        for line in health.report_lines(report):
            streams.result(line)
    if report.others:
        messages.info(f"{report.others} documents are not objects")


def _tested(folder: Path, output: str) -> int:
    from commodore_py.cli.output import formats, messages
    from commodore_py.cli.output.live import health
    from commodore_py.workflows.live.health import run_tests

    cases = run_tests(folder)
    failed = [one for one in cases if not one.passed]
    if output != "text":
        streams.data(formats.structured(health.tests(cases), output))
    else:
        _show_failed(failed)
        messages.info(f"{len(cases)} cases, {len(failed)} failed")
    return _TESTS_FAILED if failed else 0


def _show_failed(failed: Sequence[Case]) -> None:
    from commodore_py.cli.output.live import health

    for one in failed:
        for line in health.case_lines(one):
            streams.result(line)
