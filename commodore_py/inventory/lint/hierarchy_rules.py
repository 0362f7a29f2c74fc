"""Rules that see a hierarchy as a whole (pure).

They speak up only if one target is a global configuration and another one a folder that adds to it,
a tenant's: what looks unused in the one is often used in the other.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError
from commodore_py.inventory.engine.classes import ClassFiles, absolute_name

from .findings import Finding
from .names import pattern_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import PurePosixPath

    from .files import Document, Tree

_ENTRY = "commodore"
_GLOBAL = "global"
_FIELDS = {"applications", "classes", "parameters"}
# What the first part of a class name may be without naming a tenant.
_NO_TENANTS = {_GLOBAL, "components", "defaults", "params"}
_IDS = "${cluster:"
_PACKAGE = "pkg."


def unused_components(trees: Iterable[Tree]) -> Iterator[Finding]:
    """Components that are defined, and that no application deploys."""
    return _unused(trees, "components", "component", _deployed)


def unused_packages(trees: Iterable[Tree]) -> Iterator[Finding]:
    """Packages that are defined, and that no application asks for."""
    return _unused(trees, "packages", "package", _asked_for)


def unreachable_classes(trees: Iterable[Tree]) -> Iterator[Finding]:
    """Classes that nothing includes, from the entry of the hierarchy on."""
    whole = _whole(trees)
    classes = {one.name: one for tree in enumerate(whole) for one in _classes(*tree)}
    reached = _reached(classes)
    for name, one in classes.items():
        if name not in reached:
            yield Finding(
                "classes/unreachable",
                "nothing includes this class",
                one.document.file,
                hint="include it, or remove it",
            )


def _whole(trees: Iterable[Tree]) -> list[Tree]:
    """The folders of a hierarchy, the global configuration first; none if it is not whole."""
    folders = {tree.target.resolve(): tree for tree in trees if tree.target.is_dir()}
    entries = {folder for folder, tree in folders.items() if _entry_of(tree)}
    if len(entries) != 1 or len(folders) == 1:
        return []
    return sorted(folders.values(), key=lambda tree: tree.target.resolve() not in entries)


def _entry_of(tree: Tree) -> bool:
    top = {document.file for document in tree.documents}
    return any(tree.target / f"{_ENTRY}{suffix}" in top for suffix in (".yml", ".yaml"))


def _unused(
    trees: Iterable[Tree], key: str, kind: str, names_in: Callable[[str], Iterable[str]]
) -> Iterator[Finding]:
    documents = [document for tree in _whole(trees) for document in tree.documents]
    used = {
        name
        for document in documents
        for application in _texts(document, "applications")
        for name in names_in(application)
    }
    for document in documents:
        parameters = document.content.get("parameters")
        entries = parameters.get(key) if isinstance(parameters, dict) else None
        for name in entries if isinstance(entries, dict) else ():
            if str(name) not in used:
                yield Finding(
                    f"{key}/unused",
                    f"no application here uses {kind} {name}",
                    document.file,
                    document.line_of("parameters", key, name),
                )


def _deployed(application: str) -> Iterable[str]:
    return application.split(" as ")


def _asked_for(application: str) -> Iterable[str]:
    return [application.removeprefix(_PACKAGE)] if application.startswith(_PACKAGE) else []


def _texts(document: Document, field: str) -> Iterator[str]:
    items = document.content.get(field)
    if isinstance(items, list):
        yield from (item for item in items if isinstance(item, str))


class _Class:
    """A class, named as if its folder were the tenant's id."""

    def __init__(self, name: str, folder: PurePosixPath, document: Document) -> None:
        self.name = name
        self.folder = folder
        self.document = document


def _classes(number: int, tree: Tree) -> Iterator[_Class]:
    documents = {document.file: document for document in tree.documents}
    prefix = f"tenant-{number}" if number else _GLOBAL
    try:
        files = ClassFiles([(prefix, tree.target)])
    except CommodoreError:  # two files for one class: every command but this one refuses them
        return
    for name in files.names():
        document = documents.get(files.path(name))
        if document is not None and _FIELDS & document.content.keys():
            yield _Class(name, files.folder(name), document)


def _reached(classes: dict[str, _Class]) -> set[str]:
    reached = {f"{_GLOBAL}.{_ENTRY}"} & classes.keys()
    waiting = deque(reached)
    while waiting:
        one = classes[waiting.popleft()]
        for written in _texts(one.document, "classes"):
            found = set(_included(absolute_name(written, one.folder), classes)) - reached
            reached |= found
            waiting.extend(found)
    return reached


def _included(written: str, classes: dict[str, _Class]) -> Iterator[str]:
    """Every class that a name may mean, whatever its references turn out to be."""
    if written in classes:
        yield written
        return
    pattern = pattern_of(written)
    first = written.partition(".")[0]
    for name in classes:
        folder, _, rest = name.partition(".")
        if folder == _GLOBAL:
            fits = not first.startswith(_IDS) and pattern.fullmatch(name)
        else:  # the folder may be called anything: the id of the tenant is not known here
            fits = first not in _NO_TENANTS and pattern.fullmatch(f"{first}.{rest}")
        if fits:
            yield name
