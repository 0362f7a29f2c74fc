"""The driver `flux`: a Kustomization for each instance, which depends on others (pure)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import yaml
from commodore_py.delivery.findings import Finding
from commodore_py.delivery.nodes import Leaf, Register, Resource, steps_of
from commodore_py.delivery.normal import Order
from commodore_py.delivery.reading import PLAN
from commodore_py.delivery.settings import DELIVERY
from commodore_py.manifests.objects import identify
from commodore_py.manifests.order.kinds import scopes_of
from commodore_py.model.tree import Tree

from .applications import GROUP, KIND, Applications
from .base import MANIFESTS, Job, Laid, Named, name_findings, place_findings
from .documents import REFERENCE, Documents, documents_below, lifted, object_named, written

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from commodore_py.delivery.drivers.applications import Deployed
    from commodore_py.delivery.settings import Cluster
    from commodore_py.model.tree import Entry

    from .documents import Document

_FOLDER, _OBJECTS = PurePosixPath("flux"), PurePosixPath("plan")
_API = "kustomize.toolkit.fluxcd.io/v1"
_FORCE = {"kustomize.toolkit.fluxcd.io/force": "enabled"}
_READY = (
    "dep.status.conditions.exists(c, c.type == 'Ready' && c.observedGeneration =="
    " dep.metadata.generation && (c.status == 'True' || c.reason == 'HealthCheckFailed'))"
)
"""Ready, or only its health is missing."""
_TIMES = {"interval": "10m", "retryInterval": "1m", "timeout": "30m"}


@dataclass(frozen=True, slots=True)
class _Part:
    """A Kustomization of a step; with hooks, a step has several."""

    name: str
    step: Leaf | Resource
    folder: PurePosixPath
    prune: bool
    after: tuple[_Part, ...] = ()
    target: str = ""
    annotations: Mapping[str, str] = field(default_factory=dict)
    wait: bool = True


def render(job: Job) -> Laid:
    """Kustomizations in `flux/`; objects of the plan and of hooks in folders of their own."""
    return _Rendering(job).laid()


def read_back(manifests: Tree) -> Order:
    """The order of the Kustomizations; what is before an instance is named after it."""
    before: dict[str, frozenset[str]] = {}
    for path, entry in manifests.items():
        if path.parent == _FOLDER:
            for content in yaml.load_all(entry.content, name=str(path)):
                after = content["spec"].get("dependsOn", ())
                before[_step(content["metadata"]["name"])] = frozenset(
                    _step(dependency["name"]) for dependency in after
                )
    return Order(before)


def _step(name: str) -> str:
    return name.replace(_RESOURCE, "resource/", 1) if name.startswith(_RESOURCE) else name


_RESOURCE = "resource-"


class _Rendering:
    def __init__(self, job: Job) -> None:
        self._job = job
        self._settings = job.plan.settings
        self._trees = job.deployed
        self._documents = Documents(self._trees)
        self._known = Applications(self._documents.of_kind(GROUP, KIND))
        self._namespaces = {document.name for document in self._documents.of_kind("", "Namespace")}
        self._own: dict[PurePosixPath, Entry] = {}
        self._findings: list[Finding] = []
        self._last: dict[str, _Part] = {}
        self._parts: list[_Part] = []
        self._objects, self._object_findings = lifted(job, self._documents)

    def laid(self) -> Laid:
        """All files, and everything that is wrong."""
        plan = self._job.plan
        steps = {step.id: step for step in steps_of(plan.node)}
        steps |= {name: Leaf(name) for name in plan.unlisted}
        order, closed = plan.order, plan.order.closed()
        for name in sorted(steps, key=lambda step: len(closed[step])):
            step = steps[name]
            if not isinstance(step, Register):
                self._step(step, self._before(name, order))
        self._findings += self._cluster_findings()
        trees, findings = self._documents.result()
        for part in self._parts:
            content = self._kustomization(part)
            self._own[_FOLDER / f"{part.name}.yaml"] = written(content)
        named = [
            Named(part.name, f"{part.step.id} ({part.folder})", part.step.path)
            for part in self._parts
        ]
        findings = [
            *self._object_findings,
            *self._findings,
            *name_findings("Kustomization", named),
            *place_findings(self._trees, {str(_FOLDER), str(_OBJECTS)}),
            *findings,
        ]
        return Laid(trees, Tree(self._own), tuple(findings))

    def _before(self, name: str, order: Order) -> tuple[_Part, ...]:
        """The last parts of the steps directly before; those of a registration are before it."""
        parts: dict[str, _Part] = {}
        for earlier in sorted(order.before[name]):
            if earlier in self._last:
                parts[earlier] = self._last[earlier]
            else:
                parts |= {part.step.id: part for part in self._before(earlier, order)}
        return tuple(parts[earlier] for earlier in sorted(parts))

    def _step(self, step: Leaf | Resource, after: tuple[_Part, ...]) -> None:
        if isinstance(step, Resource):
            folder = _OBJECTS / f"{_RESOURCE}{step.name}"
            if step.id in self._objects:
                self._own[folder / "object.yaml"] = written(self._objects[step.id])
            self._add(_Part(folder.name, step, folder, prune=False, after=after, wait=False))
            return
        deployed = self._known.deployed(step)
        tree = self._trees.get(step.instance, Tree()).subtree(deployed.path)
        if not tree and not step.path:
            return  # not in the plan, and nothing to apply
        if not tree:
            message = f"instance {step.instance} has no files in {MANIFESTS}/{deployed.path}"
            self._findings.append(
                Finding("plan/no-manifests", message, step.path, "remove it from the plan")
            )
        content = Content(step, tree, deployed)
        self._findings += content.findings(self._namespaces)
        if step.hooks.before_delete:
            message = f"instance {step.instance} has hooks before its deletion, which Flux has not"
            self._findings.append(Finding("plan/hook", message, step.path))
        if step.hooks.before:
            after = (self._hooks(step, "before", step.hooks.before, after),)
        part = _Part(step.instance, step, deployed.path, deployed.prune, after, content.target)
        self._add(part)
        if step.hooks.after:
            self._hooks(step, "after", step.hooks.after, (part,))

    def _hooks(
        self, step: Leaf, word: str, references: Iterable[str], after: tuple[_Part, ...]
    ) -> _Part:
        name = f"{step.instance}-{word}"
        documents: list[Document] = []
        for reference in references:
            hook = object_named(reference, self._trees, step.path)
            if isinstance(hook, Finding):
                self._findings.append(hook)
            else:
                self._documents.remove(hook, step.path)
                documents.append(hook)
        self._own[_OBJECTS / name / "objects.yaml"] = written(
            *(document.content for document in documents)
        )
        target = self._known.deployed(step).namespace
        part = _Part(
            name, step, _OBJECTS / name, prune=False, after=after, target=target, annotations=_FORCE
        )
        self._add(part)
        return part

    def _add(self, part: _Part) -> None:
        self._parts.append(part)
        self._last[part.step.id] = part

    def _kustomization(self, part: _Part) -> dict[str, Any]:
        home = self._settings.word("flux", "namespace")
        namespace = self._namespace(part)
        source = {"kind": "GitRepository", "name": self._settings.word("flux", "source")}
        spec: dict[str, Any] = {
            **_TIMES,
            "path": f"./{MANIFESTS}/{part.folder}",
            "prune": part.prune,
            "sourceRef": source if namespace == home else {**source, "namespace": home},
            "wait": part.wait,
        }
        if part.after:
            spec["dependsOn"] = [self._dependency(earlier, namespace) for earlier in part.after]
        if part.target:
            spec["targetNamespace"] = part.target
        if part.step.cluster:
            config = self._cluster(part).kubeconfig
            spec["kubeConfig"] = {
                "secretRef": {
                    "name": config.get("secret", ""),
                    **({"key": config["key"]} if "key" in config else {}),
                }
            }
        if isinstance(part.step, Leaf) and part.step.background:
            spec["deletionPolicy"] = "Orphan"
        metadata: dict[str, Any] = {"name": part.name, "namespace": namespace}
        if part.annotations:
            metadata["annotations"] = dict(part.annotations)
        return {"apiVersion": _API, "kind": "Kustomization", "metadata": metadata, "spec": spec}

    def _dependency(self, part: _Part, namespace: str) -> dict[str, str]:
        dependency = {"name": part.name}
        if self._namespace(part) != namespace:
            dependency["namespace"] = self._namespace(part)
        if isinstance(part.step, Leaf) and part.step.allow_degraded:
            dependency["readyExpr"] = _READY
        return dependency

    def _namespace(self, part: _Part) -> str:
        config = self._cluster(part).kubeconfig if part.step.cluster else {}
        return config.get("namespace") or self._settings.word("flux", "namespace")

    def _cluster(self, part: _Part) -> Cluster:
        return self._settings.clusters[part.step.cluster]

    def _cluster_findings(self) -> Iterable[Finding]:
        for name in sorted({part.step.cluster for part in self._parts if part.step.cluster}):
            if not self._settings.clusters[name].kubeconfig.get("secret"):
                message = f"cluster {name} has no kubeconfig, so Flux cannot reach it"
                remedy = "name a Secret: {secret: NAME, namespace: NAMESPACE}"
                path = (*DELIVERY, "clusters", name)
                yield Finding("plan/kubeconfig", message, path, remedy)


_BUILT_IN = ("", "apps", "autoscaling", "batch", "policy")


class Content:
    """The objects of one instance."""

    def __init__(self, leaf: Leaf, files: Tree, deployed: Deployed) -> None:
        self._leaf, self._files, self._deployed = leaf, files, deployed
        contents = [document.content for document in documents_below(leaf.instance, files)]
        self._ids = [id_ for content in contents if (id_ := identify(content)) is not None]
        scoped = scopes_of(contents)
        self._without = [
            str(object_id)
            for object_id in self._ids
            if not object_id.namespace
            and (object_id.group, object_id.kind) not in scoped
            and (object_id.group in _BUILT_IN or object_id.group.endswith(".k8s.io"))
        ]

    @property
    def target(self) -> str:
        """The namespace of all objects; none if one has another, which it would replace."""
        namespaces = {object_id.namespace for object_id in self._ids if object_id.namespace}
        namespace = self._deployed.namespace
        return namespace if namespaces <= {namespace} else ""

    def findings(self, namespaces: Collection[str]) -> Iterator[Finding]:
        """Problems, if these are the namespaces that objects of the catalog create."""
        name, path = self._leaf.instance, self._leaf.path or PLAN
        folder = f"{MANIFESTS}/{self._deployed.path}"
        hidden = [
            f"{folder}/{file}" for file, entry in self._files.items() if REFERENCE in entry.content
        ]
        if hidden:
            message = f"instance {name} has secret references, which Flux applies as they are"
            yield Finding("plan/secret", f"{message}: {', '.join(hidden)}", path)
        if self._without and not self.target:
            message = f"objects of instance {name} have no namespace, and others another one"
            remedy = "set their namespace"
            yield Finding("plan/namespace", f"{message}: {', '.join(self._without)}", path, remedy)
        if self._deployed.creates and self._deployed.namespace not in namespaces:
            message = (
                f"instance {name} needs namespace {self._deployed.namespace}, which Argo CD creates"
            )
            yield Finding("plan/namespace", message, path, "add a Namespace to the instance")
        twice = [str(object_id) for object_id, number in Counter(self._ids).items() if number > 1]
        if twice:
            message = f"instance {name} has objects twice: {', '.join(twice)}"
            yield Finding("plan/twice", message, path, "remove one of them")
