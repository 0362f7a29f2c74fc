"""Compiles in child processes, and their inputs: what the API lists, and what remotes have."""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import json_text
from commodore_py.adapters.git.refs import commit_of
from commodore_py.adapters.git.repository import is_repository, remote_settings
from commodore_py.adapters.masking import REDACTOR, without_secrets
from commodore_py.adapters.workers import in_parallel
from commodore_py.catalog.diff.revisions import compared
from commodore_py.cli.commands.catalog import compile_of_several
from commodore_py.cli.output.compile_result import Form
from commodore_py.cli.output.differences import as_json
from commodore_py.cli.output.fleet import ClusterReporter
from commodore_py.cli.output.problems import as_data as problem_as_data
from commodore_py.dependencies.git.remotes import RemoteClient, names_of
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
from commodore_py.model.difference import GRADES
from commodore_py.workflows.catalog import several
from commodore_py.workflows.stages import stages_for

from .failures import OtherChanges
from .state import record_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from commodore_py.config import Config
    from commodore_py.model.catalog import BuildRecord, Change
    from commodore_py.model.cluster import Cluster
    from commodore_py.model.difference import Grade


_FORM = Form("json", "objects", exit_code=False)
_MOST_REMOTES = 8


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
        name: masked(
            {
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
        )
        for name, cluster in sorted(loaded.items())
    }


def _reported(config: Config, objects: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The reports of the last pushed compiles, as the API has them."""
    source = source_of(config)
    if not isinstance(source, FactsFolder):
        return {name: cluster.get("compileMeta") for name, cluster in objects.items()}
    found = {}
    for name in objects:
        file = source.root / "reports" / f"{name}.json"
        with suppress(OSError, ValueError):
            found[name] = json_text.load(file.read_bytes(), name=str(file))
    return found


def _inputs(report: object) -> dict[str, Any] | None:
    """The inputs in the report of a compile, to be compared with what remotes have later."""
    if not isinstance(report, dict):
        return None
    inputs = {kind: report.get(kind) for kind in ("global", "tenant")}
    for section, word in (("instances", "component"), ("packages", "package")):
        entries = report.get(section)
        if isinstance(entries, dict):
            inputs |= {f"{word} {name}": one for name, one in entries.items()}
    return record_of({"inputs": inputs, "time": report.get("lastCompile")})


def _fingerprint(cluster: Cluster | None) -> str:
    """A digest of what the API knows about a cluster; a change of it calls for a compile."""
    if cluster is None:
        return ""
    known = (cluster.facts, cluster.global_repo, cluster.tenant_repo, cluster.catalog_url)
    return hashlib.sha256(json.dumps(known, default=str).encode()).hexdigest()[:16]


def remote_heads(pairs: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str | None]:
    """The commits that versions of repositories have now; each remote is listed once.

    A version that is no branch or tag has none; those of remotes that cannot be reached are left
    out.
    """
    wanted: dict[str, list[str]] = {}
    for url, version in pairs:
        wanted.setdefault(url, []).append(version)

    def listed(url: str) -> dict[tuple[str, str], str | None]:
        try:
            refs = RemoteClient().list_refs(url)
        except CommodoreError:  # its compile reports why
            return {}
        found: dict[tuple[str, str], str | None] = {(url, version): None for version in wanted[url]}
        for _, version in found:
            for name in names_of(refs, version or "HEAD"):
                if name in refs.commits:
                    found[url, version] = refs.commits[name]
        return found

    heads: dict[tuple[str, str], str | None] = {}
    for found in in_parallel(listed, wanted, at_most=_MOST_REMOTES):
        heads |= found
    return heads


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
    return masked(
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
    found = _inputs(report_body(record)) or {"inputs": {}, "time": ""}
    if is_repository(config.paths.catalog):
        url = remote_settings(config.paths.catalog).get("url", "")
        head = commit_of(config.paths.catalog, "HEAD") or ""
        found["inputs"]["catalog"] = {"url": url, "version": "HEAD", "gitSha": head}
    return {**found, "fingerprint": _fingerprint(cluster)}


def masked(content: dict[str, Any]) -> dict[str, Any]:
    """A result without secrets, of plain values."""
    shown: dict[str, Any] = REDACTOR.masked_value(as_json.plain(content))
    return shown
