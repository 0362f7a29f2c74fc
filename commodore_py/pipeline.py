"""Gather, render, publish: a cluster's catalog from its facts to its commit."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from itertools import pairwise
from time import monotonic
from typing import TYPE_CHECKING, TypeAlias

from commodore_py.adapters.files.reach import OutsideRead
from commodore_py.catalog.assemble import assemble, without_git_folders
from commodore_py.catalog.diff.rules import ignore_rules, rule_problems
from commodore_py.catalog.layout import MANIFESTS
from commodore_py.catalog.portable_names import names_problem
from commodore_py.catalog.record import commit_message, record_of
from commodore_py.catalog.sinks import chosen_sink
from commodore_py.catalog.sinks.base import Overtaken
from commodore_py.catalog.unreported import (
    Unreported,
    forget_unreported,
    keep_unreported,
    unreported,
)
from commodore_py.dependencies.catalog.checkout import (
    RemoteCatalog,
    check_remote_catalog,
    fetch_catalog,
)
from commodore_py.dependencies.component_warnings import component_warnings
from commodore_py.dependencies.discover import (
    instances_of,
    wanted_components,
    wanted_configuration,
    wanted_packages,
)
from commodore_py.dependencies.downloads.lazy import fetch_downloads
from commodore_py.dependencies.fetch import fetcher, must_be_complete, not_found, refuse_missing
from commodore_py.dependencies.jsonnet.cluster_libraries import install_cluster_libraries
from commodore_py.dependencies.jsonnet.missing_library import explain_missing_library
from commodore_py.dependencies.protection.own_folders import refuse_foreign_folder
from commodore_py.dependencies.protection.run_lock import exclusive_run
from commodore_py.errors import CommodoreError, raise_collected
from commodore_py.inventory.checks import check_configuration, deprecations, required_versions
from commodore_py.inventory.layout import materialise
from commodore_py.inventory.resolve import locator_of, resolve, resolve_bootstrap
from commodore_py.lieutenant.clusters import load_cluster
from commodore_py.lieutenant.reports import report_body, send_report
from commodore_py.model.catalog import CatalogHead, Change
from commodore_py.model.classpath import ClassPath
from commodore_py.model.dependency import Kind
from commodore_py.model.problem import Problem
from commodore_py.model.published import Published, ReportOutcome
from commodore_py.model.stages import Rendered, Sources
from commodore_py.model.tree import Tree

from . import compiler, postprocess, refs, run_log

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from commodore_py.catalog.sinks.base import CatalogSink, RepositorySink
    from commodore_py.config import Config
    from commodore_py.delivery.compiled import ClusterPlan, PlannedTrees
    from commodore_py.dependencies.bundles.in_use import Found as BundleFound
    from commodore_py.dependencies.lock.run import LockedRun
    from commodore_py.model.cluster import Cluster
    from commodore_py.model.inventory import Instance, Node
    from commodore_py.model.secrets import ReferenceFile

log = logging.getLogger(__name__)

Approve: TypeAlias = Callable[[Change], bool]

_ACTS = ("gather", "render", "publish")
_RETRIES = 3
_STRICT_HINT = "fix it, or omit --strict to continue with a warning"


def compile_catalog(
    config: Config,
    cluster_id: str,
    approve: Approve,
    *,
    known: Cluster | None = None,
    locked: LockedRun | None = None,
) -> Published:
    """Compile one cluster's catalog, from its facts to its commit; `known` has just been loaded."""
    times = [monotonic()]
    if locked is None and config.lock_file is not None:
        locked = open_lock(config, cluster_id)
    without_api = locked is not None and config.offline
    if known is None and not without_api:
        known = check_settings(config, cluster_id)
    if not config.force:
        refuse_foreign_folder(config.paths)
    with exclusive_run(config.paths):
        sources = gather(config, cluster_id, known, locked)
        times.append(monotonic())
        log.info("Compiling %d component instances", len(sources.inventory.instances))
        rendered = render(config, sources, locked)
        times.append(monotonic())
        raise_refused((*rendered.notices, *sources.notices), strict=config.strict)
        if locked is not None:
            locked.finish()
            sources = sources._replace(notices=(*sources.notices, *locked.notices))
        published = publish(config, sources, rendered, approve)
        if locked is not None:
            published = published._replace(lock=locked.use())
        with suppress(OSError):
            os.utime(config.paths.compiled)  # for `catalog check`: when it was compiled
    times.append(monotonic())
    took = (round(end - start, 3) for start, end in pairwise(times))
    return published._replace(timings=tuple(zip(_ACTS, took, strict=True)))


