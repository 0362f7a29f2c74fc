"""Results of commands that read a cluster."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import escaping
from commodore_py.cli.output import messages, streams

from . import drifts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from commodore_py.manifests.health.status import Health
    from commodore_py.workflows.live.cluster import LiveCluster
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
        "drift": drifts.content(report.drift),
        "left_out": dict(report.drift.left_out),
        "unapplied": dict(report.unapplied),
        "unseen": dict(report.unseen),
    }


def status_lines(report: StatusReport) -> Iterator[str]:
    """Render it for people."""
    for application in report.applications:
        about = f"{application.name or NO_HEALTH}: {_summary(application)}"
        yield f"{status_word(application.health)}  {escaping.one_line(about)}"
        for cause in application.causes[:_MOST_CAUSES]:
            message = cause.health.message if cause.health is not None else ""
            yield escaping.one_line(f"{' ' * _WIDTH}    {cause.target.id}: {message}".rstrip(": "))
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
        yield streams.styled(escaping.one_line(tree.name), bold=True)
        for at, node in enumerate(tree.roots):
            yield from _node_lines(node, "", is_last=at == len(tree.roots) - 1)
    if report.cycle:
        names = " -> ".join(map(str, report.cycle))
        yield escaping.one_line(f"a cycle of owners: {names}")


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
    text = escaping.one_line("  ".join(about))
    yield f"{before}{'└── ' if is_last else '├── '}{text}{f'  {mark}' if mark else ''}"
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
                yield f"{shown}  {escaping.one_line(f'{orphan.id}: {orphan.why}')}"


def left(goal: str, items: Iterable[Left]) -> dict[str, Any]:
    """List what is not yet as it was waited for."""
    return {
        "schema": "live-wait/v1",
        "for": goal,
        "left": [{**asdict(item.id), "why": item.why} for item in items],
    }


def left_line(item: Left) -> str:
    """Render it for people."""
    return escaping.one_line(f"{item.id}: {item.why}")


def _orphan(orphan: Orphan) -> dict[str, Any]:
    return {
        **asdict(orphan.id),
        "fate": orphan.fate,
        "why": orphan.why,
        "tool": orphan.mark.tool or None,
        "owner": orphan.mark.owner or None,
    }
