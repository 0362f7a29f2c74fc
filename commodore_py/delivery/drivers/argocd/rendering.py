"""The plan in Applications: waves in one folder, and a folder for each group (pure)."""

from __future__ import annotations

from copy import deepcopy
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from commodore_py.delivery.drivers.applications import GROUP, KIND, Applications
from commodore_py.delivery.drivers.base import (
    MANIFESTS,
    Job,
    Laid,
    Named,
    name_findings,
    place_findings,
)
from commodore_py.delivery.drivers.documents import (
    REFERENCE,
    Document,
    Documents,
    lifted,
    written,
)
from commodore_py.delivery.findings import Finding
from commodore_py.delivery.nodes import Register, Resource, Serial, steps_of
from commodore_py.delivery.normal import stages_of
from commodore_py.delivery.reading import PLAN
from commodore_py.delivery.settings import DELIVERY, PLUGIN
from commodore_py.manifests.order.hooks import WAVE, sync_options
from commodore_py.model.tree import Tree

from . import checks
from .edits import (
    FINALIZER,
    GATE,
    annotate,
    edit_application,
    edit_hook,
    inner,
    set_retry,
    without_finalizer,
)
from .health_rule import rule_findings
from .published import CONFIRM, KEEP, Published, set_pruning
from .reading import GROUPS
from .registration import cluster_findings, problem_of, secret_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from commodore_py.delivery.drivers.documents import Document
    from commodore_py.delivery.nodes import Leaf
    from commodore_py.delivery.normal import Item, Stages
    from commodore_py.model.spot import ParameterPath
    from commodore_py.model.tree import Entry

_HOOKS = ("PreSync", "PostSync", "PreDelete")


def render(job: Job) -> Laid:
    """Waves for the Applications of the plan; a serial in a concurrent becomes an Application."""
    return _Rendering(job).laid()


