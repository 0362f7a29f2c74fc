"""Gather, render, publish: a cluster's catalog from its facts to its commit."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from itertools import pairwise
from time import monotonic
from typing import TYPE_CHECKING, TypeAlias

from . import compiler, postprocess, refs, run_log
from .cache.records import NewResult
from .catalog.assemble import assemble, object_problems, without_git_folders
from .catalog.diff.change import ignore_rules, rule_problems
from .catalog.diff.revisions import is_lost, published_manifests
from .catalog.layout import MANIFESTS
from .catalog.record import (
    Unreported,
    commit_message,
    forget_unreported,
    keep_unreported,
    record_of,
    unreported,
)
from .catalog.sinks.directory import DirectoryCatalog, check_folder
from .catalog.sinks.git import GitCatalog, Overtaken
from .checks.compiled import check_compiled
from .compiler.tags import Tags
from .dependencies.bundles import in_use as bundles
from .dependencies.catalog.checkout import check_catalog, fetch_catalog
from .dependencies.component_warnings import component_warnings
from .dependencies.discover import (
    instances_of,
    wanted_components,
    wanted_configuration,
    wanted_packages,
)
from .dependencies.downloads.fetch import fetch_downloads
from .dependencies.fetch import fetcher, must_be_complete, not_found, refuse_missing
from .dependencies.jsonnet.cluster_libraries import (
    explain_missing_library,
    install_cluster_libraries,
)
from .dependencies.protection.own_folders import refuse_foreign_folder
from .dependencies.protection.run_lock import exclusive_run
from .dependencies.requirements import unmet_requirements
from .errors import CommodoreError, located
from .inventory.checks import check_configuration, deprecations, required_versions
from .inventory.layout import materialise
from .inventory.parameter_schema import problems_of, subjects_of
from .inventory.resolve import locator_of, resolve, resolve_bootstrap
from .inventory.unknown_parameters import unknown_parameters
from .lieutenant.clusters import facts_places, load_cluster, report_body, send_report
from .model.catalog import CatalogHead, Change
from .model.classpath import ClassPath
from .model.inventory import has_plan
from .model.problem import Problem
from .model.published import Published, ReportOutcome
from .model.stages import Rendered, Sources
from .model.tree import Tree
from .problems.judge import verdict_of
from .problems.refuse import read_outside, refuse

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .config import Config
    from .delivery.compiled import ClusterPlan
    from .dependencies.lock.run import LockedRun
    from .model.cluster import Cluster
    from .model.dependency import Fetch
    from .model.inventory import Instance, Node
    from .model.secrets import ReferenceFile

log = logging.getLogger(__name__)
_CHECKS_LOG = logging.getLogger(f"{__name__}.checks")  # a line of the act, no heading

Approve: TypeAlias = Callable[[Change], bool]

_ACTS = ("gather", "render", "publish")
_RETRIES = 3


def compile_catalog(
    config: Config,
    cluster_id: str,
    approve: Approve,
    *,
    cluster: Cluster | None = None,
) -> Published:
    """Compile one cluster's catalog, from its facts to its commit; `cluster` was just loaded."""
    times = [monotonic()]
    lock = None
    if config.lock_file is not None:
        from .dependencies.lock.run import LockedRun  # most runs have none

        lock = LockedRun.open(config, cluster_id)
    if lock is None or not config.offline:
        cluster = check_settings(config, cluster_id, cluster)
    if not config.force:
        refuse_foreign_folder(config.paths)
    with exclusive_run(config.paths):
        sources = gather(config, cluster_id, cluster, lock)
        times.append(monotonic())
        log.info("Compiling %d component instances", len(sources.inventory.instances))
        with run_log.collecting() as events:
            rendered = render(config, sources, lock)
        times.append(monotonic())
        notices = (*rendered.notices, *sources.notices)
        refuse((*notices, *(lock.notices if lock is not None else ())), strict=config.strict)
        lock_use = None
        if lock is not None:
            lock_use = lock.finish()
            notices = (*notices, *lock.notices)
        published = publish(config, sources, rendered, approve)
        compiler.share_results(config, events.of(NewResult))
        with suppress(OSError):
            os.utime(config.paths.compiled)  # for `catalog check`: when it was compiled
    times.append(monotonic())
    took = (round(end - start, 3) for start, end in pairwise(times))
    timings = tuple(zip(_ACTS, took, strict=True))
    return replace(published, notices=notices, lock=lock_use, timings=timings)


