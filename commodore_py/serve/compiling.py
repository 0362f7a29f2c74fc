"""Compiles in child processes, and their inputs: what the API lists, and what remotes have."""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from time import monotonic
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import json_text
from commodore_py.adapters.git.refs import commit_of
from commodore_py.adapters.git.repository import is_repository, remote_settings
from commodore_py.adapters.masking import without_secrets
from commodore_py.adapters.reading import bytes_of
from commodore_py.adapters.workers import in_parallel
from commodore_py.cli.commands.catalog import compile_of_several
from commodore_py.cli.output.compile_result import CompileReporter, Form
from commodore_py.cli.output.fleet import result_of
from commodore_py.cli.output.problems import as_data as problem_as_data
from commodore_py.dependencies.git.remotes import list_refs, names_of
from commodore_py.errors import CommodoreError
from commodore_py.lieutenant.clusters import (
    by_id,
    list_clusters,
    load_cluster,
    load_clusters,
    report_body,
    source_of,
)
from commodore_py.lieutenant.folder import FactsFolder
from commodore_py.workflows.catalog import several
from commodore_py.workflows.stages import ONLY, Stage, stages_for, wait_for_stage

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from commodore_py.config import Config
    from commodore_py.model.catalog import BuildRecord
    from commodore_py.model.cluster import Cluster

    from .state import Kind


_FORM = Form("json", "objects", exit_code=False)
_MOST_REMOTES = 8
_LARGEST_REPORT = 16 << 20


def listing(config: Config) -> dict[str, dict[str, Any]]:
    """Every cluster that the API lists or that was compiled here, by its id."""
    compiled = several.compiled_in(config.paths)
    loaded: dict[str, Cluster | None] = dict.fromkeys(compiled)
    reported: dict[str, Any] = {}
    problem = ""
    if config.api_url:
        try:
            objects = by_id(list_clusters(config))
            loaded |= load_clusters(config, listed=objects)
            reported = _reported(config, objects)
        except CommodoreError as error:
            problem = str(error)
    for name, paths in compiled.items():
        if loaded[name] is None:
            with suppress(CommodoreError):  # its compile reports why
                loaded[name] = load_cluster(replace(config, paths=paths, local=True), name)
    return {
        name: {
            "id": name,
            "display_name": cluster.display_name if cluster else name,
            "tenant": cluster.tenant if cluster else "",
            "facts": dict(cluster.facts) if cluster else {},
            "catalog_url": without_secrets(cluster.catalog_url) if cluster else "",
            "compiled": name in compiled,
            "fingerprint": _fingerprint(cluster),
            "record": _inputs(reported.get(name)),
            "problem": problem,
        }
        for name, cluster in sorted(loaded.items())
    }