@run_log.act("check settings")
def check_settings(config: Config, cluster_id: str) -> Cluster | None:
    """Load the cluster before anything is created or searched: most mistakes show here.

    Returns None in local mode: the working directory may change until it is locked.
    """
    cluster = load_cluster(config, cluster_id)
    chosen_sink(config).check(config, cluster.id)
    return None if config.local else cluster


def open_lock(config: Config, cluster_id: str) -> LockedRun:
    """The lock that the settings name."""
    from commodore_py.dependencies.lock.run import LockedRun  # most have none

    return LockedRun.open(config, cluster_id)


@run_log.act("gather")
def gather(
    config: Config,
    cluster_id: str,
    known: Cluster | None = None,
    locked: LockedRun | None = None,
) -> Sources:
    """Read the outside world once, and pin every piece of it."""
    log.info("Gathering what cluster %s is made of", cluster_id)
    now = datetime.now().astimezone()
    with run_log.stage("facts"):
        if locked is None:
            cluster = known or load_cluster(config, cluster_id)
        else:
            cluster = locked.cluster(cluster_id, lambda: known or load_cluster(config, cluster_id))
        # What can fail cheaply comes first: a long compile must not end at a closed door.
        sink = chosen_sink(config)
        if known is None:
            sink.check(config, cluster.id)
        folder = sink.folder_of(config)
        # With a lock, an offline run is not local; but the catalog is what is here.
        own = replace(config, local=True) if config.offline else config
        remote = RemoteCatalog() if folder else check_remote_catalog(own, cluster)
    with run_log.collecting() as events:
        classes, node = gather_classes(config, cluster, locked)
        instances = instances_of(node, classes)
        log.info("Resolving the hierarchy for %d component instances", len(instances))
        about = _bundle_of(config, cluster, classes, node, locked)
        sources = gather_instances(config, cluster, classes, instances, now, locked=locked)
    with run_log.stage("catalog"):
        head = CatalogHead(folder, "", "", None) if folder else fetch_catalog(own, cluster, remote)
    notices = (*sources.notices, *_unmet(sources), *head.notices, *read_outside(events))
    if about is not None:
        notices = (*about.problems, *notices)
        sources = sources._replace(bundle=about.bundle)
    return sources._replace(catalog_head=head, notices=notices)


def _bundle_of(
    config: Config, cluster: Cluster, classes: ClassPath, node: Node, locked: LockedRun | None
) -> BundleFound | None:
    """The bundle that the cluster includes; None if the global configuration has none."""
    folders = [one.directory for one in classes.of_kind(Kind.GLOBAL)]
    if not any(os.path.isfile(f"{folder}/bundles/index.yml") for folder in folders):  # noqa: PTH113 - quick
        return None
    from .dependencies.bundles.in_use import find  # most configurations have no bundles

    places = locator_of(config, cluster, classes)
    found = find(classes, node, places, locked=locked is not None)
    if locked is not None:
        locked.bundle = found.bundle
    return found


def _unmet(sources: Sources) -> tuple[Problem, ...]:
    """Versions of other components that components require, and that are not deployed."""
    asking = required_versions(sources.inventory)
    if not asking:
        return ()
    from .dependencies.requirements import unmet_requirements  # most components require nothing

    return tuple(unmet_requirements(asking, sources.inventory, sources.classes, sources.places))


def gather_classes(
    config: Config, cluster: Cluster, locked: LockedRun | None = None
) -> tuple[ClassPath, Node]:
    """Everything that a cluster's hierarchy consists of, fetched; and the cluster's own node."""
    fetch = fetcher(config)
    if locked is not None:
        fetch = locked.fetching(config, fetch)
    # Configuration names packages, and packages may name components, so the
    # class path grows in three steps and the bootstrap node is read in between.
    with run_log.stage("configuration"):
        classes = ClassPath(fetch(wanted_configuration(cluster)))
        check_configuration(classes)
    with run_log.stage("packages"):
        node = resolve_bootstrap(config, cluster, classes, missing_ok=True)
        places = locator_of(config, cluster, classes)
        packages = wanted_packages(node, places)
        classes = classes.plus(fetch(packages))
    with run_log.stage("components"):
        # Missing packages are listed together with missing components.
        listed = locked is not None or must_be_complete(config)
        incomplete = listed and bool(not_found(packages, classes))
        node = resolve_bootstrap(config, cluster, classes, missing_ok=incomplete)
        places = locator_of(config, cluster, classes)
        components = wanted_components(node, places)
        classes = classes.plus(fetch(components))
        if locked is not None:
            locked.refuse_requests(places)
    refuse_missing(config, (*packages, *components), classes)
    return classes, node


