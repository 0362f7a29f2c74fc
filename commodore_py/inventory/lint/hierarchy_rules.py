"""Rules that see all files of a hierarchy (pure).

They apply only if one target is a global configuration and another one a tenant's folder: what
looks unused in the one is often used in the other.
"""

from __future__ import annotations

import re
from collections import deque
from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError
from commodore_py.inventory.engine.classes import ClassFiles, absolute_name

from .files import finding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import PurePosixPath

    from commodore_py.model.problem import Problem

    from .files import Document, Tree

_ENTRY = "commodore"
_GLOBAL = "global"
_FIELDS = {"applications", "classes", "parameters"}
# What the first part of a class name may be without naming a tenant.
_NO_TENANTS = {_GLOBAL, "components", "defaults", "params"}
_IDS = "${cluster:"
_PACKAGE = "pkg."
_REFERENCE = re.compile(r"\$\{([^${}]*)\}")
# Ids and facts name one file or folder; other parameters may hold whole class names.
_ONE_PART = ("cluster:", "facts:")
_PARTS = {"\1": "[^.]+", "\2": ".+"}


def unused_components(trees: Iterable[Tree]) -> Iterator[Problem]:
    """Components that no application deploys."""
    return _unused(trees, "components", "component", lambda application: application.split(" as "))


def unused_packages(trees: Iterable[Tree]) -> Iterator[Problem]:
    """Packages that no application lists."""

    def names_in(application: str) -> Iterable[str]:
        return [application.removeprefix(_PACKAGE)] if application.startswith(_PACKAGE) else []

    return _unused(trees, "packages", "package", names_in)


def unreachable_classes(trees: Iterable[Tree]) -> Iterator[Problem]:
    """Classes that are not included, starting from the entry of the hierarchy."""
    whole = _whole(trees)
    classes = {unit.name: unit for tree in enumerate(whole) for unit in _classes(*tree)}
    included = _included_classes(classes)
    for name, unit in classes.items():
        if name not in included:
            yield finding(
                "classes/unreachable",
                "no class includes this class",
                unit.document.file,
                hint="include it, or remove it",
            )


def _whole(trees: Iterable[Tree]) -> list[Tree]:
    """The folders of a hierarchy, the global configuration first; none if one is missing."""
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
) -> Iterator[Problem]:
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
                yield finding(
                    f"{key}/unused",
                    f"no application here uses {kind} {name}",
                    document.file,
                    document.line_of("parameters", key, name),
                )


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
    except CommodoreError:  # two files for one class: an error for every other command
        return
    for name in files.names():
        document = documents.get(files.path(name))
        if document is not None and _FIELDS & document.content.keys():
            yield _Class(name, files.folder(name), document)


def _included_classes(classes: dict[str, _Class]) -> set[str]:
    included = {f"{_GLOBAL}.{_ENTRY}"} & classes.keys()
    waiting = deque(included)
    while waiting:
        one = classes[waiting.popleft()]
        for written in _texts(one.document, "classes"):
            found = set(_included(absolute_name(written, one.folder), classes)) - included
            included |= found
            waiting.extend(found)
    return included


def _included(written: str, classes: dict[str, _Class]) -> Iterator[str]:
    """Every class that a name may refer to, for any value of its references."""
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


def pattern_of(written: str) -> re.Pattern[str]:
    """Matches every class name that a name with references may resolve to."""
    name, more = _REFERENCE.subn(_placeholder, written)
    while more:  # references in references are one
        name, more = _REFERENCE.subn(_placeholder, name)
    return re.compile("".join(_PARTS.get(letter, re.escape(letter)) for letter in name))


def _placeholder(reference: re.Match[str]) -> str:
    return "\1" if reference[1].startswith(_ONE_PART) else "\2"
