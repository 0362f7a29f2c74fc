"""The Applications of the catalog as it was published: what moves, and what is left over (pure)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from commodore_py.delivery.drivers.applications import GROUP, KIND, Applications, synced_folder
from commodore_py.delivery.drivers.documents import Documents, documents_below
from commodore_py.delivery.findings import Finding
from commodore_py.delivery.reading import PLAN
from commodore_py.manifests.objects import value_in
from commodore_py.manifests.order.hooks import OPTIONS, finalizers_of, sync_options
from commodore_py.model.tree import Tree

from .edits import FINALIZER, annotate

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from pathlib import PurePosixPath

    from commodore_py.delivery.drivers.documents import Document
    from commodore_py.delivery.plan import Plan
    from commodore_py.model.spot import ParameterPath

KEEP, CONFIRM = "Prune=false", "Prune=confirm"


class Published:
    """State of Argo CD as the catalog has it; empty before the first push."""

    def __init__(self, manifests: Tree) -> None:
        self._manifests = manifests
        documents = Documents({"": manifests}).of_kind(GROUP, KIND)
        self._known = Applications(documents)
        self.by_name = {document.name: document for document in self._known.all}

    def protected_place(self, name: str, folder: PurePosixPath) -> Document | None:
        """The Application as it is, if moving it to a folder now would delete what it deployed.

        Its owner must not prune, or has to see first that it must not prune this one.
        """
        present = self.by_name.get(name)
        if (
            present is None
            or present.path.parent == folder
            or KEEP in sync_options(present.content)
        ):
            return None
        owner = self._known.deployer_of(present)
        return present if owner is not None and prunes(owner) else None

    def group_of(self, folder: PurePosixPath) -> Document | None:
        """The Application that deploys a folder."""
        return next(
            (document for document in self._known.all if synced_folder(document.content) == folder),
            None,
        )

    def all_confirm(self, folder: PurePosixPath) -> bool:
        """Return whether no Application of the folder is deleted without a question."""
        inside = [
            sync_options(document.content)
            for document in self._known.all
            if document.path.parent == folder and document not in self._known.owners
        ]
        return bool(inside) and all(not {KEEP, CONFIRM}.isdisjoint(options) for options in inside)

    def left_over(self, names: Collection[str], plan: Plan, *, pruned: bool) -> Iterator[Finding]:
        """Applications that leave the catalog, and what of them stays on the clusters."""
        removed = {
            removed.leaf.instance: (*removed.when.path, "when", "if") for removed in plan.removed
        }
        for name in sorted(self.by_name.keys() - set(names)):
            document = self.by_name[name]
            folder = synced_folder(document.content)
            instance = folder.parts[0] if folder and folder.parts else name
            path: ParameterPath = removed.get(instance, PLAN)
            owner = self._known.deployer_of(document)
            if KEEP in sync_options(document.content) or not (
                pruned or (owner is not None and prunes(owner))
            ):
                namespace = value_in(document.content, "metadata", "namespace") or "argocd"
                message = f"Application {name} leaves the catalog, but nothing deletes it"
                remedy = f"kubectl --namespace {namespace} delete application {name}"
                yield Finding("plan/stays", message, path, remedy)
            if not has_finalizer(document.content):
                number = self._objects_below(folder)
                message = f"Application {name} leaves the catalog, and objects of it stay: {number}"
                remedy = f"its deletion does not delete them: it lacks the finalizer {FINALIZER}"
                yield Finding("plan/stays", message, path, remedy)

    def _objects_below(self, folder: PurePosixPath | None) -> int:
        inside = self._manifests.subtree(folder) if folder else Tree()
        return sum(1 for _ in documents_below("", inside))


def prunes(owner: Document) -> bool:
    """Return whether an Application deletes what leaves its folder."""
    return value_in(owner.content, "spec", "syncPolicy", "automated", "prune") is True


def set_pruning(content: dict[str, Any], option: str) -> None:
    """Have an Application deleted never, or only when someone confirms it."""
    others = sorted(option for option in sync_options(content) if not option.startswith("Prune="))
    annotate(content, {OPTIONS: ",".join((*others, option))})


def has_finalizer(content: Mapping[str, Any]) -> bool:
    """Return whether the deletion of an Application deletes what it deployed."""
    return any(name.partition("/")[0] == FINALIZER for name in finalizers_of(content))
