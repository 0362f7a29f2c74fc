"""What the daemon has done in child processes; arguments and results can be sent.

Everything is done by the functions of the command line, in the same working directories as
`catalog compile --all`.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Literal

from commodore_py.adapters import json_text
from commodore_py.adapters.git.refs import commit_of
from commodore_py.adapters.git.repository import is_repository, remote_settings
from commodore_py.adapters.masking import REDACTOR, without_secrets
from commodore_py.adapters.workers import in_parallel
from commodore_py.catalog.diff.revisions import compared
from commodore_py.cli.commands.catalog import compile_of_several
from commodore_py.cli.commands.edit.result import as_data as edit_as_data
from commodore_py.cli.output import differences, explained
from commodore_py.cli.output.compile_result import Form
from commodore_py.cli.output.differences import as_json
from commodore_py.cli.output.fleet import ClusterReporter
from commodore_py.cli.output.live import clusters as live_output
from commodore_py.cli.output.plan import results as plan_output
from commodore_py.cli.output.problems import as_data as problem_as_data
from commodore_py.dependencies.git.remotes import RemoteClient, names_of
from commodore_py.errors import CommodoreError
from commodore_py.inventory.class_edits import value_of
from commodore_py.inventory.engine.values import plain
from commodore_py.inventory.explain.explanation import explain
from commodore_py.inventory.explain.replay import compiled_hierarchy
from commodore_py.inventory.explain.tracer import Tracer
from commodore_py.inventory.paths import Selector, dotted, path_parts
from commodore_py.lieutenant.clusters import (
    load_cluster,
    load_clusters,
    report_body,
    source_of,
)
from commodore_py.lieutenant.folder import FactsFolder
from commodore_py.model.difference import GRADES
from commodore_py.model.inventory import BOOTSTRAP
from commodore_py.workflows.catalog import several
from commodore_py.workflows.editing import transaction
from commodore_py.workflows.editing.list_items import KeyTaken, item_named
from commodore_py.workflows.editing.options import options_at
from commodore_py.workflows.editing.plan import value_at
from commodore_py.workflows.editing.repository import configuration_version
from commodore_py.workflows.editing.requests import Request
from commodore_py.workflows.editing.rules import Rules
from commodore_py.workflows.live import cluster as live
from commodore_py.workflows.live.compare import cluster_diff
from commodore_py.workflows.live.drift import drift_of
from commodore_py.workflows.live.orphans import orphans_of
from commodore_py.workflows.live.status import status_of
from commodore_py.workflows.live.tree import tree_of
from commodore_py.workflows.plans import plan_here
from commodore_py.workflows.stages import stages_for

from .failures import NotCompiled, OtherChanges

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from commodore_py.config import Config, WorkPaths
    from commodore_py.inventory.explain.replay import Hierarchy
    from commodore_py.model.catalog import BuildRecord, Change
    from commodore_py.model.cluster import Cluster
    from commodore_py.model.difference import Grade

    from .daemon import Edit, Terms

_FORM = Form("json", "objects", exit_code=False)
_MOST_REMOTES = 8


def compiled_config(config: Config, cluster_id: str) -> Config:
    """The settings of a cluster that was compiled here."""
    compiled = several.compiled_in(config.paths)
    if cluster_id not in compiled:
        raise NotCompiled(f"cluster {cluster_id} was not compiled yet", hint="compile it first")
    return replace(config, paths=compiled[cluster_id])


# ---------------------------------------------------------------- reading


def listing(config: Config) -> dict[str, dict[str, Any]]:
    """Every cluster that the API lists or that was compiled here, by its id."""
    compiled = several.compiled_in(config.paths)
    loaded: dict[str, Cluster | None] = dict.fromkeys(compiled)
    reported: dict[str, Any] = {}
    problem = ""
    if config.api_url:
        try:
            loaded |= load_clusters(config)
            reported = _reported(config, loaded)
        except CommodoreError as error:
            problem = str(error)
    for name, paths in compiled.items():
        if loaded[name] is None:
            with suppress(CommodoreError):  # its compile reports why
                loaded[name] = load_cluster(replace(config, paths=paths, local=True), name)
    return {
        name: _masked(
            {
                "id": name,
                "display_name": cluster.display_name if cluster else name,
                "tenant": cluster.tenant if cluster else "",
                "facts": dict(cluster.facts) if cluster else {},
                "catalog_url": without_secrets(cluster.catalog_url) if cluster else "",
                "compiled": name in compiled,
                "fingerprint": _fingerprint(cluster),
                "record": _inputs(reported[name]) if reported.get(name) else None,
                "problem": problem,
            }
        )
        for name, cluster in sorted(loaded.items())
    }


def _reported(config: Config, names: Iterable[str]) -> dict[str, Any]:
    """The reports of the last pushed compiles, as the API has them."""
    source = source_of(config)
    if not isinstance(source, FactsFolder):
        return {str(one.get("id")): one.get("compileMeta") for one in source.clusters()}
    found = {}
    for name in names:
        file = source.root / "reports" / f"{name}.json"
        with suppress(OSError, ValueError):
            found[name] = json_text.load(file.read_bytes(), name=str(file))
    return found


def _inputs(report: Mapping[str, Any]) -> dict[str, Any]:
    """The inputs in the report of a compile, to be compared with what remotes have later."""
    inputs = {kind: report.get(kind) for kind in ("global", "tenant")}
    for section, word in (("instances", "component"), ("packages", "package")):
        inputs |= {f"{word} {name}": one for name, one in (report.get(section) or {}).items()}
    shaped = {name: one for name, one in inputs.items() if isinstance(one, dict)}
    return {"inputs": shaped, "time": report.get("lastCompile")}


def _fingerprint(cluster: Cluster | None) -> str:
    """A digest of what the API knows about a cluster; a change of it calls for a compile."""
    if cluster is None:
        return ""
    known = (cluster.facts, cluster.global_repo, cluster.tenant_repo, cluster.catalog_url)
    return hashlib.sha256(json.dumps(known, default=str).encode()).hexdigest()[:16]


def summary(config: Config, cluster_id: str) -> dict[str, Any]:
    """A cluster as its working directory has it."""
    paths = compiled_config(config, cluster_id).paths
    version = configuration_version(paths)
    hierarchy = compiled_hierarchy(paths)
    has_catalog = is_repository(paths.catalog)
    return _masked(
        {
            "configuration": version,
            "instances": _instances(hierarchy),
            "targets": sorted(hierarchy.targets),
            "catalog_commit": commit_of(paths.catalog, "HEAD") if has_catalog else None,
        }
    )


def _instances(hierarchy: Hierarchy) -> list[dict[str, Any]]:
    replay = hierarchy.replay(BOOTSTRAP)
    tracer = Tracer(replay)
    enabled = {
        item.rpartition(" as ")[2]: item.partition(" as ")[0]
        for item in replay.state.applications.names
        if not item.startswith("pkg.")
    }
    entries: Mapping[str, Any] = plain(tracer.value(("components",))) or {}
    found = []
    for name in sorted({*enabled, *map(str, entries)}):
        component = enabled.get(name, name)
        entry = {**(entries.get(component) or {}), **(entries.get(name) or {})}
        found.append(
            {
                "name": name,
                "component": component,
                "enabled": name in enabled,
                "version": entry.get("version"),
                "url": entry.get("url"),
            }
        )
    return found


def value(config: Config, cluster_id: str, path: str, target: str) -> dict[str, Any]:
    """A merged value, and the layers that set it."""
    paths = compiled_config(config, cluster_id).paths
    # Before the value: an edit in between is then a conflict for whoever uses this version.
    version = configuration_version(paths)
    if path == "applications" or path.startswith("applications."):
        found, place = value_at(paths, path, target)
        content = {"path": path, "value": found, "steps": [{"action": "set", "file": place}]}
    else:
        hierarchy = compiled_hierarchy(paths)
        key = str(path_parts(path)[0]).replace("_", "-")
        usual = key if key in hierarchy.targets else BOOTSTRAP
        content = explained.explanation_content(explain(paths, target or usual, path))
    return _masked({**content, "configuration": version})


def options(config: Config, cluster_id: str, path: str) -> dict[str, Any]:
    """Legal values of a parameter, and what is below it."""
    paths = compiled_config(config, cluster_id).paths
    hierarchy = compiled_hierarchy(paths)
    parts = path_parts(path) if path else ()
    key = str(parts[0]).replace("_", "-") if parts else ""
    tracer = Tracer(hierarchy.replay(key if key in hierarchy.targets else BOOTSTRAP))
    below = getattr(tracer.value(parts), "items", None) if not parts or tracer.follow(parts) else {}
    keys = [dotted((*parts, str(name))) for name in below] if isinstance(below, dict) else []
    return _masked(
        {
            "path": path,
            "options": [one._asdict() for one in (options_at(paths, path) if path else ())],
            "keys": keys,
        }
    )


def changes(config: Config, cluster_id: str) -> dict[str, Any]:
    """What the last compile changes in the catalog: objects and grades."""
    catalog = compiled_config(config, cluster_id).paths.catalog
    with compared(catalog, "HEAD") as comparison:
        options = differences.DiffOptions("objects")
        diff = differences.diff_of(comparison.change, options, comparison.unchanged)
        return _masked(
            {
                "schema": "catalog-diff/v1",
                "old": comparison.old,
                "version": comparison.tree,
                **as_json.object_diff(diff),
            }
        )


def plan(config: Config, cluster_id: str) -> dict[str, Any]:
    """The order in which a cluster is deployed."""
    return _masked(plan_output.shown(plan_here(compiled_config(config, cluster_id).paths)))


def live_tree(config: Config, cluster_id: str, root: str) -> dict[str, Any]:
    """The objects of a running cluster and what they own."""
    own = compiled_config(config, cluster_id)
    with live.opened(own, cluster_id, live.Reach(), read="owned") as cluster:
        report = tree_of(cluster, root)
        return _masked(live_output.tree(report, cluster.unseen_kinds(in_catalog=False)))


def live_status(config: Config, cluster_id: str) -> dict[str, Any]:
    """How the applications of a catalog are doing in its cluster."""
    own = compiled_config(config, cluster_id)
    with live.opened(own, cluster_id, live.Reach()) as cluster:
        diff = cluster_diff(cluster)
        report, drift = status_of(cluster, diff), drift_of(cluster, diff)
        return _masked(live_output.status(report, orphans_of(cluster), drift, cluster.unapplied()))


def remote_heads(pairs: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """The commits that versions of repositories have now; each remote is listed once."""
    wanted: dict[str, list[str]] = {}
    for url, version in pairs:
        wanted.setdefault(url, []).append(version)

    def listed(url: str) -> dict[tuple[str, str], str]:
        try:
            refs = RemoteClient().list_refs(url)
        except CommodoreError:  # it stays as it was last seen; its compile reports why
            return {}
        names = {one: names_of(refs, one or "HEAD") for one in wanted[url]}
        return {
            (url, version): refs.commits[name]
            for version, candidates in names.items()
            for name in candidates
            if name in refs.commits
        }

    heads: dict[tuple[str, str], str] = {}
    for found in in_parallel(listed, wanted, at_most=_MOST_REMOTES):
        heads |= found
    return heads


# ---------------------------------------------------------------- editing


def edit(config: Config, cluster_id: str, wanted: Edit, terms: Terms) -> dict[str, Any]:
    """Carry out an edit: compiled, checked, committed and pushed; or refused."""
    own = compiled_config(config, cluster_id)
    rules = Rules(
        dry_run=terms.dry_run,
        clusters=terms.clusters,
        commit=True,
        push=True,
        author=terms.author,
        base=terms.base,
    )
    found = transaction.run(own, _request(own.paths, wanted), rules)
    if not found.plan and wanted.verb == "add":
        raise KeyTaken(f"{wanted.path} has that item already", where=found.plan.choice.shown)
    return _masked(
        {
            **edit_as_data(found),
            "refused": bool(found.verdict.failing),
            "configuration": configuration_version(own.paths),
        }
    )


def _request(paths: WorkPaths, wanted: Edit) -> Request:
    request = Request(
        "set",
        wanted.path,
        value_of(wanted.value) if wanted.is_yaml else wanted.value,
        wanted.level,
        Path(wanted.at) if wanted.at else None,
        wanted.target,
    )
    match wanted.verb:
        case "enable" | "disable":
            verb: Literal["add", "remove"] = "add" if wanted.verb == "enable" else "remove"
            return replace(request, verb=verb, path="applications", value=wanted.item)
        case "set" | "unset" | "add":
            return replace(request, verb=wanted.verb)
    parts = path_parts(wanted.path)
    hierarchy = compiled_hierarchy(paths)
    key = str(parts[0]).replace("_", "-")
    target = wanted.target or (key if key in hierarchy.targets else BOOTSTRAP)
    item = item_named(hierarchy.replay(target), parts, wanted.item)
    path = dotted((*parts, item)) if isinstance(item, Selector) else wanted.path
    if wanted.verb == "set item":
        return replace(request, path=path)
    if isinstance(item, Selector):
        return replace(request, verb="unset", path=path)
    return replace(request, verb="remove", value=item)


# ---------------------------------------------------------------- compiling


class _Reporter(ClusterReporter):
    """Approves what the caller has seen, and what is not worse than allowed."""

    def __init__(self, max_grade: Grade, seen: str) -> None:
        super().__init__(_FORM, max_grade)
        self._seen = seen

    def approve(self, config: Config, change: Change) -> bool:
        """Refuse changes that differ from those that the caller has seen."""
        if config.push and self._seen:
            with compared(config.paths.catalog, "HEAD") as comparison:
                if comparison.tree != self._seen:
                    raise OtherChanges(
                        "the changes are no longer those that were read",
                        hint="nothing was pushed; read the changes again",
                    )
        return super().approve(config, change)


def compile_(
    config: Config, cluster_id: str, max_grade: Grade | None = None, seen: str = ""
) -> dict[str, Any]:
    """Compile a cluster; with `push` of the settings, also push it.

    Nothing is pushed that is worse than `max_grade`, or than the stage of the cluster allows.
    """
    started, root = monotonic(), config.paths.root
    compiled = several.compiled_in(config.paths)
    if cluster_id in compiled:
        config = replace(config, paths=compiled[cluster_id])
    else:
        several.check_folder(config)
        config = several.config_for(config, cluster_id)
    cluster = load_cluster(config, cluster_id)
    reporter = _Reporter(max_grade or _allowed(config, cluster), seen)
    with reporter.collecting() as show:
        published = compile_of_several(root, config, cluster_id, show, cluster)
        code = show.outcome(config, cluster_id, published)
    result = reporter.result(config, published, code, monotonic() - started)
    return _masked(
        {
            "outcome": result.outcome,
            "worst": result.worst if result.changes else None,
            "objects": result.objects,
            "commit": published.commit,
            "seconds": round(result.seconds, 1),
            "problems": [problem_as_data(one) for one in published.notices],
            "record": _record(config, published.record, cluster),
        }
    )


def _allowed(config: Config, cluster: Cluster) -> Grade:
    """The worst grade that the stage of a cluster allows."""
    if not config.push:
        return GRADES[0]
    return next(
        (stage.max_grade for stage in stages_for(config, [cluster]) if stage.has(cluster)),
        GRADES[0],
    )


def _record(config: Config, record: BuildRecord, cluster: Cluster) -> dict[str, Any]:
    """The inputs of a compile, with the catalog and what the API knew about the cluster."""
    found = _inputs(report_body(record))
    if is_repository(config.paths.catalog):
        url = remote_settings(config.paths.catalog).get("url", "")
        head = commit_of(config.paths.catalog, "HEAD") or ""
        found["inputs"]["catalog"] = {"url": url, "version": "HEAD", "gitSha": head}
    return {**found, "fingerprint": _fingerprint(cluster)}


def _masked(content: dict[str, Any]) -> dict[str, Any]:
    """A result without secrets, of plain values."""
    masked: dict[str, Any] = REDACTOR.masked_value(as_json.plain(content))
    return masked
