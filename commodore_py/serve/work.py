"""Reads and edits in child processes; arguments and results can be sent.

Everything is done by the functions of the command line, in the same working directories as
`catalog compile --all`.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from commodore_py.adapters.git.refs import commit_of
from commodore_py.adapters.git.repository import is_repository
from commodore_py.catalog.diff.revisions import compared
from commodore_py.cli.commands.edit.result import as_data as edit_as_data
from commodore_py.cli.output import differences, explained
from commodore_py.cli.output.differences import as_json
from commodore_py.cli.output.live import clusters as live_output
from commodore_py.cli.output.plan import results as plan_output
from commodore_py.inventory.class_edits import value_of
from commodore_py.inventory.engine.values import plain
from commodore_py.inventory.explain.explanation import explain
from commodore_py.inventory.explain.hierarchy import compiled_hierarchy
from commodore_py.inventory.paths import dotted, path_parts
from commodore_py.model.inventory import BOOTSTRAP
from commodore_py.workflows.catalog import several
from commodore_py.workflows.editing import transaction
from commodore_py.workflows.editing.list_items import KeyTaken
from commodore_py.workflows.editing.options import options_at
from commodore_py.workflows.editing.plan import target_of, value_at
from commodore_py.workflows.editing.repository import configuration_version
from commodore_py.workflows.live import cluster as live
from commodore_py.workflows.live.status import status_of, tree_of
from commodore_py.workflows.plans import plan_here

if TYPE_CHECKING:
    from collections.abc import Mapping

    from commodore_py.config import Config
    from commodore_py.inventory.explain.hierarchy import Hierarchy
    from commodore_py.workflows.editing.requests import Request, Rules


def summary(config: Config, cluster_id: str) -> dict[str, Any]:
    """A cluster as its working directory has it."""
    paths = several.paths_of(config.paths, cluster_id)
    version = configuration_version(paths)
    hierarchy = compiled_hierarchy(paths)
    has_catalog = is_repository(paths.catalog)
    return {
        "configuration": version,
        "instances": _instances(hierarchy),
        "targets": sorted(hierarchy.targets),
        "catalog_commit": commit_of(paths.catalog, "HEAD") if has_catalog else None,
    }


def _instances(hierarchy: Hierarchy) -> list[dict[str, Any]]:
    replay = hierarchy.replay(BOOTSTRAP)
    enabled = {
        item.rpartition(" as ")[2]: item.partition(" as ")[0]
        for item in replay.state.applications.names
        if not item.startswith("pkg.")
    }
    entries: Mapping[str, Any] = plain(replay.value(("components",))) or {}
    instances = []
    for name in sorted({*enabled, *map(str, entries)}):
        component = enabled.get(name, name)
        entry = {**(entries.get(component) or {}), **(entries.get(name) or {})}
        instances.append(
            {
                "name": name,
                "component": component,
                "enabled": name in enabled,
                "version": entry.get("version"),
                "url": entry.get("url"),
            }
        )
    return instances


def value(config: Config, cluster_id: str, path: str, target: str) -> dict[str, Any]:
    """A merged value, and the layers that set it."""
    paths = several.paths_of(config.paths, cluster_id)
    # Before the value: an edit in between is then a conflict for whoever uses this version.
    version = configuration_version(paths)
    if path == "applications" or path.startswith("applications."):
        merged, place = value_at(paths, path, target)
        content = {"path": path, "value": merged, "steps": [{"action": "set", "file": place}]}
    else:
        hierarchy = compiled_hierarchy(paths)
        target = target_of(hierarchy, path_parts(path), target)
        content = explained.explanation_content(explain(paths, target, path))
    return {**content, "configuration": version}


def options(config: Config, cluster_id: str, path: str) -> dict[str, Any]:
    """Legal values of a parameter, and what is below it."""
    paths = several.paths_of(config.paths, cluster_id)
    hierarchy = compiled_hierarchy(paths)
    parts = path_parts(path) if path else ()
    replay = hierarchy.replay(target_of(hierarchy, parts) if parts else BOOTSTRAP)
    below = getattr(replay.value(parts), "items", None) if not parts or replay.follow(parts) else {}
    keys = [dotted((*parts, str(name))) for name in below] if isinstance(below, dict) else []
    return {
        "path": path,
        "options": [asdict(option) for option in (options_at(paths, path) if path else ())],
        "keys": keys,
    }


def changes(config: Config, cluster_id: str) -> dict[str, Any]:
    """The changes of the catalog by the last compile: objects and grades."""
    catalog = several.paths_of(config.paths, cluster_id).catalog
    with compared(catalog, "HEAD") as comparison:
        diff = differences.diff_of(comparison.change)
        return {
            "schema": "catalog-diff/v1",
            "old": comparison.old,
            "version": comparison.tree,
            **as_json.object_diff(diff),
        }


def plan(config: Config, cluster_id: str) -> dict[str, Any]:
    """The order in which a cluster is deployed."""
    return plan_output.shown(plan_here(several.paths_of(config.paths, cluster_id)))


def live_tree(config: Config, cluster_id: str, root: str) -> dict[str, Any]:
    """The objects of a running cluster and what they own."""
    config = replace(config, paths=several.paths_of(config.paths, cluster_id))
    with live.opened(config, cluster_id, live.Reach(), read="owned") as cluster:
        report = tree_of(cluster, root)
        return live_output.tree(report, cluster.unseen_kinds(in_catalog=False))


def live_status(config: Config, cluster_id: str, _root: str) -> dict[str, Any]:
    """How the applications of a catalog are doing in its cluster."""
    config = replace(config, paths=several.paths_of(config.paths, cluster_id))
    with live.opened(config, cluster_id, live.Reach()) as cluster:
        return live_output.status(status_of(cluster))


def edit(config: Config, cluster_id: str, request: Request, rules: Rules) -> dict[str, Any]:
    """Carry out an edit: compiled, checked, committed and pushed; or refused."""
    config = replace(config, paths=several.paths_of(config.paths, cluster_id))
    result = transaction.run(config, request, rules)
    if not result.plan and request.verb == "add" and not result.plan.application:
        raise KeyTaken(f"{request.path} has that item already", where=result.plan.choice.shown)
    return {
        **edit_as_data(result),
        "refused": bool(result.verdict.failing),
        "configuration": configuration_version(config.paths),
    }


def edit_text(config: Config, cluster_id: str, request: Request, rules: Rules) -> dict[str, Any]:
    """Carry out an edit whose value is written as in class files."""
    return edit(config, cluster_id, replace(request, value=value_of(request.value)), rules)
