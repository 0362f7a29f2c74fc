"""Objects that a plan refers to as `INSTANCE/PATH#KIND/[NAMESPACE/]NAME` (pure)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from commodore_py.delivery.findings import Finding, near
from commodore_py.delivery.nodes import Resource, steps_of
from commodore_py.manifests.objects import identify

from .documents import Document, documents_in, written
from .names import DNS_LABEL

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from commodore_py.model.spot import ParameterPath
    from commodore_py.model.tree import Entry, Tree

    from .base import Job
    from .documents import Documents


REFERENCE = b"?{vaultkv:"
"""How a secret reference begins, which has to be revealed before its object is applied."""


def object_named(
    reference: str, trees: Mapping[str, Tree], path: ParameterPath
) -> Document | Finding:
    """The one object that a reference means."""
    instance, _, rest = reference.partition("/")
    file, _, selector = rest.partition("#")
    tree = trees.get(instance)
    entry = tree.get(PurePosixPath(file)) if tree is not None else None
    if tree is None or entry is None:
        files = [f"{instance}/{pure_posix_path}" for pure_posix_path in tree or ()] or list(trees)
        message = f"{reference} is not a file of the compiled output"
        return Finding("plan/reference", message, path, near(f"{instance}/{file}", files))
    documents = list(documents_in(instance, PurePosixPath(file), entry))
    matching = [document for document in documents if not selector or selector in _names(document)]
    if len(matching) == 1:
        return matching[0]
    number = "several objects" if matching else "no object"
    candidates = ", ".join(f"#{_names(document)[0]}" for document in matching or documents)
    remedy = f"candidates are: {candidates}" if candidates else ""
    return Finding("plan/reference", f"{reference} matches {number}", path, remedy)


@dataclass(frozen=True, slots=True)
class Lifted:
    """Objects of the plan that leave the folders of their instances, as files by step."""

    files: Mapping[str, tuple[PurePosixPath, Entry]]
    findings: tuple[Finding, ...]


def lifted(job: Job, documents: Documents, place: Callable[[Resource], PurePosixPath]) -> Lifted:
    """Every `resource` of the plan, in the file that a driver has for it."""
    files, findings = {}, []
    for step in steps_of(job.plan.node):
        if not isinstance(step, Resource):
            continue
        if not DNS_LABEL.fullmatch(step.name):
            message = f"the resource {step.reference} has no name that a file can have"
            remedy = "set `name` to at most 63 lower case letters, digits and hyphens"
            findings.append(Finding("plan/name", message, step.path, remedy))
            continue
        if step.id in files:
            message = f"two resources are called {step.name}"
            findings.append(Finding("plan/alias", message, step.path, "rename one of them"))
        document = object_named(step.reference, job.deployed, step.path)
        if isinstance(document, Finding):
            findings.append(document)
        else:
            documents.remove(document, step.path)
            files[step.id] = place(step), written(document.content)
    return Lifted(files, tuple(findings))


def _names(document: Document) -> tuple[str, str]:
    id_ = identify(document.content)
    assert id_ is not None  # noqa: S101 - a document is an object
    within = f"{id_.namespace}/" if id_.namespace else ""
    return f"{id_.kind}/{within}{id_.name}", f"{id_.kind}/{id_.name}"
