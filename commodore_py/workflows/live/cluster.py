"""A catalog and the cluster it is for, side by side."""

from __future__ import annotations

import logging
import os
from collections import Counter
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Literal, TypeAlias

from commodore_py.adapters.git.repository import is_repository, remote_settings
from commodore_py.errors import CommodoreError, UsageError
from commodore_py.live import identity
from commodore_py.live.access import kubeconfig
from commodore_py.live.access.client import Client
from commodore_py.live.access.discovery import discover
from commodore_py.live.marks import targets_of
from commodore_py.live.reading import EVERY_KIND, Selection, read_objects
from commodore_py.live.rules import Judge, has_rule_in_argocd
from commodore_py.manifests.documents import TOOL_FILES
from commodore_py.manifests.health import builtin
from commodore_py.manifests.health.scripts import ScriptTable
from commodore_py.manifests.objects import KubeObject, identify
from commodore_py.manifests.order import applications
from commodore_py.manifests.settings import CONFIG_MAP, settings_of
from commodore_py.manifests.settings import Settings as ArgoSettings
from commodore_py.model.names import problem_of_path
from commodore_py.workflows.catalog import several

from . import notes
from .health import own_rules_here
from .objects import objects_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.config import Config, WorkPaths
    from commodore_py.live.access.discovery import Discovery
    from commodore_py.live.identity import Identity
    from commodore_py.live.marks import Target
    from commodore_py.live.reading import ClusterObjects
    from commodore_py.manifests.objects import Content, ObjectId
    from commodore_py.manifests.order.applications import Assigned


log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Reach:
    """Where the cluster is, and which of its objects are of interest."""

    kubeconfig: str = ""
    context: str = ""
    catalog: Path | None = None
    application: str = ""
    namespaces: tuple[str, ...] = ()
    trusted: str = ""
    """The UID of the cluster, as the user names it."""


Reading: TypeAlias = Literal["all", "targets", "owned"]
"""What is read: metadata of all kinds, only the kinds of targets, or contents that targets own."""


@dataclass(frozen=True, slots=True)
class LiveCluster:
    """A catalog and its cluster."""

    id: str
    seen: ClusterObjects
    client: Client
    kinds: Discovery
    identity: Identity
    assigned: Assigned
    targets: tuple[Target, ...]
    """Of the application and the namespaces that were named, or all."""
    all_targets: tuple[Target, ...]
    """Also those of other applications and namespaces, which are not orphans either."""
    settings: ArgoSettings
    catalog: Path
    rendered: frozenset[str]
    """Folders of the catalog that a tool of Argo CD renders."""
    state: Path
    """Where it is noted what was done here."""
    health: Judge
    reach: Reach

    def live(self, target: Target) -> Content | None:
        """The object in the cluster, in the version of the target."""
        if target.api is None:
            return None
        record = self.seen.get(target.id)
        if record is None and self.seen.holds(target.api):
            return None
        manifest = record.manifest if record is not None else None
        if manifest is not None and manifest.get("apiVersion") == target.api.api_version:
            return manifest
        return self.client.find(target.path)

    def unseen(self, target: Target) -> str:
        """Why the object cannot be read; empty if it can."""
        return self.seen.why_unseen(target.id.group, target.id.kind, target.id.namespace)

    def unseen_kinds(self, *, in_catalog: bool) -> dict[str, str]:
        """The kinds that cannot be read, and why: those of the catalog, or all."""
        kinds = {
            (target.id.group, kind)
            for target in self.all_targets
            for kind in (target.id.kind, EVERY_KIND)
        }
        return {
            str(place): why
            for place, why in self.seen.unseen.items()
            if not in_catalog or (place.group, place.kind) in kinds
        }

    def unapplied(self) -> dict[str, int]:
        """Folders that no application syncs, and how many objects they have."""
        only_live = [
            application.syncs for application in self.identity.applications
        ]  # as the root often is
        files = (
            PurePosixPath(kube_object.file).relative_to(self.catalog)
            for kube_object in self.assigned.unapplied
        )
        folders = (
            file.parent for file in files if not applications.owners_of(only_live, str(file))
        )
        return dict(sorted(Counter(map(str, folders)).items()))


@contextmanager
def opened(
    config: Config, cluster_id: str, reach: Reach, *, read: Reading = "all"
) -> Iterator[LiveCluster]:
    """Read the catalog and the cluster."""
    if "/" in cluster_id or cluster_id in (".", "..") or problem_of_path(cluster_id):
        raise UsageError(f"{cluster_id!r} is not the id of a cluster")
    paths = _paths_of(config, cluster_id, given=reach.catalog is not None)
    config = replace(config, paths=paths)
    catalog = reach.catalog or paths.catalog
    if not catalog.is_dir():
        raise CommodoreError(
            "there is no catalog here",
            where=str(catalog),
            hint=f"compile {cluster_id} first, or name its catalog with --catalog",
        )
    catalog_objects = objects_in([str(catalog)])
    files = (PurePosixPath(file) for file in catalog_objects.files)
    rendered = frozenset(
        str(file.parent.relative_to(catalog)) for file in files if file.name in TOOL_FILES
    )
    assigned = applications.assigned(catalog_objects.objects, str(catalog), rendered)
    access = kubeconfig.find(
        reach.kubeconfig,
        context=reach.context,
        cluster=cluster_id,
        variables=os.environ,
        home=Path.home(),
    )
    client = Client(access, timeout=config.request_timeout)
    own_rules = own_rules_here(config, cluster_id)
    state = paths.state / "live" / cluster_id
    with ExitStack() as stack:
        stack.callback(client.close)
        kinds = discover(client)
        cluster_identity = identity.identify(
            client,
            kinds,
            _urls_of(catalog, assigned),
            remembered=notes.known_uid(state),
            trusted=reach.trusted,
        )
        if cluster_identity.confirmed_by and cluster_identity.uid:
            notes.keep_uid(state, cluster_identity.uid)
        argocd = _argocd_settings(client, catalog_objects.objects, cluster_identity)
        judge = Judge(ScriptTable(argocd.scripts), own_rules, client.now)
        stack.callback(judge.close)
        all_targets = targets_of(assigned, kinds, argocd.tracking)
        targets = _wanted(all_targets, reach, assigned)
        seen = _objects(client, kinds, targets, reach, read)
        yield LiveCluster(
            cluster_id,
            seen,
            client,
            kinds,
            cluster_identity,
            assigned,
            targets,
            all_targets,
            argocd,
            catalog,
            rendered,
            state,
            judge,
            reach,
        )


