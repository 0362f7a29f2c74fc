"""The files that lint reads."""

from __future__ import annotations

import glob
import logging
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import yaml
from commodore_py.adapters.files.reach import NeverRead, Reach
from commodore_py.adapters.reading import bytes_of, text_of
from commodore_py.adapters.yaml.error import YamlError
from commodore_py.errors import CommodoreError
from commodore_py.inventory.engine.reader import read as read_class
from commodore_py.model.problem import Place, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

log = logging.getLogger(__name__)

IGNORE_FILE = ".commodoreignore"
_SUFFIXES = (".yml", ".yaml")
CLASS_FIELDS = {"applications", "classes", "parameters"}
_CLASS_FIELD = re.compile(rb"^(applications|classes|parameters):", re.MULTILINE)


def finding(rule: str, message: str, file: Path, line: int = 0, *, hint: str = "") -> Problem:
    """A place where a rule was broken; line zero stands for the file as a whole."""
    return Problem.at(Place(str(file), line), rule, message, remedy=hint)


@dataclass(frozen=True, slots=True)
class Document:
    """A file that holds one YAML mapping."""

    file: Path
    content: Mapping[Any, Any]
    text: str

    def line_of(self, *path: object) -> int:
        """The line of a value, by its keys and indices, as far as they can be followed."""
        return yaml.line_at(self.text, (0, *path))


@dataclass(slots=True)
class Tree:
    """The documents below one target, and findings about other files."""

    target: Path
    documents: list[Document] = field(default_factory=list)
    findings: list[Problem] = field(default_factory=list)
    reach: Reach = field(default_factory=Reach.anywhere)

    @property
    def has_classes(self) -> bool:
        """True if a document has a field of classes."""
        return any(CLASS_FIELDS & document.content.keys() for document in self.documents)


def documents_in(trees: Iterable[Tree]) -> Iterator[Document]:
    """The documents of all targets."""
    return (document for tree in trees for document in tree.documents)


def read_tree(target: Path, patterns: Iterable[str]) -> Tree:
    """Read a file, or every file below a folder that is neither hidden nor ignored."""
    real = os.path.realpath(target)
    if real == "/dev" or f"{real}/".startswith(("/proc/", "/sys/")):  # they may have no end
        raise CommodoreError(
            f"cannot lint {target}: nothing in /proc, /sys and /dev is read", where=str(target)
        )
    # What the user names is read wherever it is: in /dev/shm, or in a hidden folder.
    tree = Tree(target, reach=Reach(("/", target)))
    ignored = _ignored(target if target.is_dir() else target.parent, patterns)
    if _absolute(target) in ignored:
        log.info("%s: skipped: ignored", target)
    elif target.is_dir():
        above = map(str, Path(real).parents)
        _read_folder(target, ignored, (*above, real), tree)
    else:
        _read_file(target, tree)
    return tree


def _ignored(base: Path, patterns: Iterable[str]) -> frozenset[str]:
    ignore_file = base / IGNORE_FILE
    lines = text_of(str(ignore_file)).splitlines() if ignore_file.is_file() else ()
    root = glob.escape(_absolute(base))
    ignored: set[str] = set()
    for pattern in (*patterns, *lines):
        stripped = pattern.strip()
        if stripped:  # an empty line ignores nothing
            anchored = stripped if stripped.startswith("/") else f"/**/{stripped}"
            # Path.glob matches hidden files and omits others: these patterns do not.
            matches = glob.iglob(f"{root}{anchored}", recursive=True)  # noqa: PTH207 - see above
            ignored.update(map(_absolute, matches))
    return frozenset(ignored)


def _absolute(path: str | Path) -> str:
    return os.path.abspath(path)  # noqa: PTH100 - a link is ignored by its own name


def _read_folder(
    folder: Path, ignored: frozenset[str], ancestors: tuple[str, ...], tree: Tree
) -> None:
    try:
        names = sorted(path.name for path in folder.iterdir())
    except OSError as error:
        tree.findings.append(_unreadable(folder, error))
        return
    for name in names:
        path = folder / name
        if name.startswith("."):
            continue
        if _absolute(path) in ignored:
            log.info("%s: skipped: ignored", path)
        elif path.is_symlink() and _is_refused(path, tree):
            continue
        elif path.is_dir():
            real = os.path.realpath(path)
            if any(f"{ancestor}/".startswith(f"{real.rstrip('/')}/") for ancestor in ancestors):
                log.info("%s: skipped: leads to a folder above it", path)
            else:
                _read_folder(path, ignored, (*ancestors, real), tree)
        elif path.is_file():
            _read_file(path, tree)
        elif path.is_symlink():
            message = f"the symlink is broken: {path.readlink()}"
            hint = "remove it, or create its target"
            tree.findings.append(finding("files/broken-link", message, path, hint=hint))
        else:
            log.info("%s: skipped: not a file", path)


def _is_refused(link: Path, tree: Tree) -> bool:
    """Report a link that leads to where nothing is read, such as /proc."""
    try:
        tree.reach.real(str(link))
    except NeverRead as error:
        tree.findings.append(finding("files/unreadable", f"cannot be read: {error}", link))
        return True
    except OSError:  # a link to itself is found to be broken
        return False
    return False


def _read_file(path: Path, tree: Tree) -> None:
    refused: list[Problem] = []
    try:
        raw = bytes_of(str(path))
        refused = list(_refused_class(path, raw)) if path.suffix in _SUFFIXES else []
        text = raw.decode()
        documents = yaml.load_all(text, name=str(path))
    except OSError as error:
        tree.findings.append(_unreadable(path, error))
    except UnicodeDecodeError as error:
        log.info("%s: skipped: not UTF-8", path)
        if path.suffix in _SUFFIXES:
            line = error.object[: error.start].count(b"\n") + 1
            message = "not UTF-8: the file was not checked"
            tree.findings += refused or [finding("files/not-utf-8", message, path, line)]
    except YamlError as error:
        log.info("%s: skipped: not valid YAML", path)
        if path.suffix in _SUFFIXES:
            message = str(error).splitlines()[0]
            tree.findings += refused or [finding("files/broken-yaml", message, path, error.line)]
    else:
        if len(documents) == 1 and isinstance(documents[0], dict):
            tree.documents.append(Document(path, documents[0], text))
            # Of parameters that are no mapping, the rules for components report it.
            if isinstance(documents[0].get("parameters", {}), dict):
                tree.findings += refused
        else:
            log.info("%s: skipped: %s", path, _why_not(documents))


def _refused_class(path: Path, raw: bytes) -> Iterator[Problem]:
    """The error of a compile about a file that has a field of classes."""
    if not _CLASS_FIELD.search(raw):
        return
    try:
        read_class(raw, name=str(path))
    except YamlError as error:
        message = str(error).splitlines()[0]
        yield finding("classes/invalid", message, path, error.line, hint=error.hint)


def _why_not(documents: list[Any]) -> str:
    if not documents:
        return "empty"
    if len(documents) > 1:
        return "several documents"
    return "not a mapping"


def _unreadable(path: Path, error: OSError) -> Problem:
    return finding("files/unreadable", f"cannot be read: {error.strerror}", path)
