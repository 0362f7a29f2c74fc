"""Results of commands that read a cluster."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from commodore_py.cli.output import messages, streams
from commodore_py.cli.output.differences import words
from commodore_py.cli.output.differences.as_json import plain
from commodore_py.manifests.paths import written

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from commodore_py.manifests.desired.managed import Manager
    from commodore_py.manifests.health.status import Health
    from commodore_py.workflows.live.cluster import LiveCluster
    from commodore_py.workflows.live.compare import DriftReport, FieldDrift
    from commodore_py.workflows.live.orphans import Orphan, OrphanReport
    from commodore_py.workflows.live.status import ApplicationStatus, Node, StatusReport, TreeReport
    from commodore_py.workflows.live.waiting import Left


STATUS_COLOURS = {
    "Healthy": "green",
    "Suspended": "cyan",
    "Progressing": "blue",
    "Missing": "yellow",
    "Degraded": "red",
    "Unknown": "yellow",
}
NO_HEALTH = "-"
_MOST_CAUSES = 10
_WIDTH = max(map(len, STATUS_COLOURS))


def status(report: StatusReport) -> dict[str, Any]:
    """The status of all applications, with what left the catalog and what others changed."""
    return {
        "schema": "live-status/v1",
        "confirmed_by": report.confirmed_by or None,
        "applications": [_application(application) for application in report.applications],
        "orphans": [_orphan(orphan) for orphan in report.orphans.orphans],
        "complete": report.orphans.complete,
        "drift": _drift(report.drift),
        "left_out": dict(report.drift.left_out),
        "unapplied": dict(report.unapplied),
        "unseen": dict(report.unseen),
    }


def status_lines(report: StatusReport) -> Iterator[str]:
    """Render it for people."""
    for application in report.applications:
        name = application.name or NO_HEALTH
        yield f"{status_word(application.health)}  {name}: {_summary(application)}"
        for cause in application.causes[:_MOST_CAUSES]:
            message = cause.health.message if cause.health is not None else ""
            yield f"{' ' * _WIDTH}    {cause.target.id}: {message}".rstrip(": ")
        if len(application.causes) > _MOST_CAUSES:
            yield f"{' ' * _WIDTH}    and {len(application.causes) - _MOST_CAUSES} more"


def tree(report: TreeReport, unseen: Mapping[str, str]) -> dict[str, Any]:
    """Trees of objects."""
    return {
        "schema": "live-tree/v1",
        "trees": [
            {"name": tree.name, "roots": [_node(node) for node in tree.roots]}
            for tree in report.trees
        ],
        "cycles": [[asdict(id_) for id_ in report.cycle]] if report.cycle else [],
        "unseen": dict(unseen),
    }


def tree_lines(report: TreeReport) -> Iterator[str]:
    """Render it for people."""
    for tree in report.trees:
        yield streams.styled(tree.name, bold=True)
        for at, node in enumerate(tree.roots):
            yield from _node_lines(node, "", is_last=at == len(tree.roots) - 1)
    if report.cycle:
        yield f"a cycle of owners: {' -> '.join(map(str, report.cycle))}"


def show_asides(cluster: LiveCluster, *, quiet: bool) -> None:
    """Print what could not be read, and warn of a wrong cluster."""
    for note in _asides(cluster, quiet=quiet):
        messages.info(note)


def _asides(cluster: LiveCluster, *, quiet: bool) -> Iterator[str]:
    unseen = cluster.unseen_kinds(in_catalog=quiet)
    if quiet:
        kinds: dict[str, list[str]] = {}
        for kind, why in unseen.items():
            # The rest of a refusal names the kind.
            kinds.setdefault(why.partition(": ")[0], []).append(kind)
        unseen = {", ".join(of): why if of[1:] else unseen[of[0]] for why, of in kinds.items()}
    yield from (f"{kind} cannot be read: {why}" for kind, why in unseen.items())
    if unapplied := cluster.unapplied():
        folders = ", ".join(f"{folder} ({count})" for folder, count in unapplied.items())
        yield f"no application syncs the objects in {folders}; they are left out"
    if not cluster.identity.confirmed_by:
        yield "nothing confirms that this is the cluster of the catalog"


def _application(application: ApplicationStatus) -> dict[str, Any]:
    return {
        "name": application.name,
        "health": application.health,
        "revision": application.synced.revision if application.synced else None,
        "driver": {"sync": application.synced.sync, "health": application.synced.health}
        if application.synced
        else None,
        "create": application.count("created"),
        "change": application.count("changed"),
        "unseen": application.count("unseen"),
        "waits_for": list(application.waits_for),
        "objects": [
            {
                **asdict(each.target.id),
                "health": _health(each.health),
                "change": each.change or None,
            }
            for each in application.objects
        ],
    }


def _health(health: Health | None) -> dict[str, Any] | None:
    if health is None:
        return None
    return {"status": health.status, "message": health.message, "source": health.source}


def _summary(application: ApplicationStatus) -> str:
    counts = (
        (application.count("created"), "to create"),
        (application.count("changed"), "to change"),
        (application.count("unseen"), "not readable"),
    )
    words = [f"{count} {what}" for count, what in counts if count] or ["as in the catalog"]
    if application.synced is not None:
        words.append(f"synced {application.synced.revision[:8] or 'never'}")
    if application.waits_for:
        words.append(f"waits for {', '.join(application.waits_for)}")
    return ", ".join(words)


def status_word(status: str | None) -> str:
    """A status of health in the width of all of them."""
    word = status or NO_HEALTH
    return streams.styled(word.ljust(_WIDTH), fg=STATUS_COLOURS.get(word))


def _node(node: Node) -> dict[str, Any]:
    return {
        **asdict(node.id),
        "health": _health(node.health),
        "inferred": node.inferred,
        "unseen": node.unseen or None,
        "children": [_node(child) for child in node.children],
    }


def _node_lines(node: Node, before: str, *, is_last: bool) -> Iterator[str]:
    health = node.health
    word = "not readable" if node.unseen else health.status if health is not None else None
    about = [str(node.id)]
    if node.inferred:
        about.append("(inferred)")
    if node.seen_above:
        about.append("(see above)")
    if health is not None and health.message and health.status not in (None, "Healthy"):
        about.append(health.message)
    mark = streams.styled(word, fg=STATUS_COLOURS.get(word)) if word else ""
    text = "  ".join((*about, mark) if mark else about)
    yield f"{before}{'└── ' if is_last else '├── '}{text}"
    below = before + ("    " if is_last else "│   ")
    for at, child in enumerate(node.children):
        yield from _node_lines(child, below, is_last=at == len(node.children) - 1)


_FATES = {
    "delete": ("to delete", "red"),
    "keep": ("kept", "yellow"),
    "unknown": ("unknown", "yellow"),
}


def orphan_lines(report: OrphanReport) -> Iterator[str]:
    """Objects that left the catalog, for people."""
    for fate, (word, colour) in _FATES.items():
        for orphan in report.orphans:
            if orphan.fate == fate:
                shown = streams.styled(word.ljust(9), fg=colour)
                yield f"{shown}  {orphan.id}: {orphan.why}"


def left(goal: str, items: Iterable[Left]) -> dict[str, Any]:
    """List what is not yet as it was waited for."""
    return {
        "schema": "live-wait/v1",
        "for": goal,
        "left": [{**asdict(item.id), "why": item.why} for item in items],
    }


def _orphan(orphan: Orphan) -> dict[str, Any]:
    return {
        **asdict(orphan.id),
        "fate": orphan.fate,
        "why": orphan.why,
        "tool": orphan.mark.tool or None,
        "owner": orphan.mark.owner or None,
    }


def _drift(report: DriftReport) -> list[dict[str, Any]]:
    """Render drift for programs."""
    return [
        {
            **asdict(object_drift.id),
            "application": object_drift.application,
            "missing": object_drift.is_missing,
            "fields": [_field(each) for each in object_drift.fields],
        }
        for object_drift in report.objects
    ]


def drift_lines(report: DriftReport) -> Iterator[str]:
    """Render drift for people."""
    for object_drift in report.objects:
        what = "it is not there" if object_drift.is_missing else "changed since the last sync"
        yield f"{object_drift.id}: {what}"
        for each in object_drift.fields:
            yield f"  {_changed(each)}"
            if each.cause:
                yield f"    {each.cause}"
            for manager in each.managers:
                yield f"    {_manager(manager)}"


def drift_asides(report: DriftReport) -> Iterator[str]:
    """Applications that were not compared."""
    names: dict[str, list[str]] = {}
    for name, why in report.left_out.items():
        names.setdefault(why, []).append(name or "the catalog")
    for why, some in names.items():
        yield f"not compared with the last sync: {', '.join(some)}: {why}"


def _changed(drift: FieldDrift) -> str:
    field, path = drift.field, written(drift.field.path)
    match field.happened:
        case "added":
            return f"{path} is missing; it was {words.value(field.new)}"
        case "removed":
            return f"{path} is {words.value(field.old)}; it was not there"
        case "reordered":
            return f"{path} has another order"
    return f"{path} is {words.value(field.old)}; it was {words.value(field.new)}"


def _manager(manager: Manager) -> str:
    how = (
        f"{manager.operation} of {manager.subresource}"
        if manager.subresource
        else manager.operation
    )
    return f"by {manager.name} ({how})" + (f", not after {manager.time}" if manager.time else "")


def _field(drift: FieldDrift) -> dict[str, Any]:
    field = drift.field
    return {
        "path": written(field.path),
        "change": {"added": "removed", "removed": "added"}.get(field.happened, field.happened),
        "synced": plain(field.new),
        "live": plain(field.old),
        "cause": drift.cause or None,
        "managers": [
            {
                "manager": manager.name,
                "operation": manager.operation,
                "subresource": manager.subresource or None,
                "not_after": manager.time or None,
            }
            for manager in drift.managers
        ],
    }
