"""Gather, render, publish: a cluster's catalog from its facts to its commit."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, TypeAlias

from commodore_py import (
    catalog,
    compiler,
    dependencies,
    inventory,
    lieutenant,
    postprocess,
    refs,
)
from commodore_py.errors import CommodoreError, raise_collected
from commodore_py.model import (
    Change,
    ClassPath,
    Published,
    Rendered,
    ReportOutcome,
    Sources,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from commodore_py.config import Config
    from commodore_py.model import Notice

log = logging.getLogger(__name__)

Approve: TypeAlias = Callable[[Change], bool]


def compile_catalog(config: Config, cluster_id: str, approve: Approve) -> Published:
    """Compile one cluster's catalog, from its facts to its commit."""
    with dependencies.one_run(config.paths):
        sources = gather(config, cluster_id)
        rendered = render(config, sources)
        if config.strict:
            refuse_doubts((*rendered.notices, *sources.notices))
        return publish(config, sources, rendered, approve)


def gather(config: Config, cluster_id: str) -> Sources:
    """Read the outside world once, and pin every piece of it."""
    log.info("Gathering what cluster %s is made of", cluster_id)
    now = datetime.now().astimezone()
    cluster = lieutenant.load_cluster(config, cluster_id)
    fetch = dependencies.fetcher(config)

    # Configuration names packages, and packages may name components, so the
    # class path grows in three steps and the bootstrap node is read in between.
    classes = ClassPath(fetch(dependencies.wanted_configuration(cluster)))
    inventory.check_configuration(classes)
    node = inventory.resolve_bootstrap(config, cluster, classes, missing_ok=True)
    where = inventory.whereabouts(config, cluster, classes)
    classes = classes.plus(fetch(dependencies.wanted_packages(node, where)))
    node = inventory.resolve_bootstrap(config, cluster, classes)
    where = inventory.whereabouts(config, cluster, classes)
    classes = classes.plus(fetch(dependencies.wanted_components(node, where)))
    instances = dependencies.instances_of(node, classes)

    log.info("Resolving the hierarchy for %d component instances", len(instances))
    resolved = inventory.resolve(config, cluster, classes, instances)
    where = inventory.whereabouts(config, cluster, classes, instances)
    compiler.check_entries(resolved, where.parameter)
    dependencies.fetch_vendored(config, classes, resolved, where)
    inventory.materialise(config, cluster, classes, resolved)
    catalog_head = dependencies.fetch_catalog(config, cluster)
    doubts = dependencies.doubts(config, classes, resolved)
    notices = (*doubts, *inventory.deprecations(resolved))
    return Sources(cluster, classes, resolved, catalog_head, now, notices)


def render(config: Config, sources: Sources) -> Rendered:
    """Turn pinned sources into a catalog tree: same sources, same bytes."""
    log.info("Compiling %d component instances", len(sources.inventory.instances))
    resolved = sources.inventory
    where = inventory.whereabouts(config, sources.cluster, sources.classes, resolved.instances)
    references = refs.render_refs(resolved, where.parameter)
    doubts = refs.doubts(resolved, where.parameter)
    with refs.explaining(doubts):
        compiled = compiler.compile_targets(config, sources, references)
    filtered, notices = postprocess.apply_filters(config, compiled, sources, where.parameter)
    tree = catalog.assemble(filtered, references, resolved.nodes)
    unrevealed = refs.manifest_doubts(filtered, references)
    return Rendered(filtered, references, tree, (*doubts, *notices, *unrevealed))


def publish(config: Config, sources: Sources, rendered: Rendered, approve: Approve) -> Published:
    """Write the catalog and, once approved, commit it and report it."""
    log.info("Updating the catalog")
    record = catalog.record_of(sources)
    sink = catalog.open_sink(config, sources.catalog_head)
    change = sink.stage(rendered)  # compiled/ and the catalog's files, only what changed
    published = Published(change, record, notices=(*rendered.notices, *sources.notices))

    if config.local:
        sink.unstage()
        return published
    if not (change and approve(change)):
        return published
    commit = sink.commit_and_push(catalog.commit_message(record))
    # From here on the catalog is out: a failing report is part of the result, not its end.
    try:
        lieutenant.report(config, record)
    except CommodoreError as error:
        return replace(
            published, commit=commit, report=ReportOutcome.FAILED, report_problem=str(error)
        )
    return replace(published, commit=commit, report=ReportOutcome.REPORTED)


def refuse_doubts(notices: Iterable[Notice]) -> None:
    """With --strict, what Commodore accepts and we would rather not ends the run unpublished."""
    hint = "mend it, or leave out --strict to go on with a warning"
    raise_collected(
        [
            CommodoreError(notice.text, where=notice.where, hint=hint)
            for notice in notices
            if notice.refusal
        ],
        "refused by --strict",
    )