def gather_instances(
    config: Config,
    cluster: Cluster,
    classes: ClassPath,
    instances: tuple[Instance, ...],
    time: datetime,
    *,
    locked: LockedRun | None = None,
) -> Sources:
    """The instances resolved, and what they need in the working directory, from known classes."""
    with run_log.stage("hierarchy"):
        resolved = resolve(config, cluster, classes, instances)
        places = locator_of(config, cluster, classes, instances)
        compiler.check_entries(resolved, places.parameter)
    with run_log.stage("libraries"):
        install_cluster_libraries(
            config,
            classes,
            resolved,
            places,
            resolving=locked.libraries if locked is not None else None,
        )
    with run_log.stage("downloads"):
        downloads = compiler.wanted_downloads(resolved)
        fetch_downloads(
            config,
            downloads,
            classes,
            places,
            through=locked.downloads if locked is not None else None,
        )
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
            *component_warnings(config, classes, resolved),
            *deprecations(resolved),
        ),
    )


@run_log.act("render")
def render(config: Config, sources: Sources, locked: LockedRun | None = None) -> Rendered:
    """Turn pinned sources into trees, and these into a catalog: same sources, same bytes."""
    plan = _plan_of(sources)
    references, problems = _references(sources, plan)
    if plan is not None:
        sources = sources._replace(inventory=plan.kept(sources.inventory))
    count = len(sources.inventory.instances)
    problems = (*problems, *compiler.find_chart_problems(sources))
    with run_log.collecting() as events:
        try:
            with run_log.stage("compile", of="target", total=count):
                bases = locked.bases(config) if locked is not None else None
                compiled = compiler.compile_targets(config, sources, references, bases)
        except CommodoreError as error:
            error.locate(sources.places.parameter)
            refs.explain(error, problems)
            explain_missing_library(error, sources.inventory.bootstrap, alone=sources.plan.alone)
            raise
        with run_log.stage("filters", of="filtered", total=count):
            filtered, notices = postprocess.apply_filters(config, compiled, sources)
    if config.copy_of is not None:  # for which this is a dry run
        copy, original = (os.fsencode(one) for one in (config.paths.root, config.copy_of))
        filtered = {name: tree.replacing(copy, original) for name, tree in filtered.items()}
    filtered, left_out = without_git_folders(filtered, sources.inventory.nodes)
    if locked is not None:
        locked.note_rendered(events)
    notices = (*problems, *notices, *left_out, *read_outside(events))
    rendered = Rendered(filtered, references, Tree(), notices=notices)
    # By themselves, instances may write to one path, and refer to what has no reference file.
    return rendered if sources.catalog_head is None else _assembled(config, rendered, sources, plan)


def _plan_of(sources: Sources) -> ClusterPlan | None:
    """The order of the instances; most clusters have none, and components by themselves never."""
    commodore = sources.inventory.bootstrap.parameters.get("commodore")
    planned = isinstance(commodore, dict) and commodore.get("plan") is not None
    if not planned or sources.catalog_head is None:
        return None
    from .delivery.compiled import ClusterPlan

    asking = required_versions(sources.inventory)
    return ClusterPlan.of(sources.inventory, asking, sources.places.parameter)


def _references(
    sources: Sources, plan: ClusterPlan | None
) -> tuple[tuple[ReferenceFile, ...], tuple[Problem, ...]]:
    """The files of secret references, and which references will not be replaced."""
    if sources.plan.reveal:
        return (), ()
    resolved, place_of = sources.inventory, sources.places.parameter
    if plan is not None:
        resolved = plan.with_references(resolved)
    with run_log.stage("refs"):
        found = refs.find_marked(resolved)
        references = refs.render_refs(resolved, place_of, found=found)
        return references, refs.reference_problems(resolved, place_of, found=found)


