"""Check whether a plan can be rendered as waves (pure)."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, NamedTuple

from commodore_py.delivery.drivers.base import MANIFESTS
from commodore_py.delivery.findings import Finding
from commodore_py.delivery.nodes import Leaf, Resource, steps_of
from commodore_py.delivery.reading import PLAN
from commodore_py.manifests.objects import mappings, value_in
from commodore_py.manifests.order.hooks import WAVE, integer

from .published import KEEP
from .registration import server_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import PurePosixPath

    from commodore_py.delivery.drivers.applications import Applications
    from commodore_py.delivery.drivers.documents import Document
    from commodore_py.delivery.nodes import Node, Step
    from commodore_py.delivery.settings import Cluster
    from commodore_py.model.spot import ParameterPath


class Planned(NamedTuple):
    """An instance of the plan, and its Applications."""

    leaf: Leaf
    documents: tuple[Document, ...]


def planned_in(node: Node | None, applications: Applications) -> tuple[Planned, ...]:
    """The instances of a plan."""
    leaves = (step for step in steps_of(node) if isinstance(step, Leaf))
    return tuple(Planned(leaf, applications.of(leaf.instance)) for leaf in leaves)


def application_findings(
    planned: tuple[Planned, ...], applications: Applications, owner: Document | None
) -> Iterator[Finding]:
    """Applications that are missing, not automated, or elsewhere."""
    owners: dict[str, str] = {}
    namespaces: dict[str, str] = {}
    for leaf, documents in planned:
        if not documents and not leaf.render:
            message = f"instance {leaf.instance} has no Application"
            remedy = "set `render: true`, and the driver writes one"
            yield Finding("plan/no-application", message, leaf.path, remedy)
        elif not documents and owner is None:
            yield no_owner(f"the Application of {leaf.instance} is to be written", leaf)
        for document in documents:
            above = applications.owner_of(document)
            owners.setdefault(
                above.name if above else f"none of {document.path.parent}", leaf.instance
            )
            namespace = str(value_in(document.content, "metadata", "namespace") or "none")
            namespaces.setdefault(namespace, leaf.instance)
            automated = value_in(document.content, "spec", "syncPolicy", "automated")
            if not isinstance(automated, dict) or automated.get("enabled") is False:
                message = f"Application {document.name} is not synced automatically"
                remedy = "it would never be ready: set spec.syncPolicy.automated"
                yield Finding("plan/not-automated", message, leaf.path, remedy)
    for code, what, places in (
        ("plan/several-owners", "are deployed by several owners", owners),
        ("plan/several-namespaces", "are in several namespaces", namespaces),
    ):
        if len(places) > 1:
            listed = ", ".join(f"{name} ({instance})" for name, instance in places.items())
            yield Finding(code, f"the Applications of the plan {what}: {listed}", PLAN)


def no_owner(what: str, step: Step) -> Finding:
    """There is nothing that an Application could be a copy of."""
    message = f"{what}, but no Application deploys the folder of the Applications"
    return Finding("plan/no-owner", message, step.path, "add one: it is copied")


def wave_findings(document: Document, leaf: Leaf, wave: int) -> Iterator[Finding]:
    """A wave that the component has set itself."""
    old = wave_set(document)
    if old is not None and old != wave:
        message = f"Application {document.name} has wave {old}, which becomes {wave}"
        yield Finding("plan/wave", message, leaf.path, "remove the annotation: the plan decides")


def unplanned_waves(
    applications: Applications, planned: tuple[Planned, ...], folder: PurePosixPath
) -> Iterator[Finding]:
    """Applications that are not in the plan, and yet before its end."""
    names = {document.name for _, documents in planned for document in documents}
    for document in applications.all:
        wave = wave_set(document)
        if (
            wave is not None
            and wave < 0
            and document.path.parent == folder
            and document.name not in names
        ):
            message = f"Application {document.name} has wave {wave}, and is not in the plan"
            yield Finding("plan/wave", message, PLAN, "remove the annotation, or plan it")


def wave_set(document: Document) -> int | None:
    """The wave that an annotation sets."""
    return integer(str(value_in(document.content, "metadata", "annotations", WAVE)))


def move_finding(name: str, present: PurePosixPath, path: ParameterPath) -> Finding:
    """An Application that changes its owner in two steps."""
    message = f"Application {name} stays in {MANIFESTS}/{present.parent}, whose owner prunes"
    remedy = f"it has {KEEP} from now on, and is moved by the next push"
    return Finding("plan/move", message, path, remedy)


def remote_resources(node: Node | None) -> Iterator[Finding]:
    """Objects for another cluster: the owner applies on the host only."""
    for step in steps_of(node):
        if isinstance(step, Resource) and step.cluster:
            message = f"resource {step.reference} is below `on`, but is applied on the host"
            yield Finding("plan/resource", message, step.path, "move it out of `on`")


def project_findings(
    planned: Iterable[Planned], projects: Iterable[Document], clusters: Mapping[str, Cluster]
) -> Iterator[Finding]:
    """Projects that forbid a remote cluster, and those that are not in the catalog."""
    destinations = {
        project.name: mappings(value_in(project.content, "spec", "destinations"))
        for project in projects
    }
    for leaf, documents in planned:
        for document in documents if leaf.cluster else ():
            project = str(value_in(document.content, "spec", "project") or "default")
            cluster = clusters[leaf.cluster]
            destination = {
                "name": server_name(cluster),
                "namespace": str(
                    value_in(document.content, "spec", "destination", "namespace") or ""
                ),
                "server": cluster.server,
            }
            if project not in destinations:
                message = f"project {project} is not in the catalog: its destinations are unknown"
                yield Finding("plan/project-unknown", message, leaf.path)
            elif not _allows(destinations[project], destination):
                message = (
                    f"project {project} does not allow {document.name} on cluster {leaf.cluster}"
                )
                lines = f"{{name: {destination['name']}, namespace: {destination['namespace']}}}"
                yield Finding(
                    "plan/project", message, leaf.path, f"add to its destinations {lines}"
                )


def _allows(destinations: Iterable[Mapping[str, Any]], requested: Mapping[str, str]) -> bool:
    fitting = [destination for destination in destinations if _fits(destination, requested)]
    denied = any(
        str(value).startswith("!") for destination in fitting for value in destination.values()
    )
    return bool(fitting) and not denied


def _fits(destination: Mapping[str, Any], requested: Mapping[str, str]) -> bool:
    """A destination is one of a server or of a name; a pattern with `!` denies what it matches."""
    matching = {
        key
        for key in requested
        if fnmatchcase(requested[key], str(destination.get(key) or "").removeprefix("!"))
    }
    return "namespace" in matching and bool({"name", "server"} & matching)