def _reported(config: Config, objects: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The reports of the last pushed compiles, as the API has them."""
    source = source_of(config)
    if not isinstance(source, FactsFolder):
        return {name: cluster.get("compileMeta") for name, cluster in objects.items()}
    reports = {}
    for name in objects:
        file = source.root / "reports" / f"{name}.json"
        with suppress(OSError, ValueError):
            content = bytes_of(str(file), limit=_LARGEST_REPORT)
            reports[name] = json_text.load(content, name=str(file))
    return reports


def _inputs(report: object) -> dict[str, Any] | None:
    """The inputs in the report of a compile that have all they need; None without any."""
    if not isinstance(report, dict):
        return None
    inputs = {kind: report.get(kind) for kind in ("global", "tenant")}
    for section, word in (("instances", "component"), ("packages", "package")):
        entries = report.get(section)
        if isinstance(entries, dict):
            inputs |= {f"{word} {name}": entry for name, entry in entries.items()}
    keys, time = ("url", "version", "gitSha"), report.get("lastCompile")
    complete = {
        name: {key: entry[key] for key in keys}
        for name, entry in inputs.items()
        if isinstance(entry, dict) and all(isinstance(entry.get(key), str) for key in keys)
    }
    time = time if isinstance(time, str) else ""
    return {"inputs": complete, "time": time} if complete else None


def _fingerprint(cluster: Cluster | None) -> str:
    """A digest of what the API knows about a cluster; a change of it calls for a compile."""
    if cluster is None:
        return ""
    fields = (cluster.facts, cluster.global_repo, cluster.tenant_repo, cluster.catalog_url)
    return hashlib.sha256(json.dumps(fields, default=str).encode()).hexdigest()[:16]


def remote_heads(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str, str | None]]:
    """The commits that versions of repositories have now; each remote is listed once.

    A version that is no branch or tag has none; those of remotes that cannot be reached are left
    out.
    """
    versions: dict[str, list[str]] = {}
    for url, version in pairs:
        versions.setdefault(url, []).append(version)

    def heads_of(url: str) -> list[tuple[str, str, str | None]]:
        try:
            refs = list_refs(url)
        except CommodoreError:  # its compile reports why
            return []
        heads: list[tuple[str, str, str | None]] = []
        for version in versions[url]:
            names = [name for name in names_of(refs, version or "HEAD") if name in refs.commits]
            # Of a branch and a tag of one name, the tag counts.
            heads.append((url, version, refs.commits[names[-1]] if names else None))
        return heads

    return list(chain.from_iterable(in_parallel(heads_of, versions, at_most=_MOST_REMOTES)))


def compile_(config: Config, cluster_id: str, kind: Kind, seen: str) -> dict[str, Any]:
    """Compile a cluster, and push it if its changes are not worse than its stage allows."""
    started, root = monotonic(), config.paths.root
    config = replace(config, push=kind == "push")
    compiled = several.compiled_in(config.paths)
    if cluster_id in compiled:
        config = replace(config, paths=compiled[cluster_id])
    else:
        several.check_folder(config)
        config = several.config_for(config, cluster_id)
    cluster = load_cluster(config, cluster_id)
    stages = stages_for(config, [cluster]) if config.push else (ONLY,)
    stage = next((stage for stage in stages if stage.has(cluster)), ONLY)
    with CompileReporter(_FORM, stage.max_grade, seen=seen).collecting() as show:
        published = compile_of_several(root, config, cluster_id, show, cluster)
        code = show.outcome(config, cluster_id, published)
    result = result_of(show, config, published, code, monotonic() - started)
    return {
        "outcome": result.outcome,
        "worst": result.worst if result.changes else None,
        "objects": result.objects,
        "commit": published.commit,
        "seconds": round(result.seconds, 1),
        "problems": [problem_as_data(notice) for notice in published.notices],
        "record": _record(config, published.record, cluster),
    }


def _record(config: Config, record: BuildRecord, cluster: Cluster) -> dict[str, Any]:
    """The inputs of a compile, with the catalog and what the API knew about the cluster."""
    content = _inputs(report_body(record)) or {"inputs": {}}
    if is_repository(config.paths.catalog):
        url = remote_settings(config.paths.catalog).get("url", "")
        head = commit_of(config.paths.catalog, "HEAD") or ""
        content["inputs"]["catalog"] = {"url": url, "version": "HEAD", "gitSha": head}
    return {**content, "fingerprint": _fingerprint(cluster)}


def gates(config: Config) -> list[dict[str, Any]]:
    """Stages with a `wait`: their clusters, and those that wait for them."""
    if not config.api_url:
        return []
    clusters = [cluster for cluster in load_clusters(config).values() if cluster is not None]
    waited: list[dict[str, Any]] = []
    for repository in {cluster.global_repo for cluster in clusters}:
        later = [cluster for cluster in clusters if cluster.global_repo == repository]
        try:
            stages = stages_for(config, later)
        except CommodoreError as error:  # nothing is pushed before its stages are known
            names = [cluster.id for cluster in later]
            waited.append({"stage": "", "members": [], "later": names, "why": str(error)})
            continue
        for stage in stages:
            members = [cluster.id for cluster in later if stage.has(cluster)]
            later = [cluster for cluster in later if not stage.has(cluster)]
            if stage.wait and members and later:
                names = [cluster.id for cluster in later]
                waited.append({"stage": stage.name, "members": members, "later": names})
    return waited


def unhealthy(config: Config, names: list[str]) -> str:
    """Why clusters are not healthy now; empty if they are, or if there is no kubeconfig."""
    return wait_for_stage(config, Stage("", {}, wait=1), names, report=lambda _: None)