def _assembled(
    config: Config, rendered: Rendered, sources: Sources, plan: ClusterPlan | None
) -> Rendered:
    """The catalog that the instances' trees and the reference files make up."""
    resolved, trees, references = sources.inventory, rendered.instances, rendered.references
    with run_log.stage("assemble"):
        own = Tree()
        if plan is not None:
            trees, own, notices = _laid_out(config, plan, rendered, sources)
            rendered = rendered._replace(notices=(*rendered.notices, *plan.problems, *notices))
        tree = assemble(trees, references, resolved.nodes) | own
        unrevealed = refs.manifest_problems(trees, references)
    about_rules = rule_problems(resolved, sources.places.parameter)
    found = _checked(config, sources, trees)
    return rendered._replace(
        catalog=tree,
        notices=(*rendered.notices, *names_problem(tree), *unrevealed, *about_rules, *found),
        rules=ignore_rules(resolved),
        bundle=sources.bundle,
    )


def _laid_out(
    config: Config, plan: ClusterPlan, rendered: Rendered, sources: Sources
) -> PlannedTrees:
    """The instances' trees in the order of the plan, by what is published now."""
    from .adapters.files import read_tree
    from .adapters.git.program import succeeds
    from .catalog.diff.revisions import manifests_at
    from .compiler.tags import Tags
    from .delivery.compiled import PlannedTrees

    head = _head_of(sources)
    folder = head.directory / MANIFESTS
    if config.output_dir is not None:
        present = read_tree(folder) if folder.is_dir() else Tree()
    elif head.commit is not None:
        present = manifests_at(head.directory, head.commit).subtree(MANIFESTS)
    else:
        present = Tree()

    def lost(pin: str) -> bool:
        commit = str(head.commit)
        return not succeeds(head.directory, "merge-base", "--is-ancestor", pin, commit)

    complete = Tags.of(rendered.references).in_value
    trees, own, problems = plan.lay_out(rendered.instances, present, complete, lost)
    manifests = Tree({path: one for tree in (*trees.values(), own) for path, one in tree.items()})
    pushed = config.push and not config.dry_run
    about = plan.pinned_later(manifests, pushed=pushed)
    return PlannedTrees(trees, own.below(MANIFESTS), (*problems, *about))


def _checked(config: Config, sources: Sources, trees: Mapping[str, Tree]) -> tuple[Problem, ...]:
    """What checks find, if the run has any, and is not ignored by the global configuration."""
    if not config.checks:
        return ()
    from .checks.compiled import check_compiled  # most runs have none
    from .inventory.parameter_schema import problems_of, subjects_of
    from .model.verdict import CatalogChecked
    from .problems.judge import verdict_of

    def about_parameters() -> Iterator[Problem]:
        subjects = subjects_of(sources.inventory, sources.classes)
        return problems_of(subjects, sources.places.parameter)

    with run_log.stage("checks"):
        checked = check_compiled(config, sources, trees, about_parameters)
        verdict = verdict_of(
            checked.problems,
            (config.paths.classes / "global",),
            cluster=sources.cluster.id,
            strict=config.strict,
        )
    run_log.report(CatalogChecked(checked, verdict))
    failing = frozenset(verdict.failing)
    return tuple(
        one._replace(severity="error" if one in failing else "warning")
        for one in verdict.problems
        if one in failing or one.severity != "info"
    )


@run_log.act("publish")
def publish(config: Config, sources: Sources, rendered: Rendered, approve: Approve) -> Published:
    """Write the catalog and, once approved, commit it and report it."""
    log.info("Updating the catalog")
    record = record_of(sources)
    notices = (*rendered.notices, *sources.notices)
    sink = _opened(config, sources)
    change = _staged(config, sink, rendered)
    published = Published(change, record, notices=notices)
    if sink.repository is None:
        return published
    if config.local:
        with run_log.stage("unstage"):
            sink.repository.unstage()
        return published
    published = _push(config, sources, rendered, published, approve, sink=sink.repository)
    if published.commit is None and not published.change and config.push and not config.dry_run:
        return _report_left_over(config, sources, published)
    return published


def _opened(config: Config, sources: Sources) -> CatalogSink:
    return chosen_sink(config).open_catalog(config, sources.cluster.id, _head_of(sources))


def _repository(config: Config, sources: Sources) -> RepositorySink:
    repository = _opened(config, sources).repository
    if repository is None:
        raise ValueError("a plain folder cannot be pushed")
    return repository


def _head_of(sources: Sources) -> CatalogHead:
    if sources.catalog_head is None:
        raise ValueError("these sources have no catalog to publish to")
    return sources.catalog_head


def _staged(config: Config, sink: CatalogSink, rendered: Rendered) -> Change:
    """Everything laid out in the catalog: compiled/ and its own files, only what changed."""
    with run_log.stage("stage"):
        change = _explained(sink.stage(rendered), rendered)
    ignored = (
        Problem(text, strict=True, code="files/ignored-by-git")
        for text in change.ignored_messages()
    )
    raise_refused(ignored, strict=config.strict)
    return change