@run_log.act("check settings")
def check_settings(
    config: Config, cluster_id: str, cluster: Cluster | None = None
) -> Cluster | None:
    """Check a cluster before anything is created or searched: most mistakes show here.

    It is loaded unless it just was. Returns None in local mode: the working directory may change
    until it is locked.
    """
    cluster = cluster or load_cluster(config, cluster_id)
    check_folder(config, cluster.id)
    return None if config.local else cluster


@run_log.act("gather")
def gather(
    config: Config,
    cluster_id: str,
    cluster: Cluster | None = None,
    lock: LockedRun | None = None,
    *,
    fetch: Fetch | None = None,
) -> Sources:
    """Read the outside world once, and pin every piece of it.

    `fetch` fetches dependencies in place of the usual function.
    """
    log.info("Gathering what cluster %s is made of", cluster_id)
    now = datetime.now().astimezone()
    if lock is not None:
        cluster = lock.cluster(cluster_id, lambda: cluster or load_cluster(config, cluster_id))
    cluster = cluster or load_cluster(config, cluster_id)
    # What can fail cheaply comes first: a long compile must not end with a login that fails.
    folder = check_folder(config, cluster.id)
    # With a lock, an offline run is not local; but the catalog is what is here.
    own = replace(config, local=True) if config.offline else config
    with located(facts_places(config, cluster)):
        fetch_head: Callable[[], CatalogHead] = (
            partial(CatalogHead, folder, "", "", None) if folder else check_catalog(own, cluster)
        )
    with run_log.collecting() as events:
        classes, node = gather_classes(config, cluster, lock, fetch)
        instances = instances_of(node, classes)
        log.info("Resolving the hierarchy for %d component instances", len(instances))
        places = locator_of(config, cluster, classes)
        bundle = bundles.find(classes, node, places, locked=lock is not None)
        if lock is not None:
            lock.bundle = bundle.bundle
        sources = gather_instances(config, cluster, classes, instances, now, lock=lock)
    head = fetch_head()
    notices = (
        *bundle.problems,
        *sources.notices,
        *unmet_requirements(
            required_versions(sources.inventory), sources.inventory, classes, sources.places
        ),
        *head.notices,
        *read_outside(events),
    )
    return replace(sources, catalog_head=head, notices=notices, bundle=bundle.bundle)


def gather_classes(
    config: Config, cluster: Cluster, lock: LockedRun | None = None, fetch: Fetch | None = None
) -> tuple[ClassPath, Node]:
    """Everything that a cluster's hierarchy consists of, fetched; and the cluster's own node."""
    fetch = fetch or fetcher(config)
    if lock is not None:
        fetch = lock.fetching(config, fetch)
    # Configuration names packages, and packages may name components, so the
    # class path grows in three steps and the bootstrap node is read in between.
    with located(facts_places(config, cluster)):
        classes = ClassPath(fetch(wanted_configuration(cluster)))
    check_configuration(classes)
    node = resolve_bootstrap(config, cluster, classes, missing_ok=True)
    places = locator_of(config, cluster, classes)
    packages = wanted_packages(node, places)
    with located(places.parameter):
        classes = classes.plus(fetch(packages))
    # Missing packages are listed together with missing components.
    listed = lock is not None or must_be_complete(config)
    incomplete = listed and bool(not_found(packages, classes))
    node = resolve_bootstrap(config, cluster, classes, missing_ok=incomplete)
    places = locator_of(config, cluster, classes)
    components = wanted_components(node, places)
    with located(places.parameter):
        classes = classes.plus(fetch(components))
    if lock is not None:
        lock.refuse_requests(places)
    refuse_missing(config, (*packages, *components), classes)
    return classes, node


def gather_instances(
    config: Config,
    cluster: Cluster,
    classes: ClassPath,
    instances: tuple[Instance, ...],
    time: datetime,
    *,
    lock: LockedRun | None = None,
) -> Sources:
    """The instances resolved, and what they need in the working directory, from known classes."""
    with run_log.stage("hierarchy"):
        resolved = resolve(config, cluster, classes, instances)
        places = locator_of(config, cluster, classes, instances)
        compiler.check_entries(resolved, places.parameter)
    install_cluster_libraries(
        config, classes, resolved, places, resolve_locked=lock and lock.resolve_libraries
    )
    downloads = compiler.wanted_downloads(resolved)
    fetch_downloads(config, downloads, classes, places, through=lock and lock.downloads)
    with run_log.stage("layout"):
        materialise(config, cluster, classes, resolved)
    return Sources(
        cluster,
        classes,
        resolved,
        time,
        plan=compiler.working_directory_plan(config, classes, instances),
        places=places,
        notices=(
            *component_warnings(config, classes, resolved, places),
            *deprecations(resolved),
            *(
                unknown_parameters(subjects_of(resolved, classes), places.parameter)
                if config.verbosity and not config.checks  # which report them
                else ()
            ),
        ),
    )


