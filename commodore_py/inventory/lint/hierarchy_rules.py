"""Rules that see all files of a hierarchy (pure).

They apply only if one target is a global configuration and another one a tenant's folder: what
looks unused in the one is often used in the other.
"""

from __future__ import annotations

import re
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError
from commodore_py.inventory.engine.classes import ClassFiles, DuplicateClass, absolute_name
from commodore_py.manifests.objects import mapping, texts, value_in
from commodore_py.model.names import did_you_mean

from .files import CLASS_FIELDS, documents_in, finding

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator
    from pathlib import PurePosixPath

    from commodore_py.model.problem import Problem

    from .files import Document, Tree

_ENTRY = "commodore"
_GLOBAL = "global"
# What the first part of a class name may be without naming a tenant.
_NO_TENANTS = {_GLOBAL, "components", "defaults", "params"}
_IDS = "${cluster:"
_TENANT = "${cluster:tenant}"
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
    loaded, _ = _loaded(_whole(trees))
    classes = {unit.name: unit for tree, files in loaded for unit in _classes(files, tree)}
    included = _included_classes(classes)
    for name, unit in classes.items():
        if name not in included:
            yield finding(
                "classes/unreachable",
                "no class includes this class",
                unit.document.file,
                hint="include it, or remove it",
            )


def unknown_classes(trees: Iterable[Tree]) -> Iterator[Problem]:
    """Included classes that do not exist, and names that two files claim.

    It judges relative names, those of a global configuration that is given or beside a target, and
    with one that is given the tenant's: where other classes come from is not known here.
    """
    folders = [tree for tree in trees if tree.target.is_dir()]
    loaded, errors = _loaded(folders)
    for tree, error in errors:
        yield from _claimed_twice(tree, error)
    names = {name: None for _, files in loaded for name in files.names()}
    prefixes = {name.partition(".")[0] for name in names}
    if _GLOBAL in prefixes and len(prefixes) > 1:
        prefixes.add(_TENANT)
    for beside in {tree.target.absolute().parent / _GLOBAL for tree in folders}:
        if _GLOBAL not in prefixes and any(beside.glob(f"{_ENTRY}.y*ml")):
            with suppress(CommodoreError):
                names |= dict.fromkeys(ClassFiles([(_GLOBAL, beside)]).names())
                prefixes.add(_GLOBAL)
    for unit in (unit for tree, files in loaded for unit in _classes(files, tree)):
        for index, written in enumerate(texts(unit.document.content.get("classes"))):
            name = absolute_name(written, unit.folder)
            if name.partition(".")[0] in prefixes and not any(_included(name, names)):
                yield finding(
                    "classes/unknown",
                    f"class {written} not found",
                    unit.document.file,
                    unit.document.line_of("classes", index),
                    hint=_meant(name, names),
                )


def _loaded(
    folders: Iterable[Tree],
) -> tuple[list[tuple[Tree, ClassFiles]], list[tuple[Tree, CommodoreError]]]:
    """The class files of each folder, and the errors of those that no compile could read."""
    loaded: list[tuple[Tree, ClassFiles]] = []
    errors: list[tuple[Tree, CommodoreError]] = []
    for number, tree in enumerate(folders, start=1):
        prefix = _GLOBAL if _entry_of(tree) else f"tenant-{number}"
        try:
            loaded.append((tree, ClassFiles([(prefix, tree.target)])))
        except CommodoreError as error:
            errors.append((tree, error))
    return loaded, errors


def _meant(name: str, names: Iterable[str]) -> str:
    """The hint for an unknown class, without the id of the tenant."""
    first, _, rest = name.partition(".")
    prefix = f"{_GLOBAL}." if first == _GLOBAL else ""
    inside = (
        f"{prefix}{other.partition('.')[2]}"
        for other in names
        if other.partition(".")[0] == _GLOBAL == first
        or (first != _GLOBAL and other.startswith("tenant-"))
    )
    return did_you_mean(f"{prefix}{rest}", inside, otherwise="create it, or remove the line")


def _claimed_twice(tree: Tree, error: CommodoreError) -> Iterator[Problem]:
    """Class names that two files claim; broken links are findings already."""
    documents = {
        document.file for document in tree.documents if CLASS_FIELDS & document.content.keys()
    }
    for part in error.parts:
        files = [Path(line) for line in part.where.splitlines()]
        if isinstance(part, DuplicateClass) and documents.issuperset(files):
            message = f"{files[1]} has the name of the same class"
            yield finding("classes/invalid", message, files[0], hint=part.hint)


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
    documents = list(documents_in(_whole(trees)))
    used = {
        name
        for document in documents
        for application in texts(document.content.get("applications"))
        for name in names_in(application)
    }
    for document in documents:
        for name in mapping(value_in(document.content, "parameters", key)):
            if str(name) not in used:
                yield finding(
                    f"{key}/unused",
                    f"no application here uses {kind} {name}",
                    document.file,
                    document.line_of("parameters", key, name),
                )


@dataclass(frozen=True, slots=True)
class _Class:
    """A class, named as if its folder were the tenant's id."""

    name: str
    folder: PurePosixPath
    document: Document


def _classes(files: ClassFiles, tree: Tree) -> Iterator[_Class]:
    documents = {document.file: document for document in tree.documents}
    for name in files.names():
        document = documents.get(files.path(name))
        if document is not None and CLASS_FIELDS & document.content.keys():
            yield _Class(name, files.folder(name), document)


def _included_classes(classes: dict[str, _Class]) -> set[str]:
    included = {f"{_GLOBAL}.{_ENTRY}"} & classes.keys()
    waiting = deque(included)
    while waiting:
        class_ = classes[waiting.popleft()]
        for written in texts(class_.document.content.get("classes")):
            new = set(_included(absolute_name(written, class_.folder), classes)) - included
            included |= new
            waiting.extend(new)
    return included


def _included(written: str, classes: Collection[str]) -> Iterator[str]:
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