class _Rendering:
    def __init__(self, job: Job) -> None:
        self._job = job
        self._settings = job.plan.settings
        self._trees = job.deployed
        self._documents = Documents(self._trees)
        self._known = Applications(self._documents.of_kind(GROUP, KIND))
        self._planned = checks.planned_in(job.plan.node, self._known)
        first = next((document for _, documents in self._planned for document in documents), None)
        owners = (*((self._known.owner_of(first),) if first else ()), *self._known.owners)
        self._owner = next((owner for owner in owners if owner is not None), None)
        place = self._owner or first
        self._folder = place.path.parent if place else PurePosixPath("apps")
        self._published = Published(job.head)
        self._deletion = self._settings.word("argocd", "deletion")
        # A sync that waits for what is Degraded would keep the next commit out.
        self._gate = "fail" if self._settings.word("argocd", "gate") == "update" else "wait"
        self._stays: set[PurePosixPath] = set()
        self._own: dict[PurePosixPath, Entry] = {}
        self._findings: list[Finding] = []
        self._named: list[Named] = []
        self._objects, self._object_findings = lifted(job, self._documents)

    def laid(self) -> Laid:
        """All files, and everything that is wrong."""
        node = self._job.plan.node
        stages = stages_of(node)
        self._group(stages, self._folder)
        self._keep_ended_groups()
        pruned = self._delete()
        if self._gate == "fail" and self._owner is not None:
            changed = self._documents.edit(self._owner, PLAN)
            set_retry(inner(inner(changed, "spec"), "syncPolicy"))
        for document in self._documents.of_kind(GROUP, "AppProject"):
            if document.path.is_relative_to(self._folder):
                annotate(self._documents.edit(document, PLAN), {WAVE: str(-len(stages) - 1)})
        used = {step.cluster for step in steps_of(node) if isinstance(step, Register)}
        clusters = tuple(self._settings.clusters[name] for name in sorted(used))
        names = {
            *(document.name for document in self._known.all),
            *(named.name for named in self._named),
        }
        trees, findings = self._documents.result()
        return Laid(
            trees,
            Tree(self._own),
            (
                *checks.application_findings(self._planned, self._known, self._owner),
                *checks.unplanned_waves(self._known, self._planned, self._folder),
                *place_findings(self._trees, {str(GROUPS), *(f"cluster-{name}" for name in used)}),
                *checks.remote_resources(node),
                *cluster_findings(clusters),
                *checks.project_findings(
                    self._planned,
                    self._documents.of_kind(GROUP, "AppProject"),
                    self._settings.clusters,
                ),
                *self._published.left_over(names, self._job.plan, pruned=pruned),
                *rule_findings(self._documents, self._settings),
                *self._object_findings,
                *self._findings,
                *name_findings("Application", self._named),
                *findings,
            ),
        )

    def _group(self, stages: Stages, folder: PurePosixPath) -> None:
        for number, stage in enumerate(stages):
            for item in stage:
                self._item(item, number - len(stages), folder)

    def _item(self, item: Item, wave: int, folder: PurePosixPath) -> None:
        if isinstance(item, Serial):
            self._nested(item, wave, folder)
        elif isinstance(item, Register):
            self._registration(item, wave, folder)
        elif isinstance(item, Resource):
            self._resource(item, wave, folder)
        else:
            self._leaf(item, wave, folder)

    def _leaf(self, leaf: Leaf, wave: int, folder: PurePosixPath) -> None:
        documents = self._known.of(leaf.instance)
        for document in documents:
            self._named.append(Named(document.name, leaf.id, leaf.path))
            self._findings += checks.wave_findings(document, leaf, wave)
            changed = self._documents.edit(document, leaf.path)
            edit_application(changed, leaf, wave, self._gate, self._settings.clusters)
            pure_posix_path = document.path.parent if folder == self._folder else folder
            self._documents.move(
                document, self._place(changed, pure_posix_path, leaf.path) / document.path.name
            )
        if not documents and leaf.render and self._owner is not None:
            made = self._copied(self._owner, leaf.instance, leaf.instance, plugin=True)
            inner(made["spec"], "destination")["namespace"] = leaf.instance
            edit_application(made, leaf, wave, self._gate, self._settings.clusters)
            self._add(made, folder, leaf.id, leaf.path)
            inside = self._trees[leaf.instance].subtree(PurePosixPath(leaf.instance))
            self._refuse_references(f"instance {leaf.instance}", inside, leaf.path)
        for word, references in zip(_HOOKS, leaf.hooks, strict=True):
            for reference in references:
                self._findings += edit_hook(
                    self._documents, self._trees, reference, word, leaf.path
                )

    def _place(
        self, content: dict[str, Any], folder: PurePosixPath, path: ParameterPath
    ) -> PurePosixPath:
        """The folder of an Application: the present one, while a move would delete its objects."""
        name = content["metadata"]["name"]
        present = self._published.protected_place(name, folder)
        if present is None:
            if folder.is_relative_to(GROUPS) and self._deletion != "prune":
                set_pruning(content, CONFIRM)  # the owner of a group always prunes
            return folder
        set_pruning(content, KEEP)
        self._findings.append(checks.move_finding(name, present.path, path))
        self._stays.add(present.path.parent)
        return present.path.parent

    def _keep_ended_groups(self) -> None:
        """Groups that have members until the next push; their end must not delete these."""
        planned = {document[:3] for _, documents in self._planned for document in documents}
        for document in self._known.all:
            folder = document.path.parent
            if document[:3] not in planned and self._published.protected_place(
                document.name, folder
            ):
                place = self._place(self._documents.edit(document, PLAN), folder, PLAN)
                self._documents.move(document, place / document.path.name)
        for folder in sorted(self._stays - {self._folder}):
            group = self._published.group_of(folder)
            if group is not None and group.name not in {named.name for named in self._named}:
                content = deepcopy(dict(group.content))
                without_finalizer(content["metadata"])
                self._named.append(Named(group.name, f"group {folder.name}", PLAN))
                self._own[group.path] = written(content)

    def _delete(self) -> bool:
        """Let the owner delete what leaves its folder, as it is set; whether it does."""
        if self._deletion == "keep":
            return False
        if self._owner is None:
            message = f"deletion is {self._deletion}, but no Application deploys the folder"
            path = (*DELIVERY, "argocd", "deletion")
            self._findings.append(Finding("plan/no-owner", message, path, "set it to keep"))
            return False
        if self._deletion == "confirm":
            for document in self._known.all:
                inside = document.path.parent == self._folder and document not in self._known.owners
                if inside and KEEP not in sync_options(self._documents.edit(document, PLAN)):
                    set_pruning(self._documents.edit(document, PLAN), CONFIRM)
            if not self._published.all_confirm(self._folder):
                return False
        spec = inner(self._documents.edit(self._owner, PLAN), "spec")
        inner(inner(spec, "syncPolicy"), "automated")["prune"] = True
        return True

    def _resource(self, item: Resource, wave: int, folder: PurePosixPath) -> None:
        if item.id in self._objects:
            name, content = f"plan-{item.name}", deepcopy(dict(self._objects[item.id]))
            annotate(content, {WAVE: str(wave)})
            self._named.append(Named(name, item.id, item.path))
            self._own[folder / f"{name}.yaml"] = written(content)

    def _registration(self, step: Register, wave: int, folder: PurePosixPath) -> None:
        if self._owner is None:
            self._findings.append(checks.no_owner(f"cluster {step.cluster} is registered", step))
            return
        made = self._copied(self._owner, step.id, step.id, plugin=True)
        annotate(made, {WAVE: str(wave), GATE: self._gate})
        self._add(made, folder, step.id, step.path)
        cluster = self._settings.clusters[step.cluster]
        if not problem_of(cluster.server):
            namespace = str(made["metadata"].get("namespace", ""))
            secret = secret_of(cluster, namespace, self._job.complete)
            files = {PurePosixPath(step.id) / "secret.yaml": written(secret)}
            self._own |= files
            self._refuse_references(f"cluster {step.cluster}", files, step.path)

    def _refuse_references(
        self, what: str, files: Mapping[PurePosixPath, Entry], path: ParameterPath
    ) -> None:
        """Report secret references that no plugin would reveal."""
        hidden = any(REFERENCE in entry.content for entry in files.values())
        if hidden and not self._settings.word(*PLUGIN):
            message = f"{what} has secret references, which Argo CD applies as they are"
            remedy = "set commodore.delivery.argocd.plugin to the one that reveals them"
            self._findings.append(Finding("plan/secret", message, path, remedy))

    def _nested(self, group: Serial, wave: int, folder: PurePosixPath) -> None:
        if not group.name:
            message = "a serial within a concurrent becomes an Application, and has no name"
            self._findings.append(Finding("plan/name", message, group.path, "add `name` to it"))
        elif self._settings.word("argocd", "rendering") == "waves":
            message = f"group {group.name} cannot be rendered as waves of one Application"
            remedy = "set commodore.delivery.argocd.rendering to auto"
            self._findings.append(Finding("plan/not-flat", message, group.path, remedy))
        elif self._owner is None:
            step = next(steps_of(group))
            self._findings.append(checks.no_owner(f"group {group.name} is an Application", step))
        else:
            inside = GROUPS / group.name
            made = self._copied(self._owner, f"plan-{group.name}", str(inside), plugin=False)
            annotate(made, {WAVE: str(wave), GATE: self._gate})
            self._add(made, folder, f"group {group.name}", group.path)
            self._group(stages_of(group), inside)

    def _copied(self, owner: Document, name: str, path: str, *, plugin: bool) -> dict[str, Any]:
        """A copy of the owner that deploys another folder."""
        original = owner.content
        metadata: dict[str, Any] = {"finalizers": [FINALIZER], "name": name}
        if "namespace" in original["metadata"]:
            metadata["namespace"] = original["metadata"]["namespace"]
        spec = deepcopy(original["spec"])
        spec["source"]["path"] = f"{MANIFESTS}/{path}"
        if plugin:
            name_of_plugin = self._settings.word(*PLUGIN)
            for key in ("directory", "plugin"):
                spec["source"].pop(key, None)
            if name_of_plugin:
                spec["source"]["plugin"] = {"name": name_of_plugin}
            else:
                spec["source"]["directory"] = {"recurse": True}
        inner(inner(spec, "syncPolicy"), "automated")["prune"] = True
        version = original["apiVersion"]
        return {"apiVersion": version, "kind": KIND, "metadata": metadata, "spec": spec}

    def _add(
        self, made: dict[str, Any], folder: PurePosixPath, id_: str, path: ParameterPath
    ) -> None:
        name = made["metadata"]["name"]
        folder = self._place(made, folder, path)
        self._named.append(Named(name, id_, path))
        self._own[folder / f"{name}.yaml"] = written(made)
