"""The objects that Flux applies for an instance, and what it cannot do with them (pure)."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from commodore_py.delivery.findings import Finding
from commodore_py.delivery.reading import PLAN
from commodore_py.manifests.objects import identify
from commodore_py.manifests.order.kinds import scopes_of

from .base import MANIFESTS
from .documents import documents_in

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from commodore_py.delivery.nodes import Leaf
    from commodore_py.model.tree import Tree

    from .applications import Deployed

_REFERENCE = b"?{vaultkv:"
_BUILT_IN = ("", "apps", "autoscaling", "batch", "policy")


class Content:
    """The objects of one instance."""

    def __init__(self, leaf: Leaf, files: Tree, deployed: Deployed) -> None:
        self._leaf, self._files, self._deployed = leaf, files, deployed
        found = [
            one.content
            for path, entry in files.items()
            if path.suffix in {".yaml", ".yml"}
            for one in documents_in(leaf.instance, path, entry)
        ]
        self._ids = [id_ for one in found if (id_ := identify(one)) is not None]
        scoped = scopes_of(found)
        self._without = [
            str(one)
            for one in self._ids
            if not one.namespace
            and (one.group, one.kind) not in scoped
            and (one.group in _BUILT_IN or one.group.endswith(".k8s.io"))
        ]

    @property
    def target(self) -> str:
        """The namespace of all objects; none if one has another, which it would replace."""
        namespaces = {one.namespace for one in self._ids if one.namespace}
        namespace = self._deployed.namespace
        return namespace if namespaces <= {namespace} else ""

    def findings(self, namespaces: Collection[str]) -> Iterator[Finding]:
        """What is wrong, if these are the namespaces that objects of the catalog create."""
        name, path = self._leaf.instance, self._leaf.path or PLAN
        folder = f"{MANIFESTS}/{self._deployed.path}"
        hidden = [
            f"{folder}/{one}" for one, entry in self._files.items() if _REFERENCE in entry.content
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
        twice = [str(one) for one, number in Counter(self._ids).items() if number > 1]
        if twice:
            message = f"instance {name} has objects twice: {', '.join(twice)}"
            yield Finding("plan/twice", message, path, "remove one of them")