@run_log.act("render")
def render(config: Config, sources: Sources, lock: LockedRun | None = None) -> Rendered:
    """Turn pinned sources into trees, and these into a catalog: same sources, same bytes."""
    plan = _plan_of(sources)
    references, problems = _references(sources, plan)
    if plan is not None:
        sources = replace(sources, inventory=plan.kept(sources.inventory))
    count = len(sources.inventory.instances)
    with run_log.collecting() as events:
        try:
            with run_log.stage("compile", of="target", total=count):
                compiled, of_entries = compiler.compile_targets(
                    config, sources, references, lock and lock.provide_bases(config)
                )
        except CommodoreError as error:
            error.locate(sources.places.parameter)
            refs.explain(error, problems)
            explain_missing_library(error, sources.inventory.bootstrap, alone=sources.plan.alone)
            raise
        with run_log.stage("filters", of="filtered", total=count):
            trees, notices = postprocess.apply_filters(config, compiled, sources)
    if config.copy_of is not None:  # for which this is a dry run
        copy, original = (os.fsencode(path) for path in (config.paths.root, config.copy_of))
        trees = {name: tree.replacing(copy, original) for name, tree in trees.items()}
    trees, left_out = without_git_folders(trees, sources.inventory.nodes)
    if lock is not None:
        lock.note_rendered(events)
    notices = (*problems, *of_entries, *notices, *left_out, *read_outside(events))
    rendered = Rendered(trees, references, Tree(), notices=notices)
    # By themselves, instances may write to one path, and refer to what has no reference file.
    return rendered if sources.catalog_head is None else _assembled(config, rendered, sources, plan)


def _references(
    sources: Sources, plan: ClusterPlan | None
) -> tuple[tuple[ReferenceFile, ...], tuple[Problem, ...]]:
    """The files of secret references, and which references will not be replaced."""
    if sources.plan.reveal:
        return (), ()
    inventory, place_of = sources.inventory, sources.places.parameter
    if plan is not None:
        inventory = plan.with_references(inventory)
    marked = refs.find_marked(inventory)
    references = refs.render_refs(inventory, marked, place_of)
    return references, refs.reference_problems(marked, place_of)


def _plan_of(sources: Sources) -> ClusterPlan | None:
    """The order of the instances; most clusters have none, and components by themselves never."""
    if sources.catalog_head is None or not has_plan(sources.inventory.bootstrap.parameters):
        return None
    from .delivery.compiled import ClusterPlan  # most clusters have no plan

    required = required_versions(sources.inventory)
    return ClusterPlan.of(sources.inventory, required, sources.places.parameter)


def _assembled(
    config: Config, rendered: Rendered, sources: Sources, plan: ClusterPlan | None
) -> Rendered:
    """The catalog that the instances' trees and the reference files make up."""
    inventory, trees, references = sources.inventory, rendered.instances, rendered.references
    place_of = sources.places.parameter
    notices, tree = rendered.notices, Tree()
    with run_log.stage("assemble"):
        if plan is not None:
            laid_out = plan.lay_out(
                trees,
                published_manifests(config, sources.head),
                Tags.of(references).in_value,
                partial(is_lost, sources.head),
                pushed=config.push and not config.dry_run,
            )
            trees, tree = laid_out.instances, laid_out.added.below(MANIFESTS)
            notices = (*notices, *plan.problems, *laid_out.problems)
        catalog = assemble(trees, references, inventory.nodes) | tree
        notices = (
            *notices,
            *object_problems(trees),
            *refs.manifest_problems(trees, references),
            *rule_problems(inventory, place_of),
        )
    if config.checks:
        notices = (*notices, *_checked(config, sources, trees))
    rules, bundle = ignore_rules(inventory), sources.bundle
    return replace(rendered, catalog=catalog, notices=notices, rules=rules, bundle=bundle)


def _checked(config: Config, sources: Sources, trees: Mapping[str, Tree]) -> Iterator[Problem]:
    """Problems that checks find and the global configuration does not ignore."""
    subjects = tuple(subjects_of(sources.inventory, sources.classes))
    place_of = sources.places.parameter
    checked = check_compiled(
        config,
        sources,
        trees,
        lambda: (*problems_of(subjects, place_of), *unknown_parameters(subjects, place_of)),
    )
    verdict = verdict_of(
        checked.problems,
        (config.paths.classes / "global",),
        cluster=sources.cluster.id,
        strict=config.strict,
    )
    _CHECKS_LOG.info("Checks: %s", verdict.summary(checked.objects))
    failing = frozenset(verdict.failing)
    for problem in verdict.problems:
        if problem in failing or problem.severity != "info":
            yield problem._replace(severity="error" if problem in failing else "warning")


