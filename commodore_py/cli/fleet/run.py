"""A run over several clusters: which ones, in which order, by how many workers."""

from __future__ import annotations

import logging
import secrets
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import click

from commodore_py.adapters import executors, time_limits
from commodore_py.adapters.executors import Place
from commodore_py.adapters.files import remove
from commodore_py.adapters.masking import without_secrets
from commodore_py.cli.exit_codes import CHANGES_FOUND, INTERRUPTED, worst
from commodore_py.cli.output import fleet as output
from commodore_py.cli.output import fleet_report, messages
from commodore_py.cli.output.fleet_progress import Progress
from commodore_py.compiler import usable_cpus
from commodore_py.config import WorkPaths, facts_folder
from commodore_py.dependencies.git.remotes import listed_once
from commodore_py.errors import CommodoreError, UsageError
from commodore_py.lieutenant.clusters import with_token
from commodore_py.workflows.catalog import several
from commodore_py.workflows.stages import ONLY, Stage, has_kubeconfig, stages_for, wait_for_stage

from .task import Task, compile_cluster, last_seconds, listings_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from commodore_py.cli.output.compile_result import Form
    from commodore_py.cli.output.fleet import ClusterResult
    from commodore_py.config import Config
    from commodore_py.model.cluster import Cluster

    from .task import Compile

_FINE = (0, CHANGES_FOUND)
_AT_WORK = "interrupted"
_ROLLED_OUT = ("pushed", "not reported", "unchanged")


@dataclass(frozen=True, slots=True)
class Selection:
    """The clusters that the user wants, and who compiles them."""

    clusters: tuple[str, ...]
    everything: bool
    tenant: str
    fail_fast: bool
    jobs: int = 0
    scheduler: str = ""


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
    *,
    shows_output: bool,
    quiet: bool,
) -> int:
    """Compile all of them whatever happens to one; returns the exit code of the worst."""
    several.check_folder(config)
    run = secrets.token_hex(8)
    listings = listings_of(config, run)
    results: dict[str, ClusterResult] = {}
    clusters = several.select(config, selection.clusters, selection.tenant)
    place = _place_of(selection, form, len(clusters))
    code = 0
    try:
        with listed_once(listings):
            stages = _by_stage(config, clusters, everything=selection.everything)
        task_of = partial(
            Task,
            config=_shared(config, place, len(clusters)),
            compile=compile_one,
            form=form,
            run=run,
            limits=time_limits.current(),
            quiet=quiet,
            shows_output=shows_output or form.interactive,
            place=place,
        )
        for number, (stage, names) in enumerate(stages):
            tasks = [task_of(name, clusters[name], stage=stage) for name in names]
            if stage.name:
                messages.heading(f"\nStage {stage.name} ({len(tasks)} of {len(clusters)} clusters)")
            _compile_stage(tasks, results, len(clusters), fail_fast=selection.fail_fast)
            if number + 1 < len(stages) and (why := _stopped_by(config, stage, names, results)):
                messages.error_with(f"the rollout ends with stage {stage.name}: {why}")
                code = CommodoreError.exit_code
                break
    except BaseException as error:
        code = INTERRUPTED if isinstance(error, KeyboardInterrupt) else CommodoreError.exit_code
        left = [name for name, result in results.items() if result.outcome == _AT_WORK]
        if place.scheduler and left:
            messages.warn(f"workers still compile {', '.join(left)}, and may push")
        raise
    finally:  # also if the user interrupts it: what was done is done
        if listings is not None:
            remove(listings)
        if results:
            skipped = {name: output.ClusterResult(name, "skipped") for name in clusters}
            every = tuple({**skipped, **results}.values())
            code = worst((code, *(result.code for result in every)))
            output.show(every, form, code=code)
            if form.report is not None:
                fleet_report.write_report(every, form.report)
    return code