def _explained(change: Change, rendered: Rendered) -> Change:
    """The change with what is needed to read it as one of objects."""
    return change._replace(after=rendered.catalog, rules=rendered.rules, bundle=rendered.bundle)


def _push(
    config: Config,
    sources: Sources,
    rendered: Rendered,
    published: Published,
    approve: Approve,
    *,
    sink: RepositorySink,
) -> Published:
    """Commit and push what was approved; again if somebody was faster, as often as is sensible."""
    message, body = (
        commit_message(published.record),
        report_body(published.record),
    )
    change, approved = published.change, None
    for left in range(_RETRIES, -1, -1):
        published = published._replace(change=change)
        if not change:
            return published
        if change != approved and not approve(change):
            with run_log.stage("stage"):
                sink.leave_staged()
            return published
        with run_log.stage("commit"):
            approved, commit = change, sink.commit(message)
            last, commit = _pinned(config, sources, rendered, sink, commit)
            report = Unreported(sources.cluster.id, commit, body)
            keep_unreported(config.paths, report)
        log.info("Pushing to branch %s", sink.branch)
        try:
            with run_log.stage("push"):
                last.push()
        except Overtaken as error:
            if not left:
                error.add_note(f"the branch was pushed to {_RETRIES + 1} times in a row")
                raise
            log.warning("branch %s was pushed to in the meantime: comparing again", sink.branch)
            sink.take_back()
            head = fetch_catalog(config, sources.cluster)
            sources = sources._replace(catalog_head=head)
            sink = _repository(config, sources)
            plan = _plan_of(sources)
            if plan is not None:
                rendered = _assembled(config, rendered, sources, plan)
            change = _staged(config, sink, rendered)
        else:
            published = published._replace(commit=commit)
            return _report(config, published, report)
    return published


def _pinned(
    config: Config, sources: Sources, rendered: Rendered, sink: RepositorySink, commit: str
) -> tuple[RepositorySink, str]:
    """Pin Applications to the commit that has their content, in more commits of the same push.

    A group has the pins of its members as content, so every level of groups is a commit.
    """
    plan = _plan_of(sources)
    while plan is not None:
        manifests = rendered.catalog.subtree(MANIFESTS)
        after = plan.pinned(manifests, commit)
        if after == manifests:
            break
        rendered = rendered._replace(catalog=rendered.catalog | after.below(MANIFESTS))
        head = _head_of(sources)._replace(commit=commit)
        sink = _repository(config, sources._replace(catalog_head=head))
        _staged(config, sink, rendered)
        commit = sink.commit(f"Pin the applications of the plan to {commit}\n")
    return sink, commit


def _report(config: Config, published: Published, report: Unreported) -> Published:
    """Tell what was pushed. The catalog is out: a failure is part of the result, not its end."""
    try:
        with run_log.stage("report"):
            send_report(config, report.cluster, report.report)
    except CommodoreError as error:
        outcome = ReportOutcome.FAILED
        return published._replace(
            report=outcome, report_problem=str(error), unreported=report.commit
        )
    forget_unreported(config.paths)
    return published._replace(report=ReportOutcome.REPORTED)


def _report_left_over(config: Config, sources: Sources, published: Published) -> Published:
    """A run that was killed, or could not report, pushed this very commit: report it now."""
    report = unreported(config.paths)
    if report is None or report.cluster != sources.cluster.id:
        return published
    if report.commit != _head_of(sources).commit:
        return published
    log.info("Reporting commit %s, which is not reported yet", report.commit)
    return _report(config, published, report)


def read_outside(events: run_log.Events) -> tuple[Problem, ...]:
    """Problems for what was read outside of the allowed folders: each file once, in order."""
    return tuple(
        Problem(
            f"content from outside of the working directory is used: {real}",
            where=path,
            strict=True,
            code="files/outside",
            remedy="copy it into the component or the configuration that reads it",
        )
        for path, real in sorted({(one.path, one.real) for one in events.of(OutsideRead)})
    )


def raise_refused(problems: Iterable[Problem], *, strict: bool) -> None:
    """End the run before anything is published: at errors, and when strict at much more."""
    problems = tuple(problems)
    errors = [one.as_error() for one in problems if one.severity == "error"]
    raise_collected(errors, "nothing was published")
    if strict:
        raise_collected(
            [one.as_error(_STRICT_HINT) for one in problems if one.strict], "refused by --strict"
        )