@run_log.act("publish")
def publish(config: Config, sources: Sources, rendered: Rendered, approve: Approve) -> Published:
    """Write the catalog and, once approved, commit it and report it."""
    log.info("Updating the catalog")
    cluster = sources.cluster.id
    # Checked again: it may have been filled in the meantime.
    if (folder := check_folder(config, cluster)) is not None:
        plain = DirectoryCatalog(folder, cluster, config.paths.compiled, config.dry_run)
        return Published(_staged(config, plain, rendered), record_of(sources))
    sink = GitCatalog(config, sources.head)
    published = Published(_staged(config, sink, rendered), record_of(sources))
    if config.local:
        sink.unstage()
        return published
    published = _push(config, sources, rendered, published, approve, sink=sink)
    if published.commit is None and not published.change and config.push and not config.dry_run:
        return _report_left_over(config, sources, published)
    return published


def _staged(config: Config, sink: DirectoryCatalog | GitCatalog, rendered: Rendered) -> Change:
    """Everything laid out in the catalog: compiled/ and its own files, only what changed."""
    with run_log.stage("stage"):
        change = sink.stage(rendered)
    rules, bundle = rendered.rules, rendered.bundle
    change = replace(change, rules=rules, bundle=bundle)
    ignored = (
        Problem(text, strict=True, code="files/ignored-by-git")
        for text in change.ignored_messages()
    )
    refuse(ignored, strict=config.strict)
    return change


def _push(
    config: Config,
    sources: Sources,
    rendered: Rendered,
    published: Published,
    approve: Approve,
    *,
    sink: GitCatalog,
) -> Published:
    """Commit and push what was approved; again, a few times, if another push was faster."""
    message, body = commit_message(published.record), report_body(published.record)
    change, approved = published.change, None
    for left in range(_RETRIES, -1, -1):
        published = replace(published, change=change)
        if not change:
            return published
        if change != approved and not approve(change):
            with run_log.stage("stage"):
                sink.leave_staged()
            return published
        approved, commit = change, sink.commit(message)
        last, commit = _pinned(config, sources, rendered, sink, commit)
        report = Unreported(sources.cluster.id, commit, body)
        keep_unreported(config.paths, report)
        log.info("Pushing to branch %s", sink.branch)
        try:
            last.push()
        except Overtaken as error:
            if not left:
                error.add_note(f"the branch was pushed to {_RETRIES + 1} times in a row")
                raise
            log.warning("branch %s was pushed to in the meantime: comparing again", sink.branch)
            sink.take_back()
            head = fetch_catalog(config, sources.cluster)
            sources = replace(sources, catalog_head=head)
            sink = GitCatalog(config, head)
            plan = _plan_of(sources)
            if plan is not None:
                rendered = _assembled(config, rendered, sources, plan)
            change = _staged(config, sink, rendered)
        else:
            published = replace(published, commit=commit)
            return _report(config, published, report)
    return published


def _pinned(
    config: Config, sources: Sources, rendered: Rendered, sink: GitCatalog, commit: str
) -> tuple[GitCatalog, str]:
    """Pin Applications to the commit that has their content, in more commits of the same push.

    A group has the pins of its members as content, so every level of groups is a commit.
    """
    plan = _plan_of(sources)
    while plan is not None:
        manifests = rendered.catalog.subtree(MANIFESTS)
        after = plan.pinned(manifests, commit)
        if after == manifests:
            break
        rendered = replace(rendered, catalog=rendered.catalog | after.below(MANIFESTS))
        sink = GitCatalog(config, replace(sources.head, commit=commit))
        _staged(config, sink, rendered)
        commit = sink.commit(f"Pin the applications of the plan to {commit}\n")
    return sink, commit


def _report(config: Config, published: Published, report: Unreported) -> Published:
    """Tell what was pushed. The catalog is out: a failure is part of the result, not its end."""
    try:
        send_report(config, report.cluster, report.report)
    except CommodoreError as error:
        outcome = ReportOutcome.FAILED
        return replace(
            published, report=outcome, report_problem=str(error), unreported=report.commit
        )
    forget_unreported(config.paths)
    return replace(published, report=ReportOutcome.REPORTED)


def _report_left_over(config: Config, sources: Sources, published: Published) -> Published:
    """A run that was killed, or could not report, pushed this very commit: report it now."""
    report = unreported(config.paths)
    if report is None or report.cluster != sources.cluster.id:
        return published
    if report.commit != sources.head.commit:
        return published
    log.info("Reporting commit %s, which is not reported yet", report.commit)
    return _report(config, published, report)