def _argocd_settings(
    client: Client, objects: tuple[KubeObject, ...], cluster_identity: Identity
) -> ArgoSettings:
    """The settings of Argo CD in the catalog, otherwise in the cluster."""
    settings = next(iter(settings_of(objects)), None) or _settings_in_cluster(
        client, cluster_identity
    )
    for rule in settings.ignored:
        if rule.jq:
            words = "jqPathExpressions are not evaluated, what they name is compared"
            log.warning("ignoreDifferences of %s: %s", rule.pattern, words)
    if not settings.tracking.method:
        methods = {application.method for application in cluster_identity.applications}
        method = next(
            (candidate for candidate in ("annotation", "label") if candidate in methods), ""
        )
        settings = replace(settings, tracking=settings.tracking._replace(method=method))
    return settings


def _settings_in_cluster(client: Client, cluster_identity: Identity) -> ArgoSettings:
    for namespace in sorted(
        {application.namespace for application in cluster_identity.applications}
    ):
        content = client.readable(f"/api/v1/namespaces/{namespace}/configmaps/{CONFIG_MAP}")
        if (id_ := identify(content)) is not None:
            return next(iter(settings_of([KubeObject(id_, content)])), ArgoSettings())
    return ArgoSettings()


def read_again(cluster: LiveCluster) -> LiveCluster:
    """Read the objects again, and the kinds that were missing."""
    kinds, all_targets = cluster.kinds, cluster.all_targets
    if any(target.api is None for target in all_targets):
        kinds = discover(cluster.client)
        all_targets = targets_of(cluster.assigned, kinds, cluster.settings.tracking)
    targets = _wanted(all_targets, cluster.reach, cluster.assigned)
    return replace(
        cluster,
        seen=_objects(cluster.client, kinds, targets, cluster.reach, "targets"),
        kinds=kinds,
        targets=targets,
        all_targets=all_targets,
    )


def _objects(
    client: Client, kinds: Discovery, targets: tuple[Target, ...], reach: Reach, read: Reading
) -> ClusterObjects:
    apis_by_id = {target.id: target.api for target in targets if target.has_version}
    target_kinds = {(object_id.group, object_id.kind) for object_id in apis_by_id}
    with_owned = read == "owned"

    def whole(group: str, kind: str) -> bool:
        return (group, kind) in target_kinds or (with_owned and _has_rule(group, kind))

    def keeps(id_: ObjectId) -> bool:
        return id_ in apis_by_id or (with_owned and _has_rule(id_.group, id_.kind))

    apis = frozenset(target.api.key for target in targets if target.api is not None)
    selection = Selection(
        kinds=apis if read == "targets" else None,
        namespaces=reach.namespaces,
        whole=whole,
        keeps=keeps,
        versions={api.key: api.version for api in apis_by_id.values() if api is not None},
    )
    return read_objects(client, selection, kinds)


def _has_rule(group: str, kind: str) -> bool:
    return builtin.has_rule(group, kind) or has_rule_in_argocd(group, kind)


def _paths_of(config: Config, cluster_id: str, *, given: bool) -> WorkPaths:
    """The working directory of the cluster; whoever names a catalog needs none."""
    if given:
        with suppress(CommodoreError):
            return several.compiled_in(config.paths).get(cluster_id, config.paths)
        return config.paths
    try:
        return several.paths_of(config.paths, cluster_id)
    except several.NotCompiled as error:
        error.hint += "; or name its catalog with --catalog"
        raise


def _urls_of(catalog: Path, assigned: Assigned) -> tuple[str, ...]:
    """How the catalog is named: by its applications, and by the checkout."""
    roots = [application for application in assigned.outside if identity.is_root(application.name)]
    urls = [
        application.url
        for application in (*(application for application, _ in assigned.applications), *roots)
    ]
    if is_repository(catalog):
        urls.append(remote_settings(catalog).get("url", ""))
    return tuple(dict.fromkeys(filter(None, urls)))


def _wanted(targets: tuple[Target, ...], reach: Reach, assigned: Assigned) -> tuple[Target, ...]:
    """Objects of the application and namespaces that were named."""
    names = [application.name for application, _ in assigned.applications]
    if reach.application and reach.application not in names:
        raise CommodoreError(
            f"no application {reach.application} syncs objects here",
            hint=f"applications: {', '.join(filter(None, names)) or 'none'}",
        )
    if reach.application:
        targets = tuple(target for target in targets if target.application == reach.application)
    if reach.namespaces:
        targets = tuple(
            target for target in targets if target.id.namespace in ("", *reach.namespaces)
        )
    return targets
