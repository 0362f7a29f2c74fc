"""The Applications of instances, and their owners (pure)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from commodore_py.manifests.objects import items, value_in
from commodore_py.manifests.order import applications

from .base import MANIFESTS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from commodore_py.delivery.nodes import Leaf

    from .documents import Document

GROUP, KIND = applications.KIND


@dataclass(frozen=True, slots=True)
class Deployed:
    """How an instance is deployed, with or without Argo CD."""

    path: PurePosixPath
    """Below `manifests/`."""
    namespace: str
    prune: bool
    creates: bool
    """Whether Argo CD creates the namespace."""


class Applications:
    """All Applications of some instances."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self.all = tuple(documents)
        owners: list[Document] = []
        self._others: dict[str, list[Document]] = {}
        for document in self.all:
            is_owner = synced_folder(document.content) == document.path.parent
            of_kind = owners if is_owner else self._others.setdefault(document.instance, [])
            of_kind.append(document)
        self.owners = tuple(owners)

    def of(self, instance: str) -> tuple[Document, ...]:
        """Applications that deploy the folder of the instance, otherwise those with its name."""
        mine = self._others.get(instance, ())
        folder = PurePosixPath(instance)
        by_path = [document for document in mine if synced_folder(document.content) == folder]
        return tuple(by_path or (document for document in mine if document.name == instance))

    def owner_of(self, document: Document) -> Document | None:
        """The Application that deploys the folder in which this one lies."""
        return _deepest(self.owners, document)

    def deployer_of(self, document: Document) -> Document | None:
        """The Application, of an owner or of a group, whose folder holds this one."""
        return _deepest((other for other in self.all if other is not document), document)

    def deployed(self, leaf: Leaf) -> Deployed:
        """Where the instance's manifests are, and how they are applied."""
        documents = self.of(leaf.instance)
        content = documents[0].content if documents else {}
        prune = leaf.app.get("prune", value_in(content, "spec", "syncPolicy", "automated", "prune"))
        namespace = value_in(content, "spec", "destination", "namespace")
        path = synced_folder(content) or PurePosixPath(leaf.instance)
        options = items(value_in(content, "spec", "syncPolicy", "syncOptions"))
        creates = leaf.app.get("createNamespace", applications.CREATE_NAMESPACE in options)
        return Deployed(path, str(namespace or ""), bool(prune), bool(creates))


def _deepest(deployers: Iterable[Document], document: Document) -> Document | None:
    """The Application with the longest folder of those whose folder holds a document."""
    folders = ((synced_folder(deployer.content), deployer) for deployer in deployers)
    holding = [
        (len(folder.parts), deployer)
        for folder, deployer in folders
        if folder is not None and document.path.is_relative_to(folder)
    ]
    return max(holding, key=lambda pair: pair[0])[1] if holding else None


def synced_folder(content: object) -> PurePosixPath | None:
    """The folder below `manifests/` that an Application deploys."""
    return below_manifests(value_in(content, "spec", "source", "path"))


def below_manifests(path: object) -> PurePosixPath | None:
    """A path of the catalog as one below `manifests/`."""
    if not isinstance(path, str) or not PurePosixPath(path).is_relative_to(MANIFESTS):
        return None
    return PurePosixPath(path).relative_to(MANIFESTS)


def step_of(name: str, folder: PurePosixPath | None) -> str:
    """The step of an Application: the instance whose folder it deploys, or its own name."""
    return folder.name if folder is not None and len(folder.parts) == 1 else name