def _compile_stage(
    tasks: Sequence[Task],
    results: dict[str, ClusterResult],
    total: int,
    *,
    fail_fast: bool,
) -> None:
    """Compile the clusters of a stage, and add their results to those of earlier ones."""
    failed: list[str] = []
    shown: set[str] = set()
    # A token may have expired since an earlier task was handed out.
    started_tasks = (
        replace(task, config=with_token(task.config)) if task.place.scheduler else task
        for task in tasks
        if not (fail_fast and failed)
    )
    place = tasks[0].place
    with Progress(len(tasks), hidden=place.is_here) as progress:

        def started(task: Task) -> None:
            if place.is_here:
                number = _ended(results) + 1
                messages.heading(f"\nCluster {task.cluster_id} ({number} of {total})")
            progress.started(task.cluster_id)
            name = task.cluster_id  # until it has another result
            results[name] = output.ClusterResult(name, _AT_WORK, stage=task.stage.name)

        done = executors.each(place, compile_cluster, started_tasks, started=started)
        for task, ended in done:
            name = task.cluster_id
            with progress.ended(name):
                result = _lost(name, ended) if isinstance(ended, BaseException) else ended
                results[name] = replace(result, stage=task.stage.name)
                if not place.is_here:
                    output.show_log(result, shown)
                output.show_end(results[name], _ended(results), total)
            if result.code not in _FINE:
                failed.append(name)


def _ended(results: Mapping[str, ClusterResult]) -> int:
    return sum(result.outcome != _AT_WORK for result in results.values())


def _lost(cluster: str, error: BaseException) -> ClusterResult:
    """A cluster whose worker has ended without a result."""
    text = f"the worker that compiled {cluster} was lost: {without_secrets(str(error))}"
    record = logging.LogRecord("commodore_py.cli", logging.ERROR, "", 0, text, (), None)
    record.hint = "if memory ran out: with fewer --jobs less of it is needed"
    return output.ClusterResult(cluster, "failed", CommodoreError.exit_code, records=(record,))


def _stopped_by(
    config: Config, stage: Stage, names: Sequence[str], results: Mapping[str, ClusterResult]
) -> str:
    """Why the stages after this one are not rolled out; empty if they are."""
    done = {name for name in names if name in results and results[name].outcome in _ROLLED_OUT}
    bad = [name for name in names if name not in done]
    if bad:
        return f"{', '.join(bad)} {'was' if len(bad) == 1 else 'were'} not rolled out"
    return wait_for_stage(config, stage, names, report=messages.info)


def _by_stage(
    config: Config, clusters: Mapping[str, Cluster | None], *, everything: bool
) -> list[tuple[Stage, list[str]]]:
    """The clusters of each stage, the longest first; without --push, there is one stage."""
    loaded = [cluster for cluster in clusters.values() if cluster is not None]
    rolls_out = config.push and not config.dry_run
    stages = stages_for(config, loaded) if rolls_out else (ONLY,)
    of_stage: dict[str, list[str]] = {stage.name: [] for stage in stages}
    for name, cluster in clusters.items():
        matching = (stage for stage in stages if cluster is not None and stage.has(cluster))
        of_stage[next(matching, stages[-1]).name].append(name)
    for stage in stages:
        if everything and stage.facts and not of_stage[stage.name]:
            raise CommodoreError(
                f"no cluster belongs to stage {stage.name}",
                where=", ".join(f"{fact}: {value}" for fact, value in stage.facts.items()),
                hint="check its facts, or remove the stage: the next one would come first",
            )
        if stage.wait and not has_kubeconfig():
            messages.warn_or_fail(
                f"stage {stage.name} is to be waited for, but there is no kubeconfig",
                hint="set KUBECONFIG; without it, the next stage follows at once",
                strict=config.strict,
            )
    return [
        (stage, _longest_first(config, of_stage[stage.name]))
        for stage in stages
        if of_stage[stage.name]
    ]


def _longest_first(config: Config, names: Sequence[str]) -> list[str]:
    """By the last compile of each; what was never compiled comes first."""

    def seconds(name: str) -> float:
        paths = WorkPaths(config.paths.root / several.FOLDER / name)
        return -(last_seconds(paths) or float("inf"))

    return sorted(names, key=seconds)


def _shared(config: Config, place: Place, clusters: int) -> Config:
    """The settings of every cluster: its processes are those that others leave."""
    folder, out = facts_folder(config.api_url), config.output_dir
    # Another machine has another current directory.
    config = replace(
        config,
        api_url=str(folder.absolute()) if folder is not None else config.api_url,
        output_dir=out and out.absolute(),
    )
    if place.is_here or config.processes:
        return config
    return replace(config, processes=max(1, usable_cpus() // min(place.jobs, clusters)))


def _place_of(selection: Selection, form: Form, clusters: int) -> Place:
    if not selection.scheduler:
        return Place(1 if form.interactive else min(selection.jobs or usable_cpus(), clusters))
    if form.interactive:
        raise UsageError("--interactive and --scheduler cannot be combined")
    return Place(usable_cpus(), selection.scheduler)
